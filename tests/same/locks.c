/* Locks of all kinds that threads hand to each other, between barriers that keep the threads together: the
 * order of acquisitions is of all of them, while nearly all records concern one alone. Encoders that settled
 * it wrongly would write another archive. */
#include <omp.h>

enum { ROUNDS = 100, OFTEN = 10, HANDED_OVER_EVERY = 20, PAUSE_AT = 50, START_AT = 60, NEW_LOCK_EVERY = 15 };
enum { HELD = 40 };

struct locks {
  omp_lock_t one, two, handed_over, short_lived;
  omp_nest_lock_t nested;
};

static long sum;

/* Each thread's own: it holds more of them than a look ahead keeps. */
static void many_together(int round) {
  omp_lock_t held[HELD];
  int count = round % 2 ? HELD : 6;
  for (int i = 0; i < count; i++) {
    omp_init_lock(&held[i]);
    omp_set_lock(&held[i]);
  }
  for (int i = 0; i < OFTEN; i++) {
#pragma omp critical(third)
    sum++;
  }
  for (int i = 0; i < count; i++) {
    omp_unset_lock(&held[i]);
    omp_destroy_lock(&held[i]);
  }
}

static void in_turn(struct locks *locks) {
  for (int i = 0; i < OFTEN; i++) {
    omp_set_lock(&locks->one);
    sum++;
    omp_unset_lock(&locks->one);
#pragma omp critical(first)
    {
      omp_set_lock(&locks->two);
      sum++;
      omp_unset_lock(&locks->two);
    }
#pragma omp critical(second)
    sum++;
  }
}

/* Before libomp 19 the end of a loop's barrier may also be the region's: it is decided by the record after
 * it, a critical section's here. */
static void after_a_barrier(void) {
  for (int i = 0; i < OFTEN; i++) {
#pragma omp for
    for (int turn = 0; turn < OFTEN; turn++)
      (void)turn;
#pragma omp critical(second)
    sum++;
  }
}

static void tried(struct locks *locks) {
  if (omp_test_lock(&locks->two))
    omp_unset_lock(&locks->two);
  omp_set_nest_lock(&locks->nested);
  omp_set_nest_lock(&locks->nested);
  omp_unset_nest_lock(&locks->nested);
  omp_unset_nest_lock(&locks->nested);
}

/* A program that is wrong: another thread than the one that has it gives it back. And one that is right: at
 * the same address there is a new lock each time. */
static void handed_over(struct locks *locks, int round, int thread) {
  if (round % HANDED_OVER_EVERY == 0 && thread == 0)
    omp_set_lock(&locks->handed_over);
  if (round % HANDED_OVER_EVERY == 1 && thread == 1)
    omp_unset_lock(&locks->handed_over);
  if (round % NEW_LOCK_EVERY == 2 && thread == 0) {
    omp_destroy_lock(&locks->short_lived);
    omp_init_lock(&locks->short_lived);
  }
}

static void pause_or_start(int round) {
  if (round == PAUSE_AT)
    omp_control_tool(omp_control_tool_pause, 0, 0);
  if (round == START_AT)
    omp_control_tool(omp_control_tool_start, 0, 0);
}

static void one_round(struct locks *locks, int round, int thread) {
  if (thread == 0)
    pause_or_start(round);
  handed_over(locks, round, thread);
#pragma omp barrier
  in_turn(locks);
  after_a_barrier();
  if (round % 10 == thread)
    tried(locks);
  if (round % 10 == 5)
    many_together(round / 10);
  omp_set_lock(&locks->short_lived);
  omp_unset_lock(&locks->short_lived);
#pragma omp barrier
}

int main(void) {
  struct locks locks;
  omp_init_lock(&locks.one);
  omp_init_lock(&locks.two);
  omp_init_lock(&locks.handed_over);
  omp_init_lock(&locks.short_lived);
  omp_init_nest_lock(&locks.nested);
#pragma omp parallel
  for (int round = 0; round < ROUNDS; round++)
    one_round(&locks, round, omp_get_thread_num());
  return sum > 0 ? 0 : 1;
}
