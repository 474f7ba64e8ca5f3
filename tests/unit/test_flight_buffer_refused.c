/* Records that are kept where there is no memory for more: the machine's answer is the test's. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "session/records.h"
#include "writer/flight/flight_buffer.h"
#include "writer/pipeline/free_memory.h"

enum { ENTRY_BYTES = 8 + RECORD_BYTES, SEGMENT_RECORDS = (1 << 20) / ENTRY_BYTES };

static uint64_t is_free;
static unsigned requests;

uint64_t free_memory(void) {
  requests++;
  return is_free;
}

static void drop(void *data, uint32_t slot, uint64_t id, const struct record *record, const uint64_t *words) {
  (void)slot, (void)id, (void)record, (void)words;
  ++*(uint64_t *)data;
}

static void put(struct flight_buffer *kept, uint64_t n) {
  struct record record = {.type = RECORD_work};
  for (uint64_t i = 0; i < n; i++, record.ticks++)
    flight_buffer_put(kept, i, &record, NULL);
}

/* A request for memory is slow: once for each segment. */
static void memory_is_requested_once_a_segment(void **state) {
  enum { SEGMENTS = 8 };
  uint64_t dropped = 0;
  struct flight_buffer *kept = flight_buffer_create(1 << 30, drop, &dropped);
  (void)state;
  requests = 0;
  put(kept, SEGMENTS * (uint64_t)SEGMENT_RECORDS);
  assert_in_range(dropped, 1, SEGMENTS * SEGMENT_RECORDS);
  assert_in_range(requests, 1, 2 * SEGMENTS);
  flight_buffer_destroy(kept);
}

/* The process's own limit: what is kept leaves room for the writing of it. */
static int keep_within_limit(void) {
  enum { LEFT = 64 << 20 };
  uint64_t dropped = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%lu", &pages) != 1)
    return 101;
  fclose(file);
  struct rlimit limit = {pages * (uint64_t)sysconf(_SC_PAGESIZE) + LEFT, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
  is_free = UINT64_MAX / 2;
  struct flight_buffer *kept = flight_buffer_create(1 << 30, drop, &dropped);
  put(kept, LEFT / ENTRY_BYTES);
  void *rest = malloc(LEFT / 8 * 3);
  int result = !rest ? 102 : dropped == 0 || dropped > LEFT / 8 * 5 / ENTRY_BYTES ? 103 : 0;
  free(rest);
  flight_buffer_destroy(kept);
  return result;
}

static void half_of_a_limits_rest_is_left_to_the_writing(void **state) {
  int status;
  (void)state;
  pid_t child = fork();
  if (child == 0)
    _exit(keep_within_limit());
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_requested_once_a_segment),
      cmocka_unit_test(half_of_a_limits_rest_is_left_to_the_writing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
