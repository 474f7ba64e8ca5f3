/* STAVE_TRIGGER: whether parallel regions are at a place in the source. A copy of the writer's process looks
 * that up, since the writer itself names nothing while it keeps records. */
#ifndef STAVE_WRITER_ADDRESS_QUERY_H
#define STAVE_WRITER_ADDRESS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct writer;

enum { LOOKUP_MAX = 16 }; /* addresses in one query */

struct address_query {
  pid_t copy; /* 0: none */
  int fd;     /* where its answer comes: a byte for each address */
  uint64_t addresses[LOOKUP_MAX];
  size_t count;
  uint32_t trigger; /* whose they are */
};

/* Whether the trigger waits for an answer. */
bool address_query_is_needed(const struct writer *writer);

/* Begins a lookup if one is needed, and reads the answer of one that is done. Returns as trigger_answer. */
bool address_query_continue(struct writer *writer, char *why);

#endif
