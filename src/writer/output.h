/* Where the archive goes. */
#ifndef STAVE_WRITER_OUTPUT_H
#define STAVE_WRITER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "session/launcher.h"

/* What the template's letters represent. */
struct output_names {
  const char *program; /* base name of the executable */
  const char *host;
  pid_t pid;
  int mpi_rank;    /* -1: none; then %r is 0 */
  int mpi_size;    /* ranks of the job; -1: not known */
  const char *job; /* NULL: none; then %j is 0 */
  const char *run; /* what all ranks of this run share; NULL: not known */
};

/* Expands a STAVE_OUTPUT template. What a letter represents never brings in a '/'. With an MPI rank, of
 * several, and no %r in the template, `path` is the directory of all ranks (*ret_is_job), and %p represents
 * the run where that is known. Returns 0; -EINVAL for an unknown %letter; -ENAMETOOLONG. */
int output_expand(const char *template, const struct output_names *names, char *path, size_t size,
                  bool *ret_is_job);

/* Makes the directory, and those above it that are missing; if something of the name exists, the name gets
 * -2, -3, ... `path` (of `size` bytes) becomes the name that was made. Modes follow the umask. Returns 0, or
 * a negative errno. */
int output_make_directory(char *path, size_t size);

/* In rank/ of a job's directory: the file that states which run's it is. */
#define OUTPUT_RUN_FILE "run"

/* Makes the directory of a rank, `path`/rank/RANK, in that of its run, `path`. The first of its ranks makes
 * that; if another run, or something else, has the name, it gets -2, -3, ... for all of them. `path` becomes
 * the rank's directory. Returns as output_make_directory. */
int output_make_job_directory(char *path, size_t size, const char *run, int rank);

/* One of the two. */
int output_make(char *path, size_t size, bool is_job, const struct output_names *names);

/* Whether what was made has the name that was requested. */
bool output_is_as_requested(const char *requested, const char *made);

/* Fills in what the launcher reports; `run` is for names->run. */
void output_read_launcher(struct output_names *names, char run[LAUNCHER_RUN_BYTES]);

#endif
