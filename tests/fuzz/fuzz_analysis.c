/* Whatever an archive holds that OTF2's reader can read, the commands that look at archives must neither
 * crash nor hang nor use memory without bounds.
 *
 * Checker, report, exports and timeline run as they are, on a trace that is made of the input in place of the
 * one that trace.c and trace_order.c would read. What they write goes to /dev/null. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "analysis_input.h"
#include "check/check.h"
#include "cli/check/check_print.h"
#include "cli/report/report_print.h"
#include "export/export.h"
#include "timeline/page/page.h"
#include "timeline/picture/picture.h"
#include "trace/constructs.h"
#include "trace/trace.h"
#include "trace/trace_ranks.h"

enum { NAME_BYTES = 64, ARRAY_ITEMS = 256 };

struct input {
  const uint8_t *bytes;
  size_t left;
};

/* The definitions of this input, and where its events begin. */
static struct {
  struct trace trace;
  struct trace_location locations[INPUT_LOCATIONS];
  struct trace_region regions[INPUT_REGIONS];
  struct trace_comm comms[INPUT_COMMS];
  struct trace_group groups[INPUT_COMMS + 1];
  uint64_t members[INPUT_COMMS + 1][INPUT_LOCATIONS];
  char names[INPUT_REGIONS][NAME_BYTES];
  struct input events;
} made;

static struct trace_string strings[] = {
    {0, "text"}, {1, "\033[31m\xff\xfe<script>\"',;\n"}, {2, ""}, {3, "wait barrier"}};
static struct trace_location_group groups[] = {
    {0, "Process", 1, TRACE_NO_REF, OTF2_LOCATION_GROUP_TYPE_PROCESS},
    {1, "Device", 2, 0, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR}};
static struct trace_node nodes[] = {
    {0, "host", "machine", TRACE_NO_REF}, {1, "host", "node", 0}, {2, "Device 0", "OpenMP Device", 1}};
static struct trace_attribute attributes[] = {
    {0, "dependence address", "", OTF2_TYPE_UINT64}, {1, "source task", "", OTF2_TYPE_UINT64},
    {2, "sink task", "", OTF2_TYPE_UINT64},          {3, "iterations", "", OTF2_TYPE_UINT64},
    {4, "chunk size", "", OTF2_TYPE_UINT64},         {5, "thread state", "", OTF2_TYPE_STRING},
    {6, "matching id", "", OTF2_TYPE_UINT64},        {7, "prior_task_status", "", OTF2_TYPE_STRING},
    {8, "lost events", "", OTF2_TYPE_UINT64},        {9, "some real", "", OTF2_TYPE_DOUBLE}};
static struct trace_named named[] = {{0, "something"}, {1, "\033]0;x\007"}};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* -- the input -- */

static uint8_t byte(struct input *input) {
  if (input->left == 0)
    return 0;
  input->left--;
  return *input->bytes++;
}

static uint64_t wide(struct input *input, size_t bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < bytes; i++)
    number |= (uint64_t)byte(input) << (8 * i);
  return number;
}

static uint64_t number(struct input *input) {
  uint8_t first = byte(input);
  if (first == INPUT_UNDEFINED)
    return UINT32_MAX;
  if (first == INPUT_UNDEFINED64)
    return UINT64_MAX;
  return first < INPUT_WIDE || first > INPUT_WIDEST ? first : wide(input, first == INPUT_WIDE ? 4 : 8);
}

static size_t some(struct input *input, size_t most) {
  uint8_t count = byte(input);
  return count < most ? count : most;
}

/* -- definitions -- */

static void make_locations(struct input *input) {
  made.trace.locations = made.locations;
  made.trace.location_count = some(input, INPUT_LOCATIONS);
  for (size_t i = 0; i < made.trace.location_count; i++) {
    uint8_t type = byte(input);
    const char *name = strings[type / 16 % COUNT(strings)].text;
    made.locations[i] = (struct trace_location){
        i, name, 1, type % 16 == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, type % 16, name};
  }
}

static void make_regions(struct input *input) {
  made.trace.regions = made.regions;
  made.trace.region_count = some(input, INPUT_REGIONS);
  for (size_t i = 0; i < made.trace.region_count; i++) {
    const char *construct = construct_name((enum construct)(byte(input) % CONSTRUCT_COUNT));
    uint8_t role = byte(input), line = byte(input);
    bool is_routine = strncmp(construct, "omp_", 4) == 0;
    snprintf(made.names[i], NAME_BYTES, "%s%s @file.c:%d", is_routine || !*construct ? "" : "!$omp ",
             *construct ? construct : "function", line);
    made.regions[i] = (struct trace_region){i,
                                            made.names[i],
                                            made.names[i],
                                            strings[line % COUNT(strings)].text,
                                            line % 2 ? "/somewhere/file.c" : "",
                                            "",
                                            "",
                                            line,
                                            0,
                                            role,
                                            *construct ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_USER};
  }
}

