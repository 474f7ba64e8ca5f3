/* What CUPTI reports of devices: the calls on the thread, what was done on the device's own streams, with the
 * construct around the call that has started it. */
#include <string.h>

#include "correlated.h"

#include "unit.h"

enum { NS = 1000 }; /* of CLOCK_MONOTONIC at tick 0; a tick is ten of them */

static void clock_at(uint64_t ticks) {
  feed(0,
       &(const struct record_cuda_clock){.ticks = ticks, .type = RECORD_cuda_clock, .time = NS + 10 * ticks},
       &ticks, 1);
}

static void begin(void) {
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 10, cuda_begin, .version = 130001);
  clock_at(10);
}

static uint64_t target(uint64_t at, unsigned endpoint, uint64_t id) {
  static const uint64_t words[3] = {0};
  return feed(0,
              &(const struct record_target){.ticks = at,
                                            .type = RECORD_target,
                                            .endpoint = (uint8_t)endpoint,
                                            .target = id,
                                            .kind = OMPT_TARGET_region,
                                            .codeptr = AT_WORK},
              words, 3);
}

static void call(uint64_t at, unsigned endpoint, uint32_t correlation, const char *name) {
  uint64_t words[4] = {0};
  memcpy(words, name, strlen(name));
  feed(0,
       &(const struct record_cuda_call){.ticks = at,
                                        .type = RECORD_cuda_call,
                                        .endpoint = (uint8_t)endpoint,
                                        .correlation = correlation,
                                        .name_bytes = endpoint == ENDPOINT_BEGIN ? strlen(name) : 0},
       words, 4);
}

static void kernel(uint64_t from, uint64_t to, uint32_t stream, uint32_t correlation) {
  const uint64_t words[8] = {UINT64_C(1) << 32, stream | (uint64_t)correlation << 32, 0, 0, 0, 1, 'k'};
  feed(0,
       &(const struct record_cuda_kernel){
           .ticks = 90, .type = RECORD_cuda_kernel, .begin = NS + 10 * from, .end = NS + 10 * to},
       words, 8);
}

static void a_kernel_is_of_the_construct_around_its_launch(void **state) {
  (void)state;
  begin();
  uint64_t region = target(20, ENDPOINT_BEGIN, 0);
  call(21, ENDPOINT_BEGIN, 7, "cuLaunchKernel");
  call(22, ENDPOINT_END, 7, "");
  target(30, ENDPOINT_END, region);
  clock_at(80);
  kernel(25, 40, 13, 7);
  finish();
  expect_events(
      0, "20 Enter target {device_number=0}, 21 Enter cuLaunchKernel {matching_id=4611686018427387911}, "
         "22 Leave cuLaunchKernel, 30 Leave target");
  expect_events(1, "25 Enter target kernel {matching_id=4611686018427387911}, 40 Leave target kernel");
}

/* In the order of the streams, though the records come in none. */
static void streams_are_in_order(void **state) {
  (void)state;
  begin();
  clock_at(80);
  kernel(50, 60, 13, 3);
  kernel(30, 40, 14, 2);
  kernel(20, 30, 13, 1);
  FEED(0, 85, cuda_buffer, .bytes = 100);
  finish();
  expect_events(1, "20 Enter k {matching_id=4611686018427387905}, 30 Leave k, "
                   "50 Enter k {matching_id=4611686018427387907}, 60 Leave k");
  expect_events(2, "30 Enter k {matching_id=4611686018427387906}, 40 Leave k");
}

/* The host's callbacks report what it submits, too: that is one kernel. */
static void nothing_counts_twice(void **state) {
  (void)state;
  static const uint64_t type[4] = {UINT64_C(0x30395f6d73)}; /* sm_90 */
  begin();
  feed(0,
       &(const struct record_device_initialize){
           .ticks = 11, .type = RECORD_device_initialize, .type_bytes = 5},
       type, 4);
  uint64_t region = target(20, ENDPOINT_BEGIN, 0);
  uint64_t op = FEED(0, 21, target_submit, .endpoint = ENDPOINT_BEGIN, .target = region, .requested = 4);
  FEED(0, 23, target_submit, .endpoint = ENDPOINT_END, .target = region, .host_op = op);
  target(30, ENDPOINT_END, region);
  clock_at(80);
  kernel(25, 40, 13, 7);
  finish();
  expect_events(1, "25 Enter k {matching_id=4611686018427387911}, 40 Leave k");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_kernel_is_of_the_construct_around_its_launch),
      CORRELATED(streams_are_in_order),
      CORRELATED(nothing_counts_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
