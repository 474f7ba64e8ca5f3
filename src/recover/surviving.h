/* The session memory of a program that was killed together with its writer: a file of SESSION_FOLDER that the
 * recovery file names. */
#ifndef STAVE_RECOVER_SURVIVING_H
#define STAVE_RECOVER_SURVIVING_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "recover/salvage.h"
#include "session/session.h"

struct surviving {
  struct session_header *session; /* a private copy: what is stored to it changes no file */
  uint64_t bytes;                 /* of it: to the end of the last ring that a thread had */
  bool has_rings; /* it is what the processes left; else made of its constants, without records */
  int error;      /* what they left cannot be read now: errno; EBUSY: the writer lives */
  int unread;     /* it cannot be read at all: errno */
  char path[sizeof SESSION_FOLDER + SESSION_FILE_BYTES]; /* empty: there is no file of ours */
};

/* Constants: as the journal has them. False: there is no memory for it; where `error` is set, what is in the
 * rings is still there. surviving_close in every case. */
bool surviving_open(struct surviving *surviving, const struct salvage *salvage,
                    const struct session_constants *constants);
void surviving_close(struct surviving *surviving);

/* Goes on without the rings, which stay where they are. False: there is no memory for it. */
bool surviving_leave_rings(struct surviving *surviving);

#endif
