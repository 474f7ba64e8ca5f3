// Regions, messages and counters of the program: nested in constructs, moved by tasks, left open, refused.
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "stave/stave.h"

static int count;

static void work(int i) {
  stave_region_begin("inner");
  stave_counter_integer("step", "1", i - 1);
#pragma omp atomic
  count++;
  stave_region_end("inner");
}

static void tasks(void) {
#pragma omp parallel
#pragma omp single
  {
    stave_region_begin("producer");
    for (int i = 0; i < 4; i++) {
#pragma omp task
      {
        stave_region_begin("task part");
        work(i);
#pragma omp taskyield
        stave_region_end("task part");
      }
    }
    stave_region_end("producer");
#pragma omp taskwait
  }
}

static void mistakes(void) {
  stave_region_end("never started");
  stave_region_begin("first");
  stave_region_begin("second");
  stave_region_end("first"); /* not the innermost one */
  stave_region_end("second");
  stave_region_end(NULL); /* whatever it is: first */
  stave_region_end("first");
#pragma omp parallel num_threads(2)
  {
    stave_region_begin("left open");
#pragma omp critical
    {
      stave_region_end("left open"); /* inside of a construct that began in it */
      count++;
    }
  }
}

static void names(void) {
  static char longest[100001];
  memset(longest, 'x', sizeof longest - 1);
  stave_region_begin(longest);
  stave_region_end(longest);
  stave_region_begin("");
  stave_region_end("");
  stave_region_begin("gr\xc3\xb6\xc3\x9f"
                     "er \xff\xe2\x82");
  stave_region_end(NULL);
  stave_message(NULL);
  stave_message("\x1b[31mred\x1b[0m\n");
  stave_region_begin_at("nowhere", NULL, 0);
  stave_region_end_at("nowhere", NULL, 0);
}

int main(void) {
  /* before libomp 22, nothing recorded before the first region reaches a tool without this */
  omp_get_max_threads();
  stave_region_begin("all of the program");
  tasks();
  stave_message("tasks are done");
  for (int i = 0; i < 3; i++)
    stave_counter_double("residual", "W/m", 0.5 / (1 << i));
  mistakes();
  names();
  printf("%d\n", count);
  return 0;
}
