/* What is written: an OTF2 location, of a thread of the program or of a device. */
#ifndef STAVE_WRITER_MODEL_LOCATION_H
#define STAVE_WRITER_MODEL_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/model/event.h"
#include "writer/model/held.h"
#include "writer/recovery/journal.h"

struct location {
  uint32_t id;
  uint32_t sampled_context;    /* + 1, of the last sample written; 0: none */
  bool has_ended;              /* nothing happens on it any more; what is held back may still be written */
  struct event_writer *writer; /* NULL: closed */
  uint64_t written_ticks;      /* of the last event written */
  uint64_t first_ticks;        /* of the first event written */
  uint64_t gone_ticks;         /* when the kernel was seen not to have the thread any more; 0: it has */
  uint8_t written_kind;        /* of the last event written, samples and metrics apart: enum event_kind */
  uint64_t events;             /* written; after closing the writer's own count */
  uint64_t reserve_at;         /* so many events: is there room for more? */
  _Atomic uint64_t *complete_events; /* where `events` is stored after each, while the writer is open */
  struct held held;                  /* events that wait for a team */
  struct location *next_waiter;      /* in the list of the team that the first of them waits for */
  /* held back until what may still come before them has come: [sample_begin, sample_end) */
  struct event *samples;
  size_t sample_begin, sample_end, sample_capacity;
  struct location_facts facts;
};

#endif
