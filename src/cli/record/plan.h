/* How a program can be traced, and if it cannot, why not. */
#ifndef STAVE_CLI_RECORD_PLAN_H
#define STAVE_CLI_RECORD_PLAN_H

#include "cli/programs/program.h"

#include <stdbool.h>

struct plan {
  char *library; /* libstave.so */
  char *runtime; /* what libgomp.so.1 shall be; NULL: leave it as it is */
  char *gomp;    /* libstave-gomp.so, which becomes it or not; NULL: without a runtime */
  char *libgomp; /* libstave-libgomp.so, which is preloaded; NULL: gcc's programs are not traced on libgomp */
  char *mpi;     /* libstave-mpi.so, which is preloaded; NULL: nothing of MPI is to be seen */
  char *cuda;    /* libstave-cuda.so, which CUDA's driver loads; NULL: nothing of devices is to be seen */
  bool leaves_libgomp; /* the user needs it so */
  bool preloads;       /* that comes before all other libraries */
};

/* Decides; `preloads`: the user needs what is given as libgomp.so.1 to come first. False if the program has
 * to run untraced, and then has printed why. The caller clears *ret. */
bool plan_make(const struct program *program, bool preloads, struct plan *ret);

/* Frees what is inside. */
void plan_clear(struct plan *plan);

/* Reports why there is no archive after a program ran as planned without any OpenMP runtime reporting. */
void plan_explain_silence(const struct program *program, const struct plan *plan);

#endif
