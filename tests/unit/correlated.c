#include "correlated.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "unit.h"

#include "../support/played.h"
#include "base/otf2_events.h"
#include "writer/archive/archive.h"
#include "writer/definitions/definitions_write.h"

enum { LOCATIONS_MOST = 16, EVENTS_MOST = 512, TEXT_BYTES = 160, ATTRIBUTES_MOST = 4 };

struct shown_attribute {
  enum attribute attribute;
  OTF2_Type type;
  uint64_t value;
};

/* An event as it was written: its region is named at the end. */
struct written_event {
  uint64_t ticks;
  const char *kind;
  uint32_t region; /* REGION_NONE: it has none */
  char fields[TEXT_BYTES];
  struct shown_attribute attributes[ATTRIBUTES_MOST];
  unsigned attribute_count;
};

struct written_location {
  struct written_event events[EVENTS_MOST];
  size_t count;
  _Atomic uint64_t complete_events;
  bool is_open;
};

static struct {
  struct written_location locations[LOCATIONS_MOST];
  struct played writer;
  uint64_t positions[LOCATIONS_MOST]; /* by slot: of the next record */
  struct session_name states[SESSION_NAMES];
  bool has_finished;
} run;

/* -- in place of the archive -- */

struct event_writer *archive_open_location(struct archive *archive, uint32_t location) {
  (void)archive;
  assert_true(location < LOCATIONS_MOST);
  run.locations[location].is_open = true;
  return (struct event_writer *)&run.locations[location];
}

_Atomic uint64_t *archive_complete_events(struct archive *archive, uint32_t location) {
  (void)archive;
  return &run.locations[location].complete_events;
}

uint64_t archive_close_location(struct archive *archive, struct event_writer *writer) {
  struct written_location *location = (struct written_location *)writer;
  (void)archive;
  assert_true(location->is_open);
  location->is_open = false;
  return location->count;
}

static void keep_attributes(struct written_event *event, const struct event_attributes *list) {
  event->attribute_count = list ? list->count : 0;
  assert_true(event->attribute_count <= ATTRIBUTES_MOST);
  for (uint32_t i = 0; i < event->attribute_count; i++)
    event->attributes[i] =
        (struct shown_attribute){.attribute = run.writer.definitions->attributes[list->items[i].attribute],
                                 .type = list->items[i].type,
                                 .value = list->items[i].value};
}

static bool keep(struct event_writer *writer, struct written_event *event,
                 const struct event_attributes *list) {
  struct written_location *location = (struct written_location *)writer;
  assert_true(location->is_open && location->count < EVENTS_MOST);
  assert_true(!location->count || location->events[location->count - 1].ticks <= event->ticks);
  keep_attributes(event, list);
  location->events[location->count++] = *event;
  return true;
}

/* Of numbers only, and not of those that are the same in all events. */
static void add_field(struct written_event *event, const char *meaning, uint64_t value) {
  size_t length = strlen(event->fields);
  if (strcmp(meaning, "region") == 0)
    event->region = (uint32_t)value;
  else if (strcmp(meaning, "paradigm") != 0 && strcmp(meaning, "array") != 0 &&
           strcmp(meaning, "rma_win") != 0 && strcmp(meaning, "interrupt_generator") != 0)
    snprintf(event->fields + length, sizeof event->fields - length, " %" PRIu64, value);
}

#define PARAMETER(type, name, meaning) , type name
#define FIELD(type, name, meaning) add_field(&event, #meaning, (uint64_t)(uintptr_t)name);
#define KIND(k)                                                                                              \
  bool event_writer_##k(struct event_writer *writer, const struct event_attributes *list,                    \
                        uint64_t ticks TRACE_FIELDS_##k(PARAMETER)) {                                        \
    struct written_event event = {.ticks = ticks, .kind = #k, .region = REGION_NONE};                        \
    TRACE_FIELDS_##k(FIELD) return keep(writer, &event, list);                                               \
  }
TRACE_KINDS(KIND)
#undef KIND
#undef FIELD
#undef PARAMETER
#include "../support/layouts.h"

void write_one_by_one(bool is_so) {
  layouts_refuse = is_so;
}

/* -- the run -- */

int correlated_setup(void **state) {
  (void)state;
  memset(&run, 0, sizeof run);
  played_open(&run.writer, "/bin/unit", run.states);
  return 0;
}

int correlated_teardown(void **state) {
  (void)state;
  if (!run.has_finished)
    finish();
  played_close(&run.writer);
  return 0;
}

struct correlator *correlated(void) {
  return &run.writer.correlator;
}

