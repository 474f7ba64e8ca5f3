/* What launchers (mpirun, mpiexec, srun) give a process of the job that it is a rank of, by its
 * environment. */
#ifndef STAVE_SESSION_LAUNCHER_H
#define STAVE_SESSION_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LAUNCHER_RUN_BYTES = 160 };

/* The rank; -1: there is none. */
int launcher_rank(void);

/* How many ranks there are; -1: not known. */
int launcher_size(void);

/* Whether this process is a rank of several. */
bool launcher_has_many(void);

/* The batch job; NULL: none. */
const char *launcher_batch_job(void);

/* A text that all ranks of one run share and no other run has, into `ret` of LAUNCHER_RUN_BYTES; empty where
 * the launcher reports nothing of the kind. `process` is the rank, whose environment this process has. */
void launcher_run(pid_t process, char *ret);

#endif