static void make_comms(struct input *input) {
  made.trace.comms = made.comms;
  made.trace.groups = made.groups;
  made.trace.comm_count = some(input, INPUT_COMMS);
  for (size_t i = 0; i < made.trace.comm_count; i++) {
    uint8_t parent = byte(input);
    uint32_t members = (uint32_t)some(input, INPUT_LOCATIONS);
    for (uint32_t j = 0; j < members; j++)
      made.members[i][j] = byte(input);
    made.comms[i] = (struct trace_comm){i, "", i, parent ? parent - 1u : TRACE_NO_REF};
    made.groups[i] = (struct trace_group){
        i, "", made.members[i], members, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP};
  }
  size_t all = made.trace.comm_count;
  for (size_t i = 0; i < INPUT_LOCATIONS; i++)
    made.members[all][i] = i;
  made.groups[all] = (struct trace_group){
      all, "", made.members[all], INPUT_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP};
  made.trace.group_count = all + 1;
}

static void make_trace(struct input *input) {
  memset(&made, 0, sizeof made);
  made.trace = (struct trace){.creator = "Stave",
                              .machine = "host",
                              .description = "",
                              .strings = strings,
                              .string_count = COUNT(strings),
                              .location_groups = groups,
                              .location_group_count = COUNT(groups),
                              .nodes = nodes,
                              .node_count = COUNT(nodes),
                              .attributes = attributes,
                              .attribute_count = COUNT(attributes),
                              .parameters = named,
                              .parameter_count = COUNT(named),
                              .windows = named,
                              .window_count = COUNT(named)};
  made.trace.clock = (struct trace_clock){0, 1000, 1 << 20, UINT64_MAX};
  uint8_t digits = byte(input) % 20;
  for (made.trace.clock.ticks_per_second = digits > 0; digits > 1; digits--)
    made.trace.clock.ticks_per_second *= 10;
  make_locations(input);
  make_regions(input);
  make_comms(input);
  made.events = *input;
}

/* -- in place of trace.c and trace_order.c -- */

static void read_fields(struct input *input, struct trace_event *event) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(event->kind, &count);
  for (size_t i = 0; i < count; i++) {
    uint64_t value = fields[i].is_array ? 0 : number(input);
    if (!fields[i].is_array) /* the machine is little endian */
      memcpy((char *)event + offsetof(struct trace_event, Enter) + fields[i].offset, &value, fields[i].bytes);
  }
}

static void read_attributes(struct input *input, OTF2_AttributeList *list) {
  for (size_t i = some(input, INPUT_ATTRIBUTES); i > 0; i--) {
    OTF2_AttributeRef attribute = byte(input);
    OTF2_AttributeValue value = {.uint64 = number(input)};
    OTF2_Type type = attribute < COUNT(attributes) ? attributes[attribute].type : OTF2_TYPE_UINT64;
    if (!OTF2_AttributeList_TestAttributeByID(list, attribute))
      OTF2_AttributeList_AddAttribute(list, attribute, type, value);
  }
}

/* `location`: whose events are requested, or SIZE_MAX. */
static void deliver(size_t location, uint64_t from, uint64_t to, trace_on_event on_event, void *data) {
  static const uint32_t arguments[ARRAY_ITEMS] = {1, 0, 77};
  static const uint8_t types[ARRAY_ITEMS] = {OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64, 77};
  static const OTF2_MetricValue values[ARRAY_ITEMS] = {{.signed_int = -1}};
  struct input input = made.events;
  OTF2_AttributeList *list = OTF2_AttributeList_New();
  uint64_t ticks = made.trace.clock.first_ticks, numbers[INPUT_LOCATIONS] = {0};
  bool goes_on = made.trace.location_count > 0;
  while (goes_on && input.left > 0) {
    struct trace_event event = {.location = byte(&input) % made.trace.location_count};
    event.kind = (enum trace_kind)(byte(&input) % TRACE_KIND_COUNT);
    event.ticks = ticks += number(&input);
    event.number = ++numbers[event.location];
    read_fields(&input, &event);
    if (event.kind == TRACE_Metric)
      event.Metric.types = types, event.Metric.values = values;
    if (event.kind == TRACE_ProgramBegin)
      event.ProgramBegin.arguments = arguments, event.ProgramBegin.count %= ARRAY_ITEMS;
    read_attributes(&input, list);
    event.attributes = list;
    if ((location == SIZE_MAX || location == event.location) && ticks >= from && ticks <= to)
      goes_on = on_event(data, &event);
    OTF2_AttributeList_RemoveAllAttributes(list);
  }
  OTF2_AttributeList_Delete(list);
}

