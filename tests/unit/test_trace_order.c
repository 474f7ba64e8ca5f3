/* Events of all locations merged by time: nothing is missing, each location keeps its order, the window
 * holds; and the merging for very many locations gives the same as OTF2's. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "own_archive.h"

#include "base/limits.h"

enum { LOCATIONS = 5, EVENTS = 40000 }; /* several chunks of 256 KiB */

/* Now and then with attributes, or of a kind that has arrays. */
static void write_event(OTF2_EvtWriter *writer, uint64_t ticks, uint64_t number) {
  OTF2_AttributeList *list = number % 7 == 0 ? OTF2_AttributeList_New() : NULL;
  const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
  const OTF2_MetricValue values[] = {{.unsigned_int = number}, {.floating_point = (double)number / 2}};
  const OTF2_StringRef arguments[] = {0, (uint32_t)number, 7};
  if (list) {
    OTF2_AttributeList_AddUint64(list, 3, number * number);
    OTF2_AttributeList_AddInt8(list, 1, -5);
    OTF2_AttributeList_AddDouble(list, 2, (double)number);
  }
  if (number % 5 == 1)
    OTF2_EvtWriter_Metric(writer, list, ticks, 1, 2, types, values);
  else if (number % 11 == 3)
    OTF2_EvtWriter_ProgramBegin(writer, list, ticks, 0, 3, arguments);
  else
    OTF2_EvtWriter_ParameterUnsignedInt(writer, list, ticks, 0, number);
  if (list)
    OTF2_AttributeList_Delete(list);
}

/* Every location: EVENTS events numbered from 0, at times that are often equal; the last location has
 * none. */
static void write_archive(const char *folder) {
  OTF2_Archive *archive = own_archive_open(folder);
  OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0, EVENTS, OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteString(definitions, 0, "");
  for (uint64_t i = 0; i < LOCATIONS; i++) {
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, 10 * i); /* references with gaps */
    uint64_t ticks = 0, random = i + 1, count = i + 1 < LOCATIONS ? EVENTS : 0;
    for (uint64_t j = 0; j < count; j++)
      write_event(writer, ticks += next_random(&random) % 3, j);
    OTF2_GlobalDefWriter_WriteLocation(definitions, 10 * i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, count,
                                       OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_Archive_CloseEvtWriter(archive, writer);
  }
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static int setup(void **state) {
  return own_archive_make(state, write_archive);
}

struct seen {
  uint64_t next[LOCATIONS], ticks, count, most;
};

static bool collect(void *data, const struct trace_event *event) {
  struct seen *seen = data;
  assert_true(event->ticks >= seen->ticks);
  assert_int_equal(event->number, ++seen->next[event->location]);
  if (event->kind == TRACE_ParameterUnsignedInt)
    assert_int_equal(event->number, event->ParameterUnsignedInt.value + 1);
  seen->ticks = event->ticks;
  return ++seen->count != seen->most;
}

static void all_come_in_order_again_and_again(void **state) {
  char error[TRACE_ERROR_BYTES];
  (void)state;
  for (int i = 0; i < 3; i++) {
    struct seen seen = {.most = UINT64_MAX};
    assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, collect, &seen, error), 0);
    assert_int_equal(seen.count, (LOCATIONS - 1) * EVENTS);
  }
}

static bool count_inside(void *data, const struct trace_event *event) {
  uint64_t *counts = data;
  counts[event->ticks >= 500 && event->ticks <= 600]++;
  return true;
}

static void a_window_has_its_events(void **state) {
  char error[TRACE_ERROR_BYTES];
  uint64_t all[2] = {0}, window[2] = {0};
  (void)state;
  assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, count_inside, all, error), 0);
  assert_int_equal(trace_read_in_order(trace, 500, 600, count_inside, window, error), 0);
  assert_true(all[1] > 0);
  assert_int_equal(window[1], all[1]);
  assert_int_equal(window[0], 0);
}

