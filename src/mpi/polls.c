#include "mpi/polls.h"

#include <time.h>

/* What waits is at most an eighth of its row, since its time is lost where another record of the thread's
 * comes next, after which it cannot be recorded. It is at most COUNT_MAX calls, as the time of calls that
 * share a record is in one piece at its end, whatever the program does between them. */
enum { SHARE = 8, COUNT_MAX = 256 };

/* A call that finds nothing may take 30 ns. */
static const uint64_t LOOP_NS = 200;

struct polls_clock polls_clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (struct polls_clock){.ticks = mpi.recorder->ticks(),
                              .ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec};
}

void polls_begin(const struct polls_clock *before) {
  struct polls_clock now = polls_clock_now();
  if (now.ns > before->ns)
    mpi.loop_ticks =
        (uint64_t)((double)(now.ticks - before->ticks) / (double)(now.ns - before->ns) * (double)LOOP_NS);
}

static bool has_other_records(const struct mpi_polls *polls) {
  return polls->position != mpi.recorder->position();
}

static void put(struct mpi_polls *polls) {
  const struct record_mpi_polls record = {.type = RECORD_mpi_polls,
                                          .polled_ticks = polls->ticks,
                                          .codeptr = (uint64_t)(uintptr_t)polls->code,
                                          .function_and_count = polls->function | polls->count << 16};
  mpi.recorder->put((const struct record *)&record, NULL, polls->end, polls->code);
  polls->row += polls->count;
  polls->count = 0;
  polls->position = mpi.recorder->position();
}

static void begin_record(struct mpi_polls *polls, const struct call *call) {
  polls->code = fortran_has(call->code) ? NULL : call->code;
  polls->function = call->function;
  polls->ticks = 0;
}

void polls_add(const struct call *call, uint64_t begin) {
  struct mpi_polls *polls = &mpi_thread.polls;
  if (!mpi_records(mpi_class(call->function)))
    return;
  if (has_other_records(polls)) {
    polls->late += polls->count;
    polls->row = polls->count = 0;
    polls->position = mpi.recorder->position();
  }
  bool is_in_loop = polls->row + polls->count > 0 && begin - polls->end <= mpi.loop_ticks;
  if (polls->count == 0)
    begin_record(polls, call);
  uint64_t now = mpi.recorder->ticks();
  polls->ticks += now - (is_in_loop ? polls->end : begin);
  polls->end = now;
  polls->count++;
  if (polls->count * SHARE >= polls->row || polls->count == COUNT_MAX)
    put(polls);
}

uint64_t polls_flush(void) {
  struct mpi_polls *polls = &mpi_thread.polls;
  uint64_t late = polls->late;
  if (polls->count > 0 && has_other_records(polls))
    late += polls->count;
  else if (polls->count > 0)
    put(polls);
  polls->late = polls->row = polls->count = 0;
  return late;
}
