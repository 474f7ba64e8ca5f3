/* Programs in which little or nothing is wrong, but not as in the others: one thread, hundreds, teams in
 * teams, two regions that are out of balance, long names, and what only a busy processor shows. */
#include "planted.h"

enum { MANY = 300 };

/* One thread has nobody to wait for. */
static void one_thread(void) {
#pragma omp parallel num_threads(1)
  for (int step = 0; step < 5; step++) {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 4; i++)
      work(i == 0 ? 9 : 1);
#pragma omp critical
    work(5);
#pragma omp single
    work(5);
#pragma omp task
    work(3);
#pragma omp taskwait
  }
}

/* Far more threads than processors, which all sleep. */
static void many_threads(void) {
#pragma omp parallel num_threads(MANY)
  for (int step = 0; step < 5; step++) {
    work(200);
#pragma omp barrier
  }
}

/* Teams in teams in a team, all of them balanced. */
static void deep_teams(void) {
  omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < 5; step++) {
    work(5);
#pragma omp parallel num_threads(2)
    {
      work(5);
#pragma omp parallel num_threads(2)
      {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
          work(20);
      }
    }
  }
}

/* The second region is out of balance, and so is the fourth, by half as much. */
static void step_of_the_solver_in_which_one_thread_alone_assembles_the_boundary(double ms) {
#pragma omp parallel /* PLANT two_regions */
  work(is_repaired ? 4 + ms / omp_get_num_threads() : omp_get_thread_num() == 0 ? 4 + ms : 4);
}

static void two_regions(void) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel
    work(10);
    step_of_the_solver_in_which_one_thread_alone_assembles_the_boundary(16);
#pragma omp parallel
    work(10);
#pragma omp parallel
    work(omp_get_thread_num() == 0 ? 12 : 4); /* no twin repairs this */
  }
}

/* Barriers between which little is computed: threads without a processor keep the others waiting. */
static void oversubscribed(void) {
#pragma omp parallel /* PLANT oversubscribed */
  for (int step = 0; step < 4000; step++) {
    compute(100.0 / omp_get_num_threads());
#pragma omp barrier
  }
}

static const struct planted programs[] = {{"one_thread", one_thread},
                                          {"many_threads", many_threads},
                                          {"deep_teams", deep_teams},
                                          {"two_regions", two_regions},
                                          {"oversubscribed", oversubscribed}};

int main(int count, char **arguments) {
  return planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
}
