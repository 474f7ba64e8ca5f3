/* STAVE_KEEP: archives of what is kept, while recording goes on.
 *
 * A copy of the writer's process (fork) writes each. It has all that its parent knows: what the model
 * states of the time before the first kept record, and the kept records. So the parent goes on as if nothing
 * had happened, and the next archive begins from the same state. There is one copy at a time, and what is
 * requested meanwhile is one archive after it. */
#ifndef STAVE_WRITER_DUMP_H
#define STAVE_WRITER_DUMP_H

#include "writer/writer.h"

/* Begins to keep records, as STAVE_KEEP states. The model is open. */
void dump_open(struct writer *writer);

/* Keeps the record. If it is the program's wish for an archive, that is started. */
void dump_record(struct writer *writer, uint64_t id, const struct record *record, const uint64_t *words);

/* Between two passes: begins archives that were requested from outside, and notes which are done. */
void dump_look(struct writer *writer);

/* Whether nothing is to be started now. */
bool dump_can_wait(const struct writer *writer);

/* Nothing follows: writes the last archive if the program has ended badly, or one is due, and reports it. */
void dump_finish(struct writer *writer);

#endif
