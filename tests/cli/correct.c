/* Correct programs, one construct or use of constructs each, as validation suites have them: correct NAME.
 * Without a name: prints all names. */
#include <omp.h>

#include "programs.h"

enum { COUNT = 64 };
static int data[COUNT], sum;

static void schedules(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(static, 3) nowait
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < COUNT; i++)
      data[i] += 0;
#pragma omp for schedule(guided, 2)
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp for schedule(runtime) collapse(2) lastprivate(sum)
    for (int i = 0; i < 8; i++)
      for (int k = 0; k < 8; k++)
        sum = i + k;
  }
}

static void reductions(void) {
  double product = 1;
#pragma omp parallel for num_threads(4) reduction(+ : sum) reduction(* : product)
  for (int i = 0; i < COUNT; i++) {
    sum += i;
    product *= 1.0;
  }
#pragma omp parallel num_threads(4) reduction(max : sum)
  sum = omp_get_thread_num();
}

static void ordered_loop(void) {
#pragma omp parallel for num_threads(4) ordered schedule(dynamic)
  for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
    sum += i;
  }
}

static void doacross(void) {
#pragma omp parallel for num_threads(4) ordered(2) schedule(static, 1)
  for (int i = 1; i < 8; i++)
    for (int k = 1; k < 8; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
      data[i * 8 + k] = data[(i - 1) * 8 + k] + data[i * 8 + k - 1];
#pragma omp ordered depend(source)
    }
}

static void sections_and_singles(void) {
#pragma omp parallel num_threads(3)
  {
    int copied = 0;
#pragma omp sections
    {
#pragma omp section
      data[0] = 1;
#pragma omp section
      data[1] = 2;
    }
#pragma omp single copyprivate(copied)
    copied = 7;
#pragma omp single nowait
    data[2] = copied;
#pragma omp master
    data[3] = copied;
#pragma omp barrier
  }
}

static void criticals(void) {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 8; i++) {
#pragma omp critical(one)
    {
#pragma omp critical(two)
      sum++;
    }
#pragma omp atomic
    sum++;
  }
}

static void nested_teams(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp for
      for (int i = 0; i < COUNT; i++)
        data[i] = i;
#pragma omp barrier
    }
#pragma omp barrier
  }
}

static void in_branches(void) {
#pragma omp parallel num_threads(4)
  for (int step = 0; step < 4; step++) {
    if (step % 2) { /* all follow the same one */
#pragma omp barrier
    } else {
#pragma omp for
      for (int i = 0; i < COUNT; i++)
        data[i]++;
    }
  }
}

static void try_locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 16; i++) {
    if (!omp_test_lock(&lock))
      continue;
    sum++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void nest(omp_nest_lock_t *lock, int depth) {
  omp_set_nest_lock(lock);
  if (depth > 0)
    nest(lock, depth - 1);
  omp_unset_nest_lock(lock);
}

static void nest_locks(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(4)
  nest(&lock, 5);
  omp_destroy_nest_lock(&lock);
}

static void ordered_locks(void) {
  omp_lock_t locks[4];
  for (int i = 0; i < 4; i++)
    omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 4; i++)
    omp_set_lock(&locks[i]), sum++, omp_unset_lock(&locks[i]);
#pragma omp parallel num_threads(4)
  {
    omp_set_lock(&locks[0]);
    omp_set_lock(&locks[3]);
    omp_unset_lock(&locks[0]);
    omp_unset_lock(&locks[3]);
  }
  for (int i = 0; i < 4; i++)
    omp_destroy_lock(&locks[i]);
}

static int fib(int n) {
  int left, right;
  if (n < 2)
    return n;
#pragma omp task shared(left)
  left = fib(n - 1);
#pragma omp task shared(right) if (n > 4)
  right = fib(n - 2);
#pragma omp taskwait
  return left + right;
}

static void recursion(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  sum = fib(10);
}

static void dependences(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 1; i < 16; i++) {
#pragma omp task depend(in : data[i - 1]) depend(out : data[i])
    data[i] = data[i - 1] + 1;
#pragma omp task depend(inout : data[i])
    data[i]++;
  }
}

static void taskgroups(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 8; i++)
#pragma omp task untied
    {
#pragma omp taskyield
      data[i] = i;
    }
#pragma omp taskloop grainsize(4)
    for (int i = 0; i < COUNT; i++)
      data[i]++;
#pragma omp task final(1) mergeable
    data[0]++;
  }
}

static void locks_in_tasks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 16; i++)
#pragma omp task
  {
    omp_set_lock(&lock);
    sum++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void cancelled(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < COUNT; i++) {
      if (i == 3) {
#pragma omp cancel for
      }
#pragma omp cancellation point for
    }
#pragma omp barrier
  }
}

static void leagues(void) {
#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel for
  for (int i = 0; i < COUNT; i++)
    data[i] = i;
}

static const struct program programs[] = {
#define PROGRAM(name)                                                                                        \
  { #name, name }
    PROGRAM(schedules),
    PROGRAM(reductions),
    PROGRAM(ordered_loop),
    PROGRAM(doacross),
    PROGRAM(sections_and_singles),
    PROGRAM(criticals),
    PROGRAM(nested_teams),
    PROGRAM(in_branches),
    PROGRAM(try_locks),
    PROGRAM(nest_locks),
    PROGRAM(ordered_locks),
    PROGRAM(recursion),
    PROGRAM(dependences),
    PROGRAM(taskgroups),
    PROGRAM(locks_in_tasks),
    PROGRAM(cancelled),
    PROGRAM(leagues),
    {NULL, NULL},
};

int main(int argc, char **argv) {
  return run_program(programs, argc, argv);
}
