/* The writer's side of traces.recovery (recovery_file.h). One thread, the merging one, uses it. Where the
 * file cannot be made or mapped, or the disk is nearly full, everything works as usual and less can be
 * recovered. */
#ifndef STAVE_WRITER_RECOVERY_RECOVERY_H
#define STAVE_WRITER_RECOVERY_RECOVERY_H

#include <stdbool.h>

#include "writer/recovery/journal.h"
#include "writer/recovery/recovery_file.h"

struct recovery;

/* Makes the file in `directory` and locks it: from now on everybody can see that the archive is being
 * written, and by whom. Never NULL. Free with recovery_close. */
struct recovery *recovery_open(const char *directory);

/* The archive is closed, or will never be: the file is not there any more. Returns 0, or a negative errno if
 * it stays: the archive looks unfinished then. NULL is fine. */
int recovery_remove(struct recovery *recovery);

/* Frees the memory, and returns the disk's room if the file was removed: that costs a millisecond. NULL is
 * fine. */
void recovery_close(struct recovery *recovery);

/* 0; or the errno for which less can be recovered than there is: the file or its journal could not be had, or
 * the block of a location. */
int recovery_shortfall(const struct recovery *recovery);

/* Whether somebody has made the file shorter: then nothing in its blocks can be relied on. */
bool recovery_is_cut(struct recovery *recovery);

/* From now on the file stays as it is as soon as the calling thread, which counts in *records, comes to a
 * halt in stores to it (stuck.h): what is stored goes to memory of our own then. */
void recovery_watch(struct recovery *recovery, const uint64_t *records);

/* Whether it may: then one thread alone is to store to it, the one that is watched. */
bool recovery_may_get_stuck(const struct recovery *recovery);

/* The disk has refused room, and the archive is about to be closed: where its last stores to the file would
 * have to wait for the disk one by one, the file stays as it is. */
void recovery_freeze(struct recovery *recovery);

/* A block for which the disk has room reserved, for events RECOVERY_FEW_BYTES of it at least; NULL if there
 * is none. The taker states what is in it and then sets its `use`: until then it counts as unused. */
struct recovery_block *recovery_get_block(struct recovery *recovery, enum recovery_use use);

/* A block of events may get full from now on, so the disk's room is reserved for all of it. */
void recovery_hand_over(struct recovery *recovery, const struct recovery_block *block);

/* Gives a block back. */
void recovery_release(struct recovery *recovery, struct recovery_block *block);

/* The same of the log of records and of the rings (recovery_file.h). */
struct recovery_header *recovery_header(struct recovery *recovery);

/* Where the writer shows how far it is; always there, though perhaps in no file. */
struct recovery_state *recovery_state(struct recovery *recovery);

#endif
