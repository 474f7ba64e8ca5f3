/* A ring at full speed: the tool's own way in (thread.c), a reader in another thread or process, a signal
 * handler that records in the middle of all that. Every number arrives once, complete and in order, or is
 * counted as lost.
 *
 *   stress_ring [--seconds N] */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_tool.h"
#include "numbered.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { SLEEP_S = 10, SIGNAL_EVERY_NS = 20000, PAUSE_EVERY = 50000 };

enum reader_kind { IN_THREAD, IN_PROCESS };

struct scenario {
  enum reader_kind reader;
  enum overflow_policy overflow;
  uint64_t ring_bytes;
  uint64_t start;
  bool with_signals;
};

#define BEFORE_2_32 (UINT64_C(0xffffffff) - 10000)
#define BEFORE_2_64 (UINT64_MAX - 10000)

/* Over 2^64 without signals: the limit of a ring is no limit there, so that each event goes the slow way. */
static const struct scenario scenarios[] = {
    {IN_THREAD, OVERFLOW_block, 64 << 10, 0, false},
    {IN_THREAD, OVERFLOW_block, 1 << 20, 0, true},
    {IN_THREAD, OVERFLOW_block, 256 << 10, BEFORE_2_32, true},
    {IN_THREAD, OVERFLOW_block, 64 << 10, BEFORE_2_64, false},
    {IN_THREAD, OVERFLOW_block, 64 << 10, BEFORE_2_32, true},
    {IN_THREAD, OVERFLOW_drop, 64 << 10, 0, true},
    {IN_THREAD, OVERFLOW_drop, 1 << 20, BEFORE_2_64, false},
    {IN_PROCESS, OVERFLOW_block, 64 << 10, 0, true},
    {IN_PROCESS, OVERFLOW_block, 1 << 20, BEFORE_2_32, false},
    {IN_PROCESS, OVERFLOW_drop, 256 << 10, BEFORE_2_32, true},
    {IN_PROCESS, OVERFLOW_drop, 1 << 20, 0, true},
};

/* What both sides share; with a reader in another process it lies in shared memory. */
struct common {
  _Atomic uint32_t is_over; /* the producer has ended */
  struct numbered_check check;
  uint64_t sleeps;
};

/* -- the reader -- */

struct reader {
  struct session_header *session;
  struct common *common;
  struct ring_view view;
};

static int can_sleep(void *data) {
  struct reader *reader = data;
  return ring_view_can_wait(&reader->view) && !atomic_load(&reader->common->is_over);
}

/* Nothing but the producer's wakes ends this sleep early; if it ends by itself, nothing may be left to read
 * that the producer should have waked for. */
static void sleep_until_woken(struct reader *reader) {
  uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  session_writer_sleep(reader->session, UINT64_C(1000000000) * SLEEP_S, can_sleep, reader);
  reader->common->sleeps++;
  if (clock_ns(CLOCK_MONOTONIC) - begin >= UINT64_C(1000000000) * SLEEP_S && !can_sleep(reader))
    snprintf(reader->common->check.problem, sizeof reader->common->check.problem, "a wake was lost");
}

static void read_all(struct reader *reader) {
  struct common *common = reader->common;
  for (;;) {
    bool is_over = atomic_load(&common->is_over);
    uint64_t records = numbered_read(&common->check, &reader->view, UINT64_MAX);
    atomic_fetch_add(&reader->session->shared.progress, 1);
    if (*common->check.problem || (is_over && records == 0))
      break;
    if (!is_over)
      sleep_until_woken(reader);
  }
  if (*common->check.problem) /* lets the producer go */
    atomic_store(&reader->session->shared.stop_recording, 1);
}

static void *read_in_thread(void *reader) {
  read_all(reader);
  return NULL;
}

/* -- the producer -- */

static uint64_t produced[STREAMS], refused[STREAMS];

static void on_timer(int signal) {
  int error = errno;
  (void)signal;
  uint64_t number = produced[STREAM_HANDLER]++;
  refused[STREAM_HANDLER] += !numbered_put(STREAM_HANDLER, number, 1 + number % 3);
  errno = error;
}

static timer_t start_signals(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
  event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
  sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = on_timer, .sa_flags = SA_RESTART}, NULL);
  const struct itimerspec every = {{0, SIGNAL_EVERY_NS}, {0, SIGNAL_EVERY_NS}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 || timer_settime(timer, 0, &every, NULL) < 0) {
    perror("timer");
    exit(1);
  }
  return timer;
}

