/* STAVE_TRIGGER: whether an instance of a region has taken longer than it should. Sees the records as they
 * come out of the merge, long before the model does. */
#ifndef STAVE_WRITER_FLIGHT_TRIGGER_H
#define STAVE_WRITER_FLIGHT_TRIGGER_H

#include <stdbool.h>

#include "session/config.h"
#include "session/records.h"

struct trigger;

enum { TRIGGER_WHY_BYTES = 128 };

/* `watch` stays the caller's. Free with trigger_destroy. */
struct trigger *trigger_create(const struct config_watch *watch);

/* NULL is fine. */
void trigger_destroy(struct trigger *trigger);

/* The clock, as far as it is known now. */
void trigger_set_frequency(struct trigger *trigger, double frequency);

/* Of the slowest: only those that are longer than this are too long. */
void trigger_set_least(struct trigger *trigger, uint64_t ticks);

/* The duration of the last instance that was too long. */
uint64_t trigger_ticks(const struct trigger *trigger);

/* A record of a slot. Returns whether it ends an instance that was too long; `why` reports it in words. NULL
 * is fine. */
bool trigger_on_record(struct trigger *trigger, uint32_t slot, const struct record *record,
                       const uint64_t *words, char why[TRIGGER_WHY_BYTES]);

/* Addresses of which an instance was too long and it is not known whether they are at the place that is
 * requested: trigger_answer decides. At most `most` are stored; returns how many. */
size_t trigger_unknown(const struct trigger *trigger, uint64_t *addresses, size_t most);

/* The address is at the place, or not. Returns as trigger_on_record: an instance may have been too long. */
bool trigger_answer(struct trigger *trigger, uint64_t address, bool is_there, char why[TRIGGER_WHY_BYTES]);

#endif
