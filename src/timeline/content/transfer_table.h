/* Transfers to and from devices, one-sided operations of MPI: the longest, if there are too many. Times are
 * in ticks. */
#ifndef STAVE_TIMELINE_CONTENT_TRANSFER_TABLE_H
#define STAVE_TIMELINE_CONTENT_TRANSFER_TABLE_H

#include "base/pair_map.h"
#include "trace/trace.h"

enum transfer_kind {
#define TRANSFER(id, of_device, of_thread) TRANSFER_##id,
#include "timeline/content/page.def"
};

struct transfer_record {
  uint64_t begin, end, bytes;
  size_t location;
  enum transfer_kind kind; /* as the location sees it: a device gets what is transferred to it */
};

struct transfer_table {
  struct transfer_record *records;
  size_t count, capacity, limit;
  uint64_t all, shortest; /* in the window; shorter ones are left out */
  uint64_t from, to;
  struct pair_map open; /* by location and matching id */
};

void transfer_table_begin(struct transfer_table *ret, size_t limit, uint64_t from, uint64_t to);

/* Looks at RmaGet, RmaPut, RmaAtomic and the events of their completion. What is never complete is not
 * there. */
void transfer_table_add(struct transfer_table *table, const struct trace_event *event);

/* Sorts by location, then by begin. */
void transfer_table_finish(struct transfer_table *table);

/* Frees what it owns. */
void transfer_table_free(struct transfer_table *table);

#endif
