#include "cli/config/config_mpi.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/programs/locate.h"
#include "session/config.h"

/* As a word of a shell. */
static void print_quoted(const char *text) {
  static const char plain[] = "_-+=:,./%@";
  bool is_plain = *text != '\0';
  for (const char *c = text; *c; c++)
    is_plain &= isalnum((unsigned char)*c) || strchr(plain, *c);
  if (is_plain) {
    fputs(text, stdout);
    return;
  }
  putchar('\'');
  for (const char *c = text; *c; c++)
    if (*c == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*c);
  putchar('\'');
}

/* How a launcher is made to give a variable to the ranks. */
struct launcher {
  const char *name;
  const char *command;
  const char *before, *between; /* of the name and the value */
};

static const struct launcher launchers[] = {
    {"Open MPI", "mpirun", " -x ", "="},
    {"MPICH, Intel MPI, MVAPICH", "mpiexec", " -genv ", " "},
    {"Slurm", "srun --export=ALL", ",", "="},
};

static void print_variable(const struct launcher *launcher, const char *name, const char *value) {
  printf("%s%s%s", launcher->before, name, launcher->between);
  print_quoted(value);
}

/* Those of Stave's that are set here; srun's ALL has them already. */
static void print_set(const struct launcher *launcher) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  for (size_t i = 0; i < count && *launcher->before != ','; i++) {
    const char *value = getenv(rows[i].variable);
    if (value && *value)
      print_variable(launcher, rows[i].variable, value);
  }
}

static void print_launcher(const struct launcher *launcher, const char *library, const char *mpi) {
  printf("%s:\n  %s", launcher->name, launcher->command);
  print_variable(launcher, "OMP_TOOL_LIBRARIES", library);
  print_variable(launcher, "LD_PRELOAD", mpi);
  print_set(launcher);
  printf(" ./program\n");
}

int config_print_mpi(void) {
  char *library = NULL, *mpi = NULL;
  if (locate_library(&library) != 0 || locate_mpi(library, &mpi) != 0) {
    message_print("cannot find %s: install Stave again or set STAVE_LIBRARY to the path of libstave.so",
                  library ? "libstave-mpi.so" : "libstave.so");
    free(library);
    return EXIT_FAILURE;
  }
  for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
    print_launcher(&launchers[i], library, mpi);
  free(library);
  free(mpi);
  return EXIT_SUCCESS;
}
