/* Programs of which one is run, by its name. */
#ifndef STAVE_TESTS_MISUSE_H
#define STAVE_TESTS_MISUSE_H

#include <string.h>

struct misuse {
  const char *name; /* NULL: the end of the table */
  void (*run)(void);
};

/* Returns the exit status. */
static int run_misuse(const struct misuse *programs, const char *name) {
  for (; programs->name; programs++)
    if (strcmp(name, programs->name) == 0) {
      programs->run();
      return 0;
    }
  return 2;
}

#endif
