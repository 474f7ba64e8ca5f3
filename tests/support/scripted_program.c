// scripted_runtime TOOL SCRIPT [COUNTS]: plays an OpenMP runtime from a script (scripted_runtime.c).
//
// The program and the runtime are two modules, as in real life. What is here is the program: functions whose
// code addresses scripts can name, each on one line, so that every address in it has this line.
#include <stdio.h>

#include "scripted_runtime.h"

#define PLACE __attribute__((visibility("default"), noinline)) void

static volatile int calls;

PLACE alpha(void);
PLACE beta(void);
PLACE gamma_(void);
PLACE delta(void);
PLACE epsilon(void);
PLACE zeta(void);

PLACE alpha(void) {
  calls = calls * 3 + 1;
}

PLACE beta(void) {
  calls = calls * 5 + 2;
}

PLACE gamma_(void) {
  calls = calls * 7 + 3;
}

PLACE delta(void) {
  calls = calls * 9 + 4;
}

PLACE epsilon(void) {
  calls = calls * 11 + 5;
}

PLACE zeta(void) {
  calls = calls * 13 + 6;
}

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: scripted_runtime TOOL SCRIPT [COUNTS]\n");
    return 98;
  }
  return scripted_run(argv[1], argv[2], argv[3]);
}
