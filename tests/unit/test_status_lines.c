/* The writer's lines to `stave record` (writer/notify.c) through a pipe that may be full or have no reader.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "writer/notify.h"

static struct session_header session;
static struct notifier notifier;
static char folder[] = "/tmp/stave-status.XXXXXX", path[64];
static int fifo;
static _Atomic bool is_over; /* the writer has sent all of its lines */
static char printed[1 << 17];

static int setup(void **state) {
  (void)state;
  signal(SIGPIPE, SIG_IGN); /* as in the writer (process.c) */
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/status", folder);
  memset(&session, 0, sizeof session);
  session.constants.pid = 4711;
  snprintf(session.constants.config.status, sizeof session.constants.config.status, "%s", path);
  if (mkfifo(path, 0600) < 0 || (fifo = open(path, O_RDWR | O_NONBLOCK)) < 0)
    return -1;
  notify_open(&notifier, &session);
  atomic_store(&is_over, false);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  close(notifier.status_fd);
  unlink(path);
  rmdir(folder);
  snprintf(folder, sizeof folder, "/tmp/stave-status.XXXXXX");
  return 0;
}

static void fill_pipe(void) {
  while (write(fifo, "unknown 1 line that is skipped\n", 31) > 0) {
  }
  while (write(fifo, "\n", 1) > 0) {
  }
}

/* Reads only once the program would go on. */
static void *read_late(void *data) {
  size_t used = 0;
  while (atomic_load(&session.shared.writer_state) == WRITER_STARTING)
    sched_yield();
  for (bool is_last = false; !is_last;) {
    is_last = atomic_load(&is_over);
    for (ssize_t n; (n = read(fifo, printed + used, sizeof printed - 1 - used)) > 0;)
      used += (size_t)n;
    sched_yield();
  }
  printed[used] = '\0';
  return data;
}

static void report_at_the_end(bool has_failed) {
  pthread_t reader;
  fill_pipe();
  assert_int_equal(pthread_create(&reader, NULL, read_late, NULL), 0);
  if (has_failed)
    notify_failed(&notifier, "no %s", "room");
  else
    notify_closed(&notifier, "threads=4 ending=finalized", "");
  atomic_store(&is_over, true);
  pthread_join(reader, NULL);
  close(fifo);
}

/* It names the traced process and the writer. */
static void assert_line(const char *word, const char *rest) {
  char line[128];
  snprintf(line, sizeof line, "\n%s 4711/%d %s\n", word, (int)getpid(), rest);
  assert_non_null(strstr(printed, line));
}

static void the_last_line_waits_for_room(void **state) {
  (void)state;
  report_at_the_end(false);
  assert_line("closed", "threads=4 ending=finalized");
  assert_int_equal(session.shared.writer_state, WRITER_CLOSED);
}

static void a_failure_waits_for_room(void **state) {
  (void)state;
  report_at_the_end(true);
  assert_line("failed", "no room");
  assert_int_equal(session.shared.writer_state, WRITER_FAILED);
}

static void nobody_waits_for_a_reader_that_is_gone(void **state) {
  (void)state;
  fill_pipe();
  close(fifo);
  notify_closed(&notifier, "threads=4 ending=finalized", "");
  assert_int_equal(session.shared.writer_state, WRITER_CLOSED);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(the_last_line_waits_for_room), TEST(a_failure_waits_for_room),
                                     TEST(nobody_waits_for_a_reader_that_is_gone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
