/* Where the archive goes. */
#ifndef STAVE_WRITER_OUTPUT_H
#define STAVE_WRITER_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

/* What the template's letters stand for. */
struct output_names {
  const char *program; /* base name of the executable */
  const char *host;
  pid_t pid;
  int mpi_rank;    /* -1: none; then %r is 0 */
  int mpi_size;    /* ranks of the job; -1: not known */
  const char *job; /* NULL: none; then %j is 0 */
};

/* Expands a STAVE_OUTPUT template. What a letter stands for never brings in a '/'. With an MPI rank, of
 * several, and no %r in the template, "-RANK" is appended. Returns 0; -EINVAL for an unknown %letter;
 * -ENAMETOOLONG. */
int output_expand(const char *template, const struct output_names *names, char *path, size_t size);

/* Makes the directory, and those above it that are missing; if something of the name exists, the name gets
 * -2, -3, ... `path` (of `size` bytes) becomes the name that was made. Modes follow the umask. Returns 0, or
 * a negative errno. */
int output_make_directory(char *path, size_t size);

/* MPI rank, number of ranks, and batch job of this process by what launchers put into the environment; -1 and
 * NULL if it is not there. */
int output_mpi_rank(void);
int output_mpi_size(void);
const char *output_job(void);

#endif
