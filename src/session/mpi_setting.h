/* STAVE_MPI, for libstave-mpi.so and `stave record`, which have to know before the session reads its
 * configuration (config.def), which states what is wrong about a value. */
#ifndef STAVE_SESSION_MPI_SETTING_H
#define STAVE_SESSION_MPI_SETTING_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the environment states this word: "off", that nothing of MPI is to be recorded; "on". */
static inline bool mpi_setting_is(const char *what) {
  static const struct {
#define SETTING(id, variable, type, standard, allowed, doc) const char *id;
#include "session/config.def"
#undef SETTING
  } variables = {
#define SETTING(id, variable, type, standard, allowed, doc) variable,
#include "session/config.def"
#undef SETTING
  };
  const char *requested = getenv(variables.mpi);
  return requested && strcmp(requested, what) == 0;
}

#endif
