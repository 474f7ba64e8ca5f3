/* Messages and collective operations of MPI that a timeline shows: the longest, if there are too many. */
#ifndef STAVE_TIMELINE_CONTENT_MESSAGE_TABLE_H
#define STAVE_TIMELINE_CONTENT_MESSAGE_TABLE_H

#include "replay/mpi.h"

/* From when it was sent to when it had been received, in ticks. */
struct message_record {
  uint64_t begin, end, bytes;
  size_t from, to; /* locations */
  uint32_t tag;
};

/* What one rank did of a collective operation. */
struct operation_part {
  uint64_t begin, end;
  size_t location;
};

struct operation_record {
  uint64_t begin, end; /* of all parts */
  uint32_t region;     /* of the first part's call; UINT32_MAX: none */
  struct operation_part *parts;
  size_t part_count;
};

struct message_table {
  struct message_record *messages;
  size_t message_count, message_capacity;
  uint64_t all_messages, shortest; /* in the window; shorter ones are left out */
  struct operation_record *operations;
  size_t operation_count, operation_capacity, part_count;
  uint64_t all_operations, shortest_operation;
  size_t limit; /* of messages, and of parts */
  uint64_t from, to;
  /* each message and operation in the window, whether kept or not; NULL: no observer */
  void (*message)(void *data, const struct message_record *message);
  void (*operation)(void *data, const struct operation_record *operation);
  void *data;
};

void message_table_begin(struct message_table *ret, size_t limit, uint64_t from, uint64_t to);
void message_table_add(struct message_table *table, const struct mpi_message *message);
void message_table_add_operation(struct message_table *table, const struct mpi_operation *operation);

/* Sorts by begin. */
void message_table_finish(struct message_table *table);
void message_table_free(struct message_table *table);

#endif
