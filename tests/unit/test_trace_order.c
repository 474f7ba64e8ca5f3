/* Events of all locations merged by time: nothing is missing, each location keeps its order, the window
 * holds. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <otf2/otf2.h>

#include "unit.h"

#include "analysis/trace.h"

enum { LOCATIONS = 5, EVENTS = 2000 };

static struct trace *trace;

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* Every location: EVENTS parameters numbered from 0, at times that are often equal; the last location has
 * none. */
static void write_archive(const char *folder) {
  static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
  OTF2_Archive *archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  assert_non_null(archive);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0, EVENTS, OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteString(definitions, 0, "");
  for (uint64_t i = 0; i < LOCATIONS; i++) {
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 10 * i); /* references with gaps */
    uint64_t ticks = 0, random = i + 1, count = i + 1 < LOCATIONS ? EVENTS : 0;
    for (uint64_t j = 0; j < count; j++)
      OTF2_EvtWriter_ParameterUnsignedInt(writer, NULL, ticks += next_random(&random) % 3, 0, j);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 10 * i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, count,
                                       OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static int setup(void **state) {
  char *folder = strdup("/tmp/stave-test-order-XXXXXX"), anchor[64], error[TRACE_ERROR_BYTES];
  *state = folder;
  if (!folder || !mkdtemp(folder))
    return -1;
  write_archive(folder);
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
  return trace_open(anchor, NULL, &trace, error);
}

static int teardown(void **state) {
  char command[64];
  trace_close(trace);
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  free(*state);
  return system(command);
}

struct seen {
  uint64_t next[LOCATIONS], ticks, count, most;
};

static bool take(void *data, const struct trace_event *event) {
  struct seen *seen = data;
  assert_true(event->ticks >= seen->ticks);
  assert_int_equal(event->kind, TRACE_ParameterUnsignedInt);
  if (seen->next[event->location] == 0)
    seen->next[event->location] = event->ParameterUnsignedInt.value;
  assert_int_equal(event->ParameterUnsignedInt.value, seen->next[event->location]++);
  assert_int_equal(event->number, event->ParameterUnsignedInt.value + 1);
  seen->ticks = event->ticks;
  return ++seen->count != seen->most;
}

static void all_come_in_order_again_and_again(void **state) {
  char error[TRACE_ERROR_BYTES];
  (void)state;
  for (int i = 0; i < 3; i++) {
    struct seen seen = {.most = UINT64_MAX};
    assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, take, &seen, error), 0);
    assert_int_equal(seen.count, (LOCATIONS - 1) * EVENTS);
  }
}

static bool count_inside(void *data, const struct trace_event *event) {
  uint64_t *counts = data;
  counts[event->ticks >= 500 && event->ticks <= 600]++;
  return true;
}

static void a_window_has_what_is_in_it(void **state) {
  char error[TRACE_ERROR_BYTES];
  uint64_t all[2] = {0}, window[2] = {0};
  (void)state;
  assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, count_inside, all, error), 0);
  assert_int_equal(trace_read_in_order(trace, 500, 600, count_inside, window, error), 0);
  assert_true(all[1] > 0);
  assert_int_equal(window[1], all[1]);
  assert_int_equal(window[0], 0);
}

static void the_taker_can_stop(void **state) {
  char error[TRACE_ERROR_BYTES];
  struct seen seen = {.most = 17};
  (void)state;
  assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, take, &seen, error), 0);
  assert_int_equal(seen.count, 17);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_come_in_order_again_and_again),
      cmocka_unit_test(a_window_has_what_is_in_it),
      cmocka_unit_test(the_taker_can_stop),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
