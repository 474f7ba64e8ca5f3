/* Locations whose numbers are mapped by large tables: these are read again where those of all are too much.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "own_archive.h"

enum { LOCATIONS = 2 * TRACE_PART_LOCATIONS + 3, EVENTS = 3000, REGIONS = 500 };

/* In three parts; the others have no files. */
static const uint64_t with_events[] = {0, 1, TRACE_PART_LOCATIONS - 1, TRACE_PART_LOCATIONS, LOCATIONS - 1};
enum { WITH_EVENTS = sizeof with_events / sizeof *with_events };

static bool has_events(uint64_t location) {
  for (size_t i = 0; i < WITH_EVENTS; i++)
    if (with_events[i] == location)
      return true;
  return false;
}

/* The archive's number for the location's number of a region. */
static uint32_t mapped(uint64_t location, uint64_t number) {
  return (uint32_t)((number + location) % REGIONS);
}

static void write_location(OTF2_Archive *archive, uint64_t location) {
  uint32_t table[REGIONS];
  OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, location);
  for (uint64_t i = 0; i < EVENTS; i++)
    OTF2_EvtWriter_Enter(events, NULL, 10 * i + location % 7, (uint32_t)(i % REGIONS));
  OTF2_Archive_CloseEvtWriter(archive, events);
  for (uint32_t i = 0; i < REGIONS; i++)
    table[i] = mapped(location, i);
  OTF2_DefWriter *own = OTF2_Archive_GetDefWriter(archive, location);
  OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(REGIONS, table, false);
  OTF2_DefWriter_WriteMappingTable(own, OTF2_MAPPING_REGION, map);
  OTF2_IdMap_Free(map);
  OTF2_Archive_CloseDefWriter(archive, own);
}

static void write_definitions(OTF2_Archive *archive) {
  OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0, UINT64_C(10) * EVENTS,
                                            OTF2_UNDEFINED_TIMESTAMP);
  OTF2_GlobalDefWriter_WriteString(definitions, 0, "");
  for (uint32_t i = 0; i < REGIONS; i++)
    OTF2_GlobalDefWriter_WriteRegion(definitions, i, 0, 0, 0, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER,
                                     OTF2_REGION_FLAG_NONE, 0, 0, 0);
  for (uint64_t i = 0; i < LOCATIONS; i++)
    OTF2_GlobalDefWriter_WriteLocation(definitions, i, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                       has_events(i) ? EVENTS : 0, OTF2_UNDEFINED_LOCATION_GROUP);
}

static void write_archive(const char *folder) {
  OTF2_Archive *archive = own_archive_open(folder);
  OTF2_Archive_OpenDefFiles(archive);
  for (size_t i = 0; i < WITH_EVENTS; i++)
    write_location(archive, with_events[i]);
  write_definitions(archive);
  OTF2_Archive_CloseDefFiles(archive);
  OTF2_Archive_CloseEvtFiles(archive);
  OTF2_Archive_Close(archive);
}

static int setup(void **state) {
  return own_archive_make(state, write_archive);
}

struct seen {
  uint64_t next[LOCATIONS], count, most_parts;
};

static size_t open_parts(void) {
  size_t count = 0;
  for (size_t i = 0; i < trace->reader->part_count; i++)
    count += trace->reader->parts[i].otf2 != NULL;
  return count;
}

static bool collect(void *data, const struct trace_event *event) {
  struct seen *seen = data;
  uint64_t number = event->number - 1;
  assert_int_equal(number, seen->next[event->location]++);
  assert_int_equal(event->Enter.region, mapped(event->location, number % REGIONS));
  seen->count++;
  if (open_parts() > seen->most_parts)
    seen->most_parts = open_parts();
  return true;
}

static void read_all(size_t tables, size_t open, bool in_order, struct seen *ret) {
  const struct trace_window window = {0, UINT64_MAX, collect, ret};
  char error[TRACE_ERROR_BYTES];
  trace->reader->merge_bytes = 1; /* the least of each location at a time */
  trace->reader->merge_open_most = open;
  trace->reader->table_most = tables;
  int result =
      in_order ? trace_merge_in_order(trace, &window, error) : trace_read_events(trace, collect, ret, error);
  assert_int_equal(result, 0);
  assert_int_equal(ret->count, WITH_EVENTS * EVENTS);
}

static void tables_are_applied(void **state) {
  struct seen ordered = {.count = 0}, by_location = {.count = 0};
  (void)state;
  assert_int_equal(trace->reader->part_count, 3);
  read_all(SIZE_MAX, 256, true, &ordered);
  read_all(SIZE_MAX, 256, false, &by_location);
  assert_int_equal(open_parts(), 3);
}

/* The first part stays, and the one that is read. */
static void tables_are_read_again(void **state) {
  (void)state;
  for (size_t open = 0; open <= 4; open += 2) {
    struct seen ordered = {.count = 0}, by_location = {.count = 0};
    read_all(0, open, true, &ordered);
    assert_true(ordered.most_parts <= 2);
    read_all(0, open, false, &by_location);
    assert_true(by_location.most_parts <= 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_are_applied),
      cmocka_unit_test(tables_are_read_again),
  };
  return cmocka_run_group_tests(tests, setup, own_archive_remove);
}
