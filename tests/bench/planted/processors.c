/* Programs whose threads lack processors, each for another reason, and twins that have them. All of them
 * compute, as nothing else needs a processor, for a second or more, since the kernel is queried ten times a
 * second. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planted.h"

enum { STEPS = 20, STEP_MS = 50, OTHERS = 2, STOPPED_S = 2 };

static atomic_int is_over;

/* Each thread of the team computes for so long, `more` times as long the last one, and the last one alone in
 * the planted program. */
static void compute_all(double more) {
  for (int step_number = 0; step_number < STEPS; step_number++) {
#pragma omp parallel /* PLANT uneven */
    {
      int n = omp_get_num_threads();
      double even = (n - 1 + more) / n, own = omp_get_thread_num() == n - 1 ? more : 1;
      compute(1000.0 * STEP_MS * (is_repaired ? even : own));
    }
  }
}

/* As taskset -c 0 does, or OMP_PLACES='{0}', or mpirun with several threads a rank. */
static void bound(void) {
  cpu_set_t may_use, one;
  CPU_ZERO(&one);
  sched_getaffinity(0, sizeof may_use, &may_use);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &may_use))
      CPU_SET(i, &one);
#pragma omp parallel
  if (!is_repaired)
    sched_setaffinity(0, sizeof one, &one);
  compute_all(1);
}

static void *be_busy(void *nothing) {
  while (!is_over)
    ;
  return nothing;
}

/* As those of a BLAS library beside the team. */
static void own_threads(void) {
  pthread_t threads[OTHERS];
  for (int i = 0; i < OTHERS && !is_repaired; i++)
    pthread_create(&threads[i], NULL, be_busy, NULL);
  compute_all(1);
  is_over = 1;
  for (int i = 0; i < OTHERS && !is_repaired; i++)
    pthread_join(threads[i], NULL);
}

static void begin_others(pid_t others[OTHERS]) {
  pid_t self = getpid();
  for (int i = 0; i < OTHERS; i++)
    if ((others[i] = fork()) == 0) {
      while (getppid() == self) /* they outlive nobody */
        ;
      _exit(0);
    }
}

static void end_others(const pid_t others[OTHERS]) {
  for (int i = 0; i < OTHERS; i++) {
    kill(others[i], SIGKILL);
    waitpid(others[i], NULL, 0);
  }
}

static void others(void) {
  pid_t processes[OTHERS];
  if (!is_repaired)
    begin_others(processes);
  compute_all(1);
  if (!is_repaired)
    end_others(processes);
}

/* The twin has as much work, and the others as well. */
static void uneven(void) {
  pid_t processes[OTHERS];
  begin_others(processes);
  compute_all(3);
  end_others(processes);
}

/* As control-Z does, or a batch system that suspends jobs. */
static void stopped(void) {
  pid_t self = getpid(), other = is_repaired ? -1 : fork();
  if (other == 0) {
    usleep(300000);
    kill(self, SIGSTOP);
    sleep(STOPPED_S);
    kill(self, SIGCONT);
    _exit(0);
  }
  compute_all(1);
  if (other > 0)
    waitpid(other, NULL, 0);
}

/* In a control group that lets it have one processor: whoever starts it has put it there. */
static void quota(void) {
  compute_all(1);
}

int main(int count, char **arguments) {
  static const struct planted programs[] = {{"bound", bound},     {"own_threads", own_threads},
                                            {"others", others},   {"uneven", uneven},
                                            {"stopped", stopped}, {"quota", quota}};
  return planted_main(count, arguments, programs, sizeof programs / sizeof *programs);
}
