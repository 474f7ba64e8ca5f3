/* A program of many, of which one is run by its name; without a name it prints all. */
#ifndef STAVE_TESTS_PROGRAMS_H
#define STAVE_TESTS_PROGRAMS_H

#include <stdio.h>
#include <string.h>

struct program {
  const char *name; /* NULL: the end of the table */
  void (*run)(void);
};

/* Returns the exit status. */
static int run_program(const struct program *programs, int argc, char **argv) {
  for (; programs->name; programs++)
    if (argc < 2) {
      puts(programs->name);
    } else if (strcmp(argv[1], programs->name) == 0) {
      programs->run();
      return 0;
    }
  return argc < 2 ? 0 : 2;
}

/* Computes for some time. */
static inline void work(int count) {
  for (volatile int i = 0; i < count; i++)
    ;
}

#endif
