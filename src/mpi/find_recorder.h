/* The libstave.so of this process, for libraries that record into its session: it must be the one that the
 * OpenMP runtime loads, or there were two sessions. */
#ifndef STAVE_MPI_FIND_RECORDER_H
#define STAVE_MPI_FIND_RECORDER_H

#include "session/recorder.h"

/* Loads it, as long as the dynamic linker may be called. NULL: it is not found. */
stave_recorder_t *recorder_open(void);

/* What it offers; `known`: what recorder_open has given, or NULL, and then it is looked for. NULL: there is
 * none of this build. */
const struct recorder *recorder_find(stave_recorder_t *known);

/* "stave: TEXT" as one line on stderr, where there is no recorder to do so. */
void recorder_stderr(const char *text);

#endif