static void the_reader_can_stop(void **state) {
  char error[TRACE_ERROR_BYTES];
  struct seen seen = {.most = 17};
  (void)state;
  assert_int_equal(trace_read_in_order(trace, 0, UINT64_MAX, collect, &seen, error), 0);
  assert_int_equal(seen.count, 17);
}

/* -- the merging for many -- */

struct digest {
  uint64_t value, count;
};

static void digest_number(struct digest *digest, uint64_t number) {
  digest->value = (digest->value ^ number) * 0x100000001b3;
}

/* A real number may be NaN, or none of an integer's. */
static void digest_value(struct digest *digest, const struct trace_event_attribute *value) {
  uint64_t bits;
  memcpy(&bits, &value->real, sizeof bits);
  digest_number(digest, value->type);
  digest_number(digest, value->number);
  digest_number(digest, bits);
}

static bool digest_event(void *data, const struct trace_event *event) {
  struct digest *digest = data;
  size_t fields;
  const struct trace_field *field = trace_kind_fields(event->kind, &fields);
  digest->count++;
  digest_number(digest, event->kind);
  digest_number(digest, event->location);
  digest_number(digest, event->ticks);
  digest_number(digest, event->number);
  for (size_t i = 0; i < fields; i++)
    digest_number(digest, trace_field_value(event, &field[i]));
  for (uint32_t i = 0; event->kind == TRACE_Metric && i < event->Metric.count; i++) {
    struct trace_event_attribute value = trace_metric_value(event, i);
    digest_value(digest, &value);
  }
  for (uint32_t i = 0; event->kind == TRACE_ProgramBegin && i < event->ProgramBegin.count; i++)
    digest_number(digest, event->ProgramBegin.arguments[i]);
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute value = trace_event_attribute(event, i);
    digest_number(digest, value.attribute);
    digest_value(digest, &value);
  }
  return true;
}

static void many_are_merged_as_few(void **state) {
  static const struct {
    uint64_t from, to;
    size_t bytes, open;
  } cases[] = {
      {0, UINT64_MAX, 1 << 28, 256}, {0, UINT64_MAX, 1, 0}, {0, UINT64_MAX, 1 << 17, 2}, {500, 600, 1, 1}};
  char error[TRACE_ERROR_BYTES];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct digest few = {0}, many = {0};
    const struct trace_window window = {cases[i].from, cases[i].to, digest_event, &many};
    trace->reader->merge_bytes = cases[i].bytes;
    trace->reader->merge_open_most = cases[i].open;
    assert_int_equal(trace_read_in_order(trace, cases[i].from, cases[i].to, digest_event, &few, error), 0);
    assert_int_equal(trace_merge_in_order(trace, &window, error), 0);
    assert_true(few.count > 0);
    assert_int_equal(many.count, few.count);
    assert_true(many.value == few.value);
  }
}

static void the_reader_can_stop_the_merging_of_many(void **state) {
  char error[TRACE_ERROR_BYTES];
  struct seen seen = {.most = 17};
  const struct trace_window window = {0, UINT64_MAX, collect, &seen};
  (void)state;
  assert_int_equal(trace_merge_in_order(trace, &window, error), 0);
  assert_int_equal(seen.count, 17);
}

/* -- helper threads -- */

static struct trace *open_for(const char *folder, unsigned jobs) {
  struct trace *ret = NULL;
  char anchor[64], error[TRACE_ERROR_BYTES];
  snprintf(anchor, sizeof anchor, "%s/traces.otf2", folder);
  assert_int_equal(trace_open_parallel(anchor, jobs, NULL, &ret, error), 0);
  return ret;
}