static uint64_t next_random(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Mostly short records, some as long as can be; now and then a pause, so that the reader falls asleep. */
static void produce(uint64_t end_ns) {
  uint64_t random = 88172645463325252u;
  do {
    for (int i = 0; i < PAUSE_EVERY; i++) {
      uint64_t r = next_random(&random);
      uint64_t n = r % 64 ? 1 + (r >> 8) % 4 : 1 + (r >> 8) % RECORD_SLOTS_MAX;
      if (!numbered_put(STREAM_THREAD, produced[STREAM_THREAD]++, n))
        refused[STREAM_THREAD]++;
    }
    sched_yield();
  } while (clock_ns(CLOCK_MONOTONIC) < end_ns && !atomic_load(&tool.session->shared.stop_recording));
}

/* What was dropped at the very end is reported with one of the next events. */
static void finish(struct common *common) {
  while (thread_self->gap_lost && !atomic_load(&tool.session->shared.stop_recording)) {
    refused[STREAM_THREAD] += !numbered_put(STREAM_THREAD, produced[STREAM_THREAD]++, 1);
    sched_yield();
  }
  thread_detach();
  atomic_store(&common->is_over, 1);
  session_wake_writer(tool.session);
}

static void produce_until(const struct scenario *scenario, struct common *common, uint64_t end_ns) {
  timer_t timer = NULL;
  memset(produced, 0, sizeof produced);
  memset(refused, 0, sizeof refused);
  numbered_put(STREAM_THREAD, produced[STREAM_THREAD]++, 1);
  if (scenario->with_signals)
    timer = start_signals();
  produce(end_ns);
  if (scenario->with_signals)
    timer_delete(timer);
  signal(SIGRTMIN, SIG_IGN);
  finish(common);
}

/* -- one scenario -- */

static int complain(const struct scenario *scenario, const char *what, uint64_t a, uint64_t b) {
  fprintf(stderr,
          "reader in a %s, %s, ring of %" PRIu64 " KiB from %#" PRIx64 "%s: %s (%" PRIu64 ", %" PRIu64 ")\n",
          scenario->reader == IN_THREAD ? "thread" : "process",
          scenario->overflow == OVERFLOW_drop ? "drop" : "block", scenario->ring_bytes >> 10, scenario->start,
          scenario->with_signals ? ", with signals" : "", what, a, b);
  return 1;
}

static int check_result(const struct scenario *scenario, const struct common *common, uint64_t lost) {
  const struct numbered_check *check = &common->check;
  if (*check->problem)
    return complain(scenario, check->problem, 0, 0);
  int failures = 0;
  for (enum stream stream = STREAM_THREAD; stream < STREAMS; stream++)
    if (check->arrived[stream] + refused[stream] != produced[stream])
      failures +=
          complain(scenario, "arrived and refused are not what was produced", stream, check->arrived[stream]);
  if (lost != refused[STREAM_THREAD] + refused[STREAM_HANDLER])
    failures += complain(scenario, "lost events are miscounted", lost,
                         refused[STREAM_THREAD] + refused[STREAM_HANDLER]);
  if (check->lost != lost)
    failures += complain(scenario, "gap records do not add up", check->lost, lost);
  if (scenario->overflow == OVERFLOW_block && refused[STREAM_THREAD])
    failures += complain(scenario, "events were dropped", refused[STREAM_THREAD], 0);
  if (fake_tool_gave_up())
    failures += complain(scenario, "the tool gave up", 0, 0);
  if (scenario->with_signals && produced[STREAM_HANDLER] == 0)
    failures += complain(scenario, "no signal came", 0, 0);
  return failures;
}

static void report(const struct scenario *scenario, const struct common *common, uint64_t lost) {
  const struct numbered_check *check = &common->check;
  printf("%-7s %-5s %5" PRIu64 " KiB %s: %" PRIu64 " events, %" PRIu64 " of a handler, %" PRIu64
         " lost, %" PRIu64 " stalls, %" PRIu64 " sleeps\n",
         scenario->reader == IN_THREAD ? "thread" : "process",
         scenario->overflow == OVERFLOW_drop ? "drop" : "block", scenario->ring_bytes >> 10,
         scenario->with_signals ? "signals" : "quiet  ", check->arrived[STREAM_THREAD],
         check->arrived[STREAM_HANDLER], lost, check->stalls, common->sleeps);
}

static int read_in_process(int fd, struct common *common, uint64_t ring_bytes) {
  struct reader reader = {.common = common};
  if (session_map(fd, &reader.session) < 0)
    return 1;
  ring_view_init(&reader.view, session_slot(reader.session, 0),
                 session_ring(reader.session, reader.session->constants.slots_max, ring_bytes, 0),
                 ring_bytes / RECORD_BYTES);
  read_all(&reader);
  return 0;
}

static int run(const struct scenario *scenario, uint64_t ns) {
  int fd, status = 0;
  pthread_t thread;
  pid_t child = 0;
  struct common *common =
      mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  fake_tool_start(scenario->ring_bytes, scenario->overflow, &fd);
  fake_tool_start_ring_at(scenario->start);
  struct thread_slot *slot = session_slot(tool.session, 0);
  struct reader reader = {.session = tool.session, .common = common};
  ring_view_init(&reader.view, slot,
                 session_ring(tool.session, tool.session->constants.slots_max, scenario->ring_bytes, 0),
                 scenario->ring_bytes / RECORD_BYTES);
  if (scenario->reader == IN_PROCESS && (child = fork()) == 0)
    _exit(read_in_process(fd, common, scenario->ring_bytes));
  if (scenario->reader == IN_THREAD)
    pthread_create(&thread, NULL, read_in_thread, &reader);
  produce_until(scenario, common, clock_ns(CLOCK_MONOTONIC) + ns);
  if (scenario->reader == IN_PROCESS)
    waitpid(child, &status, 0);
  else
    pthread_join(thread, NULL);
  uint64_t lost = atomic_load(&slot->figures.lost);
  report(scenario, common, lost);
  int failures =
      check_result(scenario, common, lost) + (status ? complain(scenario, "the reader died", status, 0) : 0);
  fake_tool_stop();
  close(fd);
  munmap(common, sizeof *common);
  return failures;
}

int main(int argc, char **argv) {
  enum { COUNT = sizeof scenarios / sizeof *scenarios };
  double seconds = 4;
  if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
    seconds = atof(argv[2]);
  else if (argc != 1) {
    fprintf(stderr, "usage: stress_ring [--seconds N]\n");
    return 2;
  }
  setlinebuf(stdout); /* a reader in another process must not print it again */
  int failures = 0;
  for (size_t i = 0; i < COUNT; i++)
    failures += run(&scenarios[i], (uint64_t)(seconds * 1e9 / COUNT));
  return failures ? 1 : 0;
}
