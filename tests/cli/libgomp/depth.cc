/* Bytes of the stack that a task or region needs which is created in the one before, and runs within the call that
 * creates it: by the distance of their local variables. On stderr, since a tool makes it larger. */
#include <stdio.h>

enum { DEPTH = 1000, WITHOUT = 100 };
enum kind { IN_PLACE, DEPENDENT, COPIED, ALIGNED, DEFERRED, GROUP, REGION, LOOP_REGION, TASKLOOP };

struct copied {
  long value;
  copied() : value(0) {}
  copied(const copied &other) : value(other.value + 1) {}
};

struct alignas(64) aligned {
  long value;
  aligned() : value(0) {}
  aligned(const aligned &other) : value(other.value + 1) {}
};

static char dependence;

template <kind KIND> struct recursion {
  const char *first;
  long bytes;
  copied object;
  aligned large;

  __attribute__((noinline)) void level(int depth) {
    char here;
    if (depth == WITHOUT)
      first = &here;
    if (depth == DEPTH)
      bytes = (first - &here) / (DEPTH - WITHOUT);
    else
      create(depth + 1);
  }

  void create(int depth) {
    copied own = object;
    if (KIND == IN_PLACE) {
#pragma omp task if (0)
      level(depth);
    } else if (KIND == DEPENDENT) {
#pragma omp task if (0) depend(inout : dependence)
      level(depth);
    } else if (KIND == COPIED) {
#pragma omp task if (0) firstprivate(own)
      level(depth + (own.value != 2));
    } else if (KIND == ALIGNED) {
      aligned own2 = large;
#pragma omp task if (0) firstprivate(own2)
      level(depth + (own2.value != 2));
    } else if (KIND == DEFERRED) {
#pragma omp task
      level(depth);
#pragma omp taskwait
    } else if (KIND == GROUP) {
#pragma omp taskgroup
#pragma omp task
      level(depth);
    } else if (KIND == REGION) {
#pragma omp parallel num_threads(1)
      level(depth);
    } else if (KIND == LOOP_REGION) {
#pragma omp parallel for num_threads(1) schedule(dynamic)
      for (int i = 0; i < 1; i++)
        level(depth);
    } else {
#pragma omp taskloop
      for (int i = 0; i < 1; i++)
        level(depth);
    }
  }

  void measure(const char *name) {
    level(0);
    fprintf(stderr, "%s %ld\n", name, bytes);
  }
};

int main() {
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    recursion<IN_PLACE>().measure("in_place");
    recursion<DEPENDENT>().measure("dependent");
    recursion<COPIED>().measure("copied");
    recursion<ALIGNED>().measure("aligned");
    recursion<REGION>().measure("region");
    recursion<LOOP_REGION>().measure("loop_region");
  }
#pragma omp parallel num_threads(1)
  {
    recursion<DEFERRED>().measure("deferred");
    recursion<GROUP>().measure("group");
    recursion<TASKLOOP>().measure("taskloop");
  }
  return 0;
}