int trace_read_in_order(struct trace *trace, uint64_t from_ticks, uint64_t to_ticks, trace_on_event on_event,
                        void *data, char error[TRACE_ERROR_BYTES]) {
  (void)trace, (void)error;
  deliver(SIZE_MAX, from_ticks, to_ticks, on_event, data);
  return 0;
}

/* There is no job of MPI. */

size_t trace_rank_count(const struct trace *trace) {
  (void)trace;
  return 0;
}

int trace_query_ranks(struct trace *trace, const struct ranks_question *question, trace_on_packed on_item,
                      void *data, char error[TRACE_ERROR_BYTES]) {
  (void)trace, (void)question, (void)on_item, (void)data, (void)error;
  abort();
}

bool rank_server_give(struct rank_server *server, const struct packed_event *item) {
  (void)server, (void)item;
  abort();
}

struct trace *rank_server_trace(const struct rank_server *server) {
  (void)server;
  abort();
}

size_t rank_server_first(const struct rank_server *server, size_t *ret_end) {
  (void)server, (void)ret_end;
  abort();
}

int rank_server_read(struct rank_server *server, trace_on_packed on_packed, void *data,
                     char error[TRACE_ERROR_BYTES]) {
  (void)server, (void)on_packed, (void)data, (void)error;
  abort();
}

int trace_read_events(struct trace *trace, trace_on_event on_event, void *data,
                      char error[TRACE_ERROR_BYTES]) {
  (void)error;
  for (size_t i = 0; i < trace->location_count; i++)
    deliver(i, 0, UINT64_MAX, on_event, data);
  return 0;
}

uint64_t trace_location_bytes(const struct trace *trace, size_t index) {
  (void)trace, (void)index;
  return 1;
}

/* -- the commands -- */

static void run_check(void) {
  struct check_result result = {0};
  char error[TRACE_ERROR_BYTES];
  if (check_run(&made.trace, CHECK_ALL_RULES, &result, error) == 0) {
    check_print_text(&made.trace, &result, true);
    check_print_json(&made.trace, &result);
  }
  check_free(&result);
}

static void run_report(void) {
  struct report report;
  char error[TRACE_ERROR_BYTES];
  struct report_print print = {&report, "archive", "archive/traces.otf2", 10, NULL};
  if (report_read(&report, &made.trace, 0, UINT64_MAX, error) == 0) {
    report_print_text(&print);
    report_print_json(&print);
  }
  report_free(&report);
}

static void run_export(export_write write) {
  static struct sink sink;
  struct sink_memory memory = {0};
  char error[TRACE_ERROR_BYTES];
  sink_open_memory(&sink, &memory);
  write(&made.trace, &sink, error);
  sink_finish(&sink);
  free(memory.bytes);
}

static void run_timeline(FILE *null, bool is_picture) {
  static const struct timeline_limits limits = {.slices = 500,
                                                .mixes = 100,
                                                .tasks = 100,
                                                .values = 50,
                                                .conditions = 50,
                                                .locks = 50,
                                                .samples = 50,
                                                .links = 50,
                                                .transfers = 50};
  static const struct page_request page = {"title", "archive"};
  static const struct picture_request picture = {PICTURE_SVG, "title", 600};
  struct timeline timeline;
  char error[TRACE_ERROR_BYTES];
  int result = timeline_read(&timeline, &made.trace, 0, UINT64_MAX, &limits, error);
  if (result == 0 && is_picture)
    picture_write(null, &timeline, &picture);
  else if (result == 0)
    page_write(null, &timeline, &page);
  timeline_free(&timeline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *null;
  struct input input = {data, size};
  uint8_t passes = byte(&input);
  if (!null) {
    null = fopen("/dev/null", "w");
    stdout = null;
  }
  make_trace(&input);
  if (passes & PASS_CHECK)
    run_check();
  if (passes & PASS_REPORT)
    run_report();
  if (passes & PASS_CSV)
    run_export(export_csv);
  if (passes & PASS_CHROME)
    run_export(export_chrome);
  if (passes & PASS_DOT) {
    run_export(export_dot);
  }
  if (passes & PASS_PAGE)
    run_timeline(null, false);
  if (passes & PASS_PICTURE)
    run_timeline(null, true);
  return 0;
}
