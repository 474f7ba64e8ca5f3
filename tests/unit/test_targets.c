/* Target regions and operations on devices: on the thread, and on the device's streams. */
#include "correlated.h"

#include "unit.h"

static uint64_t target(uint64_t at, unsigned endpoint, uint64_t id) {
  static const uint64_t words[3] = {1};
  return feed(0,
              &(const struct record_target){.ticks = at,
                                            .type = RECORD_target,
                                            .endpoint = (uint8_t)endpoint,
                                            .target = id,
                                            .kind = OMPT_TARGET_region,
                                            .codeptr = AT_WORK},
              words, 3);
}

static uint64_t data_op(uint64_t at, unsigned endpoint, uint64_t host_op, uint32_t kind) {
  const uint64_t words[6] = {0x10, 0x20, 64, 0 | UINT64_C(1) << 32, host_op};
  return feed(0,
              &(const struct record_target_data_op){.ticks = at,
                                                    .type = RECORD_target_data_op,
                                                    .endpoint = (uint8_t)endpoint,
                                                    .kind = kind,
                                                    .codeptr = AT_WORK},
              words, 6);
}

static void begin_device(void) {
  begin_thread(0, 10, OMPT_THREAD_initial);
  FEED(0, 11, device_initialize, .device = 1);
}

static void a_transfer_is_on_a_stream(void **state) {
  (void)state;
  begin_device();
  uint64_t region = target(20, ENDPOINT_BEGIN, 0);
  uint64_t op = data_op(21, ENDPOINT_BEGIN, 0, OMPT_TARGET_DATA_transfer_to_device);
  data_op(25, ENDPOINT_END, op, OMPT_TARGET_DATA_transfer_to_device);
  target(26, ENDPOINT_END, region);
  finish();
  expect_events(0, "11 Enter device initialize {device_number=1}, 11 Leave device initialize, "
                   "20 Enter target {device_number=1}, "
                   "21 Enter target transfer to device {device_number=1 matching_id=5}, "
                   "25 Leave target transfer to device {source_address=16 destination_address=32}, "
                   "26 Leave target");
  expect_events(1, "21 RmaGet 0 64 5, 25 RmaOpCompleteBlocking 5 {source_address=16 destination_address=32}");
}

static void memory_is_a_metric(void **state) {
  (void)state;
  begin_device();
  uint64_t op = data_op(21, ENDPOINT_BEGIN, 0, OMPT_TARGET_DATA_alloc);
  data_op(22, ENDPOINT_END, op, OMPT_TARGET_DATA_alloc);
  finish();
  expect_events(1, "21 Enter target alloc {bytes=64 matching_id=3}, "
                   "22 Leave target alloc {source_address=16 destination_address=32}");
  expect_events(2, "22 Metric 0 1, 22 Enter device memory, 22 Leave device memory");
}

static void a_kernel_without_an_end(void **state) {
  (void)state;
  begin_device();
  uint64_t region = target(20, ENDPOINT_BEGIN, 0);
  FEED(0, 21, target_submit, .endpoint = ENDPOINT_BEGIN, .target = region, .requested = 4);
  target(30, ENDPOINT_END, region);
  finish();
  expect_events(0, "11 Enter device initialize {device_number=1}, 11 Leave device initialize, "
                   "20 Enter target {device_number=1}, "
                   "21 Enter target submit {device_number=1 matching_id=5}, 30 Leave target submit, "
                   "30 Leave target");
  expect_events(1, "21 Enter target kernel {requested_teams=4 matching_id=5}, 30 Leave target kernel");
}

static void unknown_values_have_their_number(void **state) {
  (void)state;
  begin_device();
  uint64_t op = data_op(21, ENDPOINT_BEGIN, 0, 99);
  data_op(22, ENDPOINT_END, op, 99);
  FEED(0, 23, target_submit, .endpoint = 76);
  FEED(0, 24, target, .endpoint = ENDPOINT_BEGIN, .kind = 98);
  finish();
  expect_events(0, "11 Enter device initialize {device_number=1}, 11 Leave device initialize, "
                   "21 Enter unknown {device_number=1 kind=99}, "
                   "22 Leave unknown {source_address=16 destination_address=32}, 23 Enter unknown {kind=76}, "
                   "23 Leave unknown, 24 Enter unknown {device_number=-1 kind=98}, 24 Leave unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      CORRELATED(a_transfer_is_on_a_stream),
      CORRELATED(memory_is_a_metric),
      CORRELATED(a_kernel_without_an_end),
      CORRELATED(unknown_values_have_their_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
