/* Signal handlers that record in the middle of a callback: not by chance, but after each single instruction.
 *
 * The processor's trap flag makes it raise SIGTRAP after every instruction of an event that the thread
 * records. The handler records an event itself where the case at hand needs one, and it is the reader too:
 * after each instruction whatever the ring shows must be complete and in order. */
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "unit.h"

#include "fake_tool.h"
#include "numbered.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__x86_64__) && !defined(SANITIZED)

enum { TRAP_FLAG = 0x100 };

/* Which instructions of an event the handler records after: of `period`, those of which the bit is set. */
struct pattern {
  unsigned first;  /* nothing happens before, nor is anything read */
  unsigned bits;   /* bit i: record after instruction first + i */
  unsigned length; /* instructions to which the bits apply, again and again; nothing is traced afterwards */
};

static struct ring_view view;
static struct numbered_check check;
static uint64_t next_number[STREAMS];
static uint64_t dropped_from_handler;
static struct pattern pattern;
static volatile unsigned instruction;
static bool with_reader;     /* the handler reads too: all there is, after each instruction */
static unsigned reader_pace; /* but only one slot after each so many, if this is not 0 */
static bool with_samples;    /* the handler records as the sampling one does */
static enum clock_kind kind;

static bool needs_event(unsigned i) {
  unsigned width = pattern.length < 32 ? pattern.length : 32;
  return i >= pattern.first && i - pattern.first < pattern.length &&
         (pattern.bits >> (i - pattern.first) % width & 1);
}

static void after_instruction(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  if (pattern.length && instruction >= pattern.first + pattern.length)
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG; /* the rest is of no interest */
  if (needs_event(instruction++)) {
    uint64_t number = next_number[STREAM_HANDLER]++;
    dropped_from_handler += with_samples ? !numbered_put_sample(STREAM_HANDLER, number, 3)
                                         : !numbered_put(STREAM_HANDLER, number, 1);
  }
  if (with_reader && instruction > pattern.first &&
      (!reader_pace || (instruction - pattern.first) % reader_pace == 1))
    numbered_read(&check, &view, reader_pace ? 1 : UINT64_MAX);
}

/* Below the red zone, in which the compiler may keep values. */
static inline void set_trap_flag(void) {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
          : "cc", "memory");
}

static inline void clear_trap_flag(void) {
  __asm__ volatile(
      "lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq $-257, (%%rsp)\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::
          : "cc", "memory");
}

static bool put(uint64_t n) {
  return numbered_put(STREAM_THREAD, next_number[STREAM_THREAD]++, n);
}

/* One event under the pattern; returns the number of its instructions. */
static unsigned put_traced(uint64_t n) {
  instruction = 0;
  set_trap_flag();
  put(n);
  clear_trap_flag();
  return instruction;
}

static void start(uint64_t ring_bytes, enum overflow_policy overflow, uint64_t position) {
  int fd;
  fake_tool_start(ring_bytes, overflow, &fd);
  close(fd);
  tool.clock = kind;
  fake_tool_start_ring_at(position);
  ring_view_init(&view, session_slot(tool.session, 0),
                 session_ring(tool.session, tool.session->constants.slots_max, ring_bytes, 0),
                 ring_bytes / RECORD_BYTES);
  memset(&check, 0, sizeof check);
  next_number[STREAM_THREAD] = next_number[STREAM_HANDLER] = dropped_from_handler = 0;
  pattern = (struct pattern){0};
  with_reader = true;
  reader_pace = 0;
}

static void expect_complete(void) {
  numbered_read(&check, &view, UINT64_MAX);
  assert_string_equal(check.problem, "");
}

/* Ends a case: everything that was not dropped has arrived, and the ring still works. */
static void stop(void) {
  uint64_t lost = atomic_load(&view.slot->figures.lost);
  expect_complete();
  for (int i = 0; i < 30; i++) {
    assert_true(put(RECORD_SLOTS_MAX));
    expect_complete();
  }
  assert_int_equal(atomic_load(&view.slot->figures.lost), lost);
  assert_int_equal(view.next, atomic_load(&view.slot->head));
  for (enum stream stream = STREAM_THREAD; stream < STREAMS; stream++)
    assert_int_equal(check.arrived[stream] + check.missing[stream], check.next[stream]);
  assert_int_equal(check.next[STREAM_THREAD], next_number[STREAM_THREAD]);
  uint64_t left_out = atomic_load(&view.slot->figures.samples_left_out);
  /* samples apart: they are no lost events */
  assert_int_equal(left_out, with_samples ? dropped_from_handler : 0);
  assert_int_equal(check.arrived[STREAM_THREAD] + check.arrived[STREAM_HANDLER] + lost + left_out,
                   next_number[STREAM_THREAD] + next_number[STREAM_HANDLER]);
  thread_detach();
  fake_tool_stop();
}

/* Gets the ring to where the next event is special, untraced. */
typedef void (*preparation)(void);

