/* The guard's patience: a worker without progress is killed, one that waits for somebody else is not. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#include "trace/guard.h"

/* Time for a worker to begin, on a machine with other work. */
enum { PATIENCE_MS = 1000, WORK_MS = 2500, STOPPED_MS = 2500, LATER_MS = 500 };

struct pipes {
  int started[2];
  int end[2];
};

static int sleep_then_return(void *data, struct guard_progress *progress) {
  const bool *is_waiting = data;
  atomic_store(&progress->is_waiting, *is_waiting);
  do
    nanosleep(&(struct timespec){WORK_MS / 1000, WORK_MS % 1000 * 1000000}, NULL);
  while (!*is_waiting);
  return 7;
}

/* Reports its start, and returns at the parent's byte. */
static int wait_for_word(void *data, struct guard_progress *progress) {
  const struct pipes *pipes = data;
  char word = 0;
  (void)progress;
  if (write(pipes->started[1], &word, 1) != 1 || read(pipes->end[0], &word, 1) != 1)
    return 1;
  return 7;
}

static struct guard_result run(bool is_waiting) {
  const struct guard_watch watch = {.patience_ms = PATIENCE_MS};
  return guard_run(sleep_then_return, &is_waiting, &watch);
}

static void stillness_is_ended(void **state) {
  (void)state;
  assert_int_equal(run(false).ending, GUARD_STUCK);
}

static void waiting_is_not_stillness(void **state) {
  (void)state;
  struct guard_result result = run(true);
  assert_int_equal(result.ending, GUARD_RETURNED);
  assert_int_equal(result.value, 7);
}

static void wait_ms(int ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* In a group of its own, as a shell has it: stopped for longer than the guard's patience, and continued. */
static void being_stopped_is_not_stillness(void **state) {
  (void)state;
  struct pipes pipes;
  char word = 0;
  int status;
  assert_int_equal(pipe(pipes.started) | pipe(pipes.end), 0);
  pid_t group = fork();
  if (group == 0) {
    setpgid(0, 0);
    const struct guard_watch watch = {.patience_ms = STOPPED_MS - LATER_MS};
    _exit(guard_run(wait_for_word, &pipes, &watch).value);
  }
  assert_int_equal(read(pipes.started[0], &word, 1), 1);
  kill(-group, SIGSTOP);
  wait_ms(STOPPED_MS);
  kill(-group, SIGCONT);
  wait_ms(LATER_MS); /* the guard looks on meanwhile */
  assert_int_equal(write(pipes.end[1], &word, 1), 1);
  assert_int_equal(waitpid(group, &status, 0), group);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stillness_is_ended),
      cmocka_unit_test(waiting_is_not_stillness),
      cmocka_unit_test(being_stopped_is_not_stillness),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