static void helpers_give_the_same(void **state) {
  static const uint64_t ends[] = {UINT64_MAX, EVENTS / 2, 600, 0};
  static const size_t helpers[] = {0, 0, 1, 2, 3, 3};
  char error[TRACE_ERROR_BYTES];
  for (unsigned jobs = 1; jobs < sizeof helpers / sizeof *helpers; jobs++) {
    struct trace *parallel = open_for(*state, jobs);
    assert_int_equal(parallel->reader->helper_count, helpers[jobs]);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
      struct digest one = {0}, several = {0};
      uint64_t from = i == 2 ? 500 : 0;
      assert_int_equal(trace_read_in_order(trace, from, ends[i], digest_event, &one, error), 0);
      assert_int_equal(trace_read_in_order(parallel, from, ends[i], digest_event, &several, error), 0);
      assert_true(one.count > 0);
      assert_int_equal(several.count, one.count);
      assert_true(several.value == one.value);
    }
    trace_close(parallel);
  }
}

/* With all batches full, too, and at an event in the middle of one. */
static void the_reader_can_stop_helpers(void **state) {
  char error[TRACE_ERROR_BYTES];
  struct trace *parallel = open_for(*state, 3);
  for (uint64_t most = 1; most < EVENTS; most *= 7) {
    struct seen seen = {.most = most};
    assert_int_equal(trace_read_in_order(parallel, 0, UINT64_MAX, collect, &seen, error), 0);
    assert_int_equal(seen.count, most);
  }
  trace_close(parallel);
}

/* An archive of so few events. */
static void a_small_archive_has_no_helpers(void **state) {
  struct trace *small = open_for(*state, 0);
  assert_int_equal(small->reader->helper_count, 0);
  small->locations[0].event_count = UINT32_MAX;
  size_t others = limits_processors() - 1;
  assert_int_equal(trace_helpers(small, 0), others < TRACE_HELPERS_MAX ? others : TRACE_HELPERS_MAX);
  trace_close(small);
}

static void one_processor_has_no_helpers(void **state) {
  struct trace *large = open_for(*state, 0);
  cpu_set_t all, one;
  int first = 0;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(first, &all))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  large->locations[0].event_count = UINT32_MAX;
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(limits_processors(), 1);
  assert_int_equal(trace_helpers(large, 0), 0);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
  trace_close(large);
}

static void cut(const char *folder, unsigned location, double share) {
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "%s/traces/%u.evt", folder, location);
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(truncate(path, (off_t)(share * (double)status.st_size)), 0);
}

/* OTF2's finding after the end of what is left varies; that it is an error does not. */
static void broken_files_are_an_error_for_all(void **state) {
  char command[160], copy[64], error[TRACE_ERROR_BYTES];
  snprintf(copy, sizeof copy, "%s-cut", (char *)*state);
  snprintf(command, sizeof command, "cp -r %s %s", (char *)*state, copy);
  assert_int_equal(system(command), 0);
  cut(copy, 20, 0.7);
  cut(copy, 10, 0.4);
  for (unsigned jobs = 1; jobs < 5; jobs++) {
    struct digest seen = {0};
    struct trace *broken = open_for(copy, jobs);
    assert_int_equal(trace_read_in_order(broken, 0, UINT64_MAX, digest_event, &seen, error), -EIO);
    assert_true(seen.count > EVENTS);
    trace_close(broken);
  }
  snprintf(command, sizeof command, "rm -r %s", copy);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_come_in_order_again_and_again),
      cmocka_unit_test(a_window_has_its_events),
      cmocka_unit_test(the_reader_can_stop),
      cmocka_unit_test(many_are_merged_as_few),
      cmocka_unit_test(the_reader_can_stop_the_merging_of_many),
      cmocka_unit_test(helpers_give_the_same),
      cmocka_unit_test(the_reader_can_stop_helpers),
      cmocka_unit_test(a_small_archive_has_no_helpers),
      cmocka_unit_test(one_processor_has_no_helpers),
      cmocka_unit_test(broken_files_are_an_error_for_all),
  };
  return cmocka_run_group_tests(tests, setup, own_archive_remove);
}