uint64_t feed(uint32_t slot, const void *record, const uint64_t *words, unsigned count) {
  struct record copy;
  uint64_t padded[4 * RECORD_SLOTS_MAX] = {0}, id = id_base(slot) + run.positions[slot];
  memcpy(&copy, record, sizeof copy);
  copy.more = (uint8_t)((count + 3) / 4);
  if (count)
    memcpy(padded, words, count * sizeof *words);
  run.positions[slot] += 1u + copy.more;
  correlate(&run.writer.correlator, slot, id, &copy, padded);
  return id;
}

void begin_thread(uint32_t slot, uint64_t at, uint32_t thread_type) {
  FEED(slot, at, attach, .kernel_tid = 100 + slot);
  FEED(slot, at, thread_begin, .thread_type = thread_type);
}

uint64_t fork_team(uint32_t slot, uint64_t at) {
  return FEED(slot, at, parallel_begin, .requested = 2, .codeptr = AT_PARALLEL,
              .parallel_flags = OMPT_PARALLEL_team);
}

void begin_member(uint32_t slot, uint64_t at, uint64_t parallel, uint32_t size, uint32_t index) {
  FEED(slot, at, implicit_task_begin, .parallel = parallel, .actual_and_index = size | (uint64_t)index << 32,
       .task_flags = OMPT_TASK_implicit);
}

void begin_barrier(uint32_t slot, uint64_t at) {
  FEED(slot, at, sync_region, .endpoint = ENDPOINT_BEGIN, .kind = OMPT_SYNC_REGION_barrier_implicit_parallel);
}

void end_barrier(uint32_t slot, uint64_t at) {
  FEED(slot, at, sync_region, .endpoint = ENDPOINT_END, .kind = OMPT_SYNC_REGION_barrier_implicit_parallel);
}

void end_member(uint32_t slot, uint64_t at, uint32_t index) {
  FEED(slot, at, implicit_task_end, .endpoint = ENDPOINT_END, .index = index,
       .task_flags = OMPT_TASK_implicit);
}

void join_team(uint32_t slot, uint64_t at) {
  FEED(slot, at, parallel_end, .codeptr = AT_PARALLEL);
}

void finish(void) {
  played_finish(&run.writer);
  run.has_finished = true;
}

/* -- what was written -- */

/* Without what all have, "!$omp " and " @0x1000"; the caller's to free. */
static char *region_name(uint32_t number) {
  static const char prefix[] = "!$omp ";
  size_t count;
  const struct region *all = regions_all(run.writer.regions, &count);
  assert_true(number < count && all[number].name);
  const char *name = all[number].name,
             *begin = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
  char *copy = strdup(begin), *place = strstr(copy, " @");
  if (place)
    *place = '\0';
  return copy;
}

static void print_attributes(FILE *file, const struct written_event *event) {
  static const char *const names[ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(id, name, type, description) [ATTRIBUTE_##id] = #id,
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  };
  for (unsigned i = 0; i < event->attribute_count; i++) {
    const struct shown_attribute *shown = &event->attributes[i];
    fprintf(file, "%s%s=", i ? " " : " {", names[shown->attribute]);
    if (shown->type == OTF2_TYPE_STRING)
      fputs(run.writer.definitions->strings[shown->value], file);
    else
      fprintf(file, "%" PRId64, (int64_t)shown->value);
  }
  fputs(event->attribute_count ? "}" : "", file);
}

static void print_event(FILE *file, const struct written_event *event) {
  char *region = event->region == REGION_NONE ? NULL : region_name(event->region);
  fprintf(file, "%" PRIu64 " %s%s%s%s", event->ticks, event->kind, region ? " " : "", region ? region : "",
          event->fields);
  print_attributes(file, event);
  free(region);
}

static bool is_of_program(const struct written_event *event) {
  size_t count;
  const struct region *all = regions_all(run.writer.regions, &count);
  return strncmp(event->kind, "Program", strlen("Program")) == 0 ||
         (event->region != REGION_NONE && all[event->region].construct == CONSTRUCT_program);
}

static char *written(uint32_t number, bool with_program) {
  char *text;
  size_t bytes;
  assert_true(run.has_finished && number < LOCATIONS_MOST);
  const struct written_location *location = &run.locations[number];
  FILE *file = open_memstream(&text, &bytes);
  for (size_t i = 0, shown = 0; i < location->count; i++) {
    if (!with_program && is_of_program(&location->events[i]))
      continue;
    fputs(shown++ ? ", " : "", file);
    print_event(file, &location->events[i]);
  }
  fclose(file);
  return text;
}

static void expect_written(uint32_t number, bool with_program, const char *expected) {
  char *text = written(number, with_program);
  assert_string_equal(text, expected);
  free(text);
}

char *written_events(uint32_t location) {
  return written(location, true);
}

void expect_events(uint32_t location, const char *expected) {
  expect_written(location, false, expected);
}

void expect_all_events(uint32_t location, const char *expected) {
  expect_written(location, true, expected);
}