/* Runs the case under one pattern; returns the event's instructions. */
static unsigned run_case(preparation prepare, enum overflow_policy overflow, uint64_t n,
                         struct pattern expected) {
  /* a ring that may grow is not full immediately */
  start(overflow == OVERFLOW_drop ? 64 << 10 : 512 << 10, overflow, 0);
  assert_true(put(1));
  prepare();
  pattern = expected;
  unsigned instructions = put_traced(n);
  stop();
  return instructions;
}

/* Every single instruction, and pairs of neighbours and of near ones; then handlers one after another, for as
 * long as the event lasts by itself. */
static void run_everywhere(preparation prepare, enum overflow_policy overflow, uint64_t n) {
  static const unsigned shapes[] = {0x1, 0x3, 0x5, 0x9};
  unsigned instructions = run_case(prepare, overflow, n, (struct pattern){0});
  assert_true(instructions > 10);
  for (size_t i = 0; i < COUNT(shapes); i++)
    for (unsigned first = 0; first < instructions; first++)
      run_case(prepare, overflow, n, (struct pattern){first, shapes[i], 4});
  run_case(prepare, overflow, n, (struct pattern){0, UINT32_MAX, instructions});
  run_case(prepare, overflow, n, (struct pattern){0, 0x55555555, instructions});
  run_case(prepare, overflow, n, (struct pattern){0, 0x11111111, instructions});
}

static void nothing_special(void) {
  expect_complete();
}

static void put_until(uint64_t head) {
  while (atomic_load(&view.slot->head) < head)
    assert_true(put(1));
}

/* The next event goes beyond a quarter mark; the ring is as good as empty. */
static void at_a_quarter_mark(void) {
  put_until(2048);
  expect_complete();
}

/* The next event makes the ring larger, with most of it unread. */
static void at_growth(void) {
  put_until(100);
  expect_complete();
  put_until(8192);
  with_reader = false;
}

/* The ring has no room, and nobody reads before the event is over: it is dropped. */
static void at_a_full_ring(void) {
  pattern = (struct pattern){0};
  while (put(1))
    ;
  with_reader = false;
}

/* The same, but from some instruction on there is a slow reader: there is room for the event, and then, or
 * not, for what the tool has to add. */
static void at_a_full_ring_that_is_drained(void) {
  at_a_full_ring();
  with_reader = true;
  reader_pace = 16;
}

static void handlers_record_in_the_fast_path(void **state) {
  (void)state;
  run_everywhere(nothing_special, OVERFLOW_block, 1);
  run_everywhere(nothing_special, OVERFLOW_block, 3);
}

static void handlers_record_at_quarter_marks(void **state) {
  (void)state;
  run_everywhere(at_a_quarter_mark, OVERFLOW_block, 1);
}

static void handlers_record_while_the_ring_grows(void **state) {
  (void)state;
  run_everywhere(at_growth, OVERFLOW_block, 2);
}

static void handlers_record_while_events_are_dropped(void **state) {
  (void)state;
  run_everywhere(at_a_full_ring, OVERFLOW_drop, 1);
  unsigned instructions = run_case(at_a_full_ring, OVERFLOW_drop, 1, (struct pattern){0});
  for (unsigned first = 0; first < instructions; first++)
    run_case(at_a_full_ring_that_is_drained, OVERFLOW_drop, 1, (struct pattern){first, 0, 100});
}

/* Where the counter is not the session's clock every event goes the slow way, after the fast one has
 * failed. */
static void handlers_record_with_another_clock(void **state) {
  (void)state;
  kind = CLOCK_KIND_MONOTONIC;
  run_everywhere(nothing_special, OVERFLOW_block, 1);
}

/* Samples never wait, and never replace an event. */
static void handlers_record_samples(void **state) {
  (void)state;
  with_samples = true;
  run_everywhere(nothing_special, OVERFLOW_block, 1);
  run_everywhere(at_a_quarter_mark, OVERFLOW_block, 1);
  run_everywhere(at_growth, OVERFLOW_block, 2);
  run_everywhere(at_a_full_ring, OVERFLOW_drop, 1);
  with_samples = false;
}

static int choose_clock(void **state) {
  (void)state;
  kind = clock_choose();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(handlers_record_in_the_fast_path),
      cmocka_unit_test(handlers_record_at_quarter_marks),
      cmocka_unit_test(handlers_record_while_the_ring_grows),
      cmocka_unit_test(handlers_record_while_events_are_dropped),
      cmocka_unit_test(handlers_record_samples),
      cmocka_unit_test(handlers_record_with_another_clock),
  };
  sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = after_instruction, .sa_flags = SA_SIGINFO}, NULL);
  return cmocka_run_group_tests(tests, choose_clock, NULL);
}

#else

int main(void) {
  return 77; /* no trap flag here, or each instruction of a sanitizer's would be stepped through too */
}

#endif
