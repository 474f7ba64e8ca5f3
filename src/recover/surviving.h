/* The session memory of a program that was killed together with its writer: a file of SESSION_FOLDER that the
 * recovery file names. */
#ifndef STAVE_RECOVER_SURVIVING_H
#define STAVE_RECOVER_SURVIVING_H

#include <limits.h>
#include <stdbool.h>

#include "recover/salvage.h"
#include "session/session.h"

struct surviving {
  struct session_header *session; /* a private copy: what is stored to it changes no file */
  bool has_rings; /* it is what the processes left; else made of its constants, without records */
  char path[sizeof SESSION_FOLDER + SESSION_FILE_BYTES]; /* empty: there is no file of ours */
};

/* Constants: as the journal has them. False: there is no memory for it. surviving_close in every case. */
bool surviving_open(struct surviving *surviving, const struct salvage *salvage,
                    const struct session_constants *constants);
void surviving_close(struct surviving *surviving);

/* What it had is in an archive now. */
void surviving_remove(const struct surviving *surviving);

#endif
