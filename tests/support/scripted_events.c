/* The callbacks that a script can fire: one row, one function each, which takes the arguments from the line.
 * The keys are the parameters' names in OpenMP, shortened. Values are passed by number, whatever the header
 * knows. */
#include <stdlib.h>
#include <string.h>

#include "stave/stave.h"

#include "scripted_runtime.h"

enum { DEPENDENCES_MAX = 64 };

#define NO_MORE                                                                                              \
  { NULL, 0 }

const struct name endpoint_names[] = {{"begin", 1}, {"end", 2}, {"beginend", 3}, NO_MORE};
static const struct name thread_names[] = {
    {"initial", 1}, {"worker", 2}, {"other", 3}, {"unknown", 4}, NO_MORE};
static const struct name parallel_flags[] = {
    {"program", 1}, {"runtime", 2}, {"league", 0x40000000}, {"team", 0x80000000}, NO_MORE};
static const struct name task_flags[] = {{"initial", 1},
                                         {"implicit", 2},
                                         {"explicit", 4},
                                         {"target", 8},
                                         {"taskwait", 0x10},
                                         {"undeferred", 1 << 27},
                                         {"untied", 1 << 28},
                                         {"final", 1 << 29},
                                         {"mergeable", 1 << 30},
                                         {"merged", 0x80000000},
                                         NO_MORE};
static const struct name status_names[] = {{"complete", 1},
                                           {"yield", 2},
                                           {"cancel", 3},
                                           {"detach", 4},
                                           {"early_fulfill", 5},
                                           {"late_fulfill", 6},
                                           {"switch", 7},
                                           {"taskwait_complete", 8},
                                           NO_MORE};
static const struct name work_names[] = {{"loop", 1},
                                         {"sections", 2},
                                         {"single_executor", 3},
                                         {"single_other", 4},
                                         {"workshare", 5},
                                         {"distribute", 6},
                                         {"taskloop", 7},
                                         {"scope", 8},
                                         {"loop_static", 10},
                                         {"loop_dynamic", 11},
                                         {"loop_guided", 12},
                                         {"loop_other", 13},
                                         NO_MORE};
static const struct name sync_names[] = {{"barrier", 1},
                                         {"barrier_implicit", 2},
                                         {"barrier_explicit", 3},
                                         {"barrier_implementation", 4},
                                         {"taskwait", 5},
                                         {"taskgroup", 6},
                                         {"reduction", 7},
                                         {"barrier_implicit_workshare", 8},
                                         {"barrier_implicit_parallel", 9},
                                         {"barrier_teams", 10},
                                         NO_MORE};
static const struct name mutex_names[] = {{"lock", 1},           {"test_lock", 2}, {"nest_lock", 3},
                                          {"test_nest_lock", 4}, {"critical", 5},  {"atomic", 6},
                                          {"ordered", 7},        NO_MORE};
static const struct name dispatch_names[] = {{"iteration", 1},        {"section", 2},
                                             {"ws_loop_chunk", 3},    {"taskloop_chunk", 4},
                                             {"distribute_chunk", 5}, NO_MORE};
static const struct name dependence_names[] = {
    {"in", 1},   {"out", 2},      {"inout", 3},           {"mutexinoutset", 4},     {"source", 5},
    {"sink", 6}, {"inoutset", 7}, {"out_all_memory", 34}, {"inout_all_memory", 35}, NO_MORE};
static const struct name cancel_flags[] = {
    {"parallel", 1},     {"sections", 2},    {"loop", 4},         {"taskgroup", 8},
    {"activated", 0x10}, {"detected", 0x20}, {"discarded", 0x40}, NO_MORE};
static const struct name target_names[] = {{"target", 1},
                                           {"enter_data", 2},
                                           {"exit_data", 3},
                                           {"update", 4},
                                           {"target_nowait", 9},
                                           {"enter_data_nowait", 10},
                                           {"exit_data_nowait", 11},
                                           {"update_nowait", 12},
                                           NO_MORE};
static const struct name data_op_names[] = {{"alloc", 1},
                                            {"to_device", 2},
                                            {"from_device", 3},
                                            {"delete", 4},
                                            {"associate", 5},
                                            {"disassociate", 6},
                                            {"alloc_async", 17},
                                            {"to_device_async", 18},
                                            {"from_device_async", 19},
                                            {"delete_async", 20},
                                            NO_MORE};
static const struct name map_flags[] = {{"to", 1},      {"from", 2},      {"alloc", 4}, {"release", 8},
                                        {"delete", 16}, {"implicit", 32}, NO_MORE};
static const struct name severity_names[] = {{"warning", 1}, {"fatal", 2}, NO_MORE};

#define CALL(type) ((type)callback)
#define DATA(key) line_data(line, key)
#define NUMBER(key, names) line_number(line, key, names)
#define CODE line_code(line, "codeptr")
#define FIRE(name) static void fire_##name(ompt_callback_t callback, struct line *line)

/* The bare word begin, end, beginend, or endpoint=NUMBER. */
static ompt_scope_endpoint_t endpoint_of(struct line *line) {
  const char *word = line_word(line);
  if (!word)
    word = line_text(line, "endpoint");
  if (!word)
    line_fails(line, "begin, end or beginend is missing");
  return (ompt_scope_endpoint_t)parse_number(line, word, endpoint_names);
}

/* frame=NULL, or a frame with the flags of exit_flags and enter_flags. */
static const ompt_frame_t *frame_of(struct line *line) {
  static _Thread_local ompt_frame_t frame;
  const char *text = line_text(line, "frame");
  frame.exit_frame_flags = (int)NUMBER("exit_flags", NULL);
  frame.enter_frame_flags = (int)NUMBER("enter_flags", NULL);
  return text && !strcmp(text, "NULL") ? NULL : &frame;
}

FIRE(thread_begin) {
  ompt_data_t *thread = DATA("thread");
  answers.thread_data = thread;
  CALL(ompt_callback_thread_begin_t)((ompt_thread_t)NUMBER("type", thread_names), thread);
}

FIRE(thread_end) {
  CALL(ompt_callback_thread_end_t)(DATA("thread"));
}

FIRE(parallel_begin) {
  CALL(ompt_callback_parallel_begin_t)
  (DATA("task"), frame_of(line), DATA("parallel"), (unsigned)NUMBER("requested", NULL),
   (int)NUMBER("flags", parallel_flags), CODE);
}

FIRE(parallel_end) {
  CALL(ompt_callback_parallel_end_t)
  (DATA("parallel"), DATA("task"), (int)NUMBER("flags", parallel_flags), CODE);
}

FIRE(implicit_task) {
  CALL(ompt_callback_implicit_task_t)
  (endpoint_of(line), DATA("parallel"), DATA("task"), (unsigned)NUMBER("actual", NULL),
   (unsigned)NUMBER("index", NULL), (int)NUMBER("flags", task_flags));
}

FIRE(task_create) {
  CALL(ompt_callback_task_create_t)
  (DATA("task"), frame_of(line), DATA("new"), (int)NUMBER("flags", task_flags),
   (int)NUMBER("has_dependences", NULL), CODE);
}

FIRE(task_schedule) {
  CALL(ompt_callback_task_schedule_t)
  (DATA("prior"), (ompt_task_status_t)NUMBER("status", status_names), DATA("next"));
}

FIRE(work) {
  CALL(ompt_callback_work_t)
  ((ompt_work_t)NUMBER("kind", work_names), endpoint_of(line), DATA("parallel"), DATA("task"),
   NUMBER("count", NULL), CODE);
}

FIRE(masked) {
  CALL(ompt_callback_masked_t)(endpoint_of(line), DATA("parallel"), DATA("task"), CODE);
}

FIRE(sync_region) {
  CALL(ompt_callback_sync_region_t)
  ((ompt_sync_region_t)NUMBER("kind", sync_names), endpoint_of(line), DATA("parallel"), DATA("task"), CODE);
}

/* mutex_acquire, lock_init */
FIRE(mutex_acquire) {
  CALL(ompt_callback_mutex_acquire_t)
  ((ompt_mutex_t)NUMBER("kind", mutex_names), (unsigned)NUMBER("hint", NULL), (unsigned)NUMBER("impl", NULL),
   NUMBER("wait", NULL), CODE);
}

/* mutex_acquired, mutex_released, lock_destroy */
FIRE(mutex) {
  CALL(ompt_callback_mutex_t)((ompt_mutex_t)NUMBER("kind", mutex_names), NUMBER("wait", NULL), CODE);
}

FIRE(nest_lock) {
  CALL(ompt_callback_nest_lock_t)(endpoint_of(line), NUMBER("wait", NULL), CODE);
}

FIRE(flush) {
  CALL(ompt_callback_flush_t)(DATA("thread"), CODE);
}

FIRE(cancel) {
  CALL(ompt_callback_cancel_t)(DATA("task"), (int)NUMBER("flags", cancel_flags), CODE);
}

/* deps=in:0x10,34:0x20 or NULL; ndeps says another number than there are. */
FIRE(dependences) {
  ompt_dependence_t dependences[DEPENDENCES_MAX] = {0};
  const char *text = line_text(line, "deps"), *number = line_text(line, "ndeps");
  bool is_null = !text || !strcmp(text, "NULL");
  char *copy = strdup(is_null ? "" : text), *rest = copy;
  int count = 0;
  for (char *one; (one = strsep(&rest, ",")) && *one && count < DEPENDENCES_MAX; count++) {
    char *colon = strchr(one, ':');
    if (!colon)
      line_fails(line, "a dependence is TYPE:VALUE");
    *colon = '\0';
    dependences[count].dependence_type = (ompt_dependence_type_t)parse_number(line, one, dependence_names);
    dependences[count].variable.value = parse_number(line, colon + 1, NULL);
  }
  free(copy);
  CALL(ompt_callback_dependences_t)
  (DATA("task"), is_null ? NULL : dependences, number ? (int)parse_number(line, number, NULL) : count);
}

FIRE(task_dependence) {
  CALL(ompt_callback_task_dependence_t)(DATA("source"), DATA("sink"));
}

/* instance=NUMBER, instance=NULL, or chunk=START,ITERATIONS for the kinds whose instance points to a
 * chunk. */
FIRE(dispatch) {
  struct {
    uint64_t start, iterations;
  } chunk = {0, 0};
  const char *text = line_text(line, "chunk"), *value = line_text(line, "instance");
  ompt_data_t instance = {.value = value && strcmp(value, "NULL") ? parse_number(line, value, NULL) : 0};
  if (text) {
    char *end;
    chunk.start = strtoull(text, &end, 0);
    chunk.iterations = *end ? strtoull(end + 1, NULL, 0) : 0;
    instance.ptr = &chunk;
  }
  CALL(ompt_callback_dispatch_t)
  (DATA("parallel"), DATA("task"), (ompt_dispatch_t)NUMBER("kind", dispatch_names), instance);
}

/* length=N says another length than the message has. */
FIRE(error) {
  const char *message = line_text(line, "message"), *length = line_text(line, "length");
  CALL(ompt_callback_error_t)
  ((ompt_severity_t)NUMBER("severity", severity_names), message,
   length    ? (size_t)parse_number(line, length, NULL)
   : message ? strlen(message)
             : 0,
   CODE);
}

/* name=TEXT: as stave.h calls, with file=TEXT line=NUMBER unit=TEXT and integer=NUMBER (a double by its
 * bits). */
FIRE(control_tool) {
  static const struct name commands[] = {{"region_begin", STAVE_COMMAND_REGION_BEGIN},
                                         {"region_end", STAVE_COMMAND_REGION_END},
                                         {"message", STAVE_COMMAND_MESSAGE},
                                         {"counter_integer", STAVE_COMMAND_COUNTER_INTEGER},
                                         {"counter_double", STAVE_COMMAND_COUNTER_DOUBLE},
                                         NO_MORE};
  struct stave_call call = {.name = line_text(line, "name"),
                            .unit = line_text(line, "unit"),
                            .file = line_text(line, "file"),
                            .line = NUMBER("line", NULL),
                            .value.integer = (int64_t)NUMBER("integer", NULL)};
  uint64_t modifier = NUMBER("modifier", NULL), argument = NUMBER("arg", NULL);
  CALL(ompt_callback_control_tool_t)
  (NUMBER("command", commands), call.name ? STAVE_MODIFIER : modifier,
   call.name ? (void *)&call : (void *)(uintptr_t)argument, CODE);
}

/* -- devices -- */

#define POINTER(key) ((void *)(uintptr_t)NUMBER(key, NULL))

/* The object's value as the runtime's id of an operation. */
static ompt_id_t *host_op_of(struct line *line) {
  ompt_data_t *data = DATA("host_op");
  return data ? &data->value : NULL;
}

FIRE(target_emi) {
  CALL(ompt_callback_target_emi_t)
  ((ompt_target_t)NUMBER("kind", target_names), endpoint_of(line), (int)NUMBER("device", NULL), DATA("task"),
   DATA("target_task"), DATA("target"), CODE);
}

FIRE(target) {
  CALL(ompt_callback_target_t)
  ((ompt_target_t)NUMBER("kind", target_names), endpoint_of(line), (int)NUMBER("device", NULL), DATA("task"),
   NUMBER("target", NULL), CODE);
}

FIRE(target_data_op_emi) {
  CALL(ompt_callback_target_data_op_emi_t)
  (endpoint_of(line), DATA("target_task"), DATA("target"), host_op_of(line),
   (ompt_target_data_op_t)NUMBER("kind", data_op_names), POINTER("src"), (int)NUMBER("src_device", NULL),
   POINTER("dest"), (int)NUMBER("dest_device", NULL), NUMBER("bytes", NULL), CODE);
}

FIRE(target_data_op) {
  CALL(ompt_callback_target_data_op_t)
  (NUMBER("target", NULL), NUMBER("host_op", NULL), (ompt_target_data_op_t)NUMBER("kind", data_op_names),
   POINTER("src"), (int)NUMBER("src_device", NULL), POINTER("dest"), (int)NUMBER("dest_device", NULL),
   NUMBER("bytes", NULL), CODE);
}

FIRE(target_submit_emi) {
  CALL(ompt_callback_target_submit_emi_t)
  (endpoint_of(line), DATA("target"), host_op_of(line), (unsigned)NUMBER("requested", NULL));
}

FIRE(target_submit) {
  CALL(ompt_callback_target_submit_t)
  (NUMBER("target", NULL), NUMBER("host_op", NULL), (unsigned)NUMBER("requested", NULL));
}

enum { MAPS_MAX = 200 };

struct maps {
  void *host[MAPS_MAX], *device[MAPS_MAX];
  size_t bytes[MAPS_MAX];
  unsigned flags[MAPS_MAX], count;
};

/* maps=HOST:DEVICE:BYTES:FLAGS,... */
static void read_maps(struct line *line, struct maps *maps) {
  const char *text = line_text(line, "maps");
  char *copy = strdup(text ? text : ""), *rest = copy;
  for (char *one; (one = strsep(&rest, ",")) && *one && maps->count < MAPS_MAX; maps->count++) {
    uint64_t values[4] = {0};
    for (int i = 0; i < 4 && one; i++)
      values[i] = parse_number(line, strsep(&one, ":"), i == 3 ? map_flags : NULL);
    maps->host[maps->count] = (void *)(uintptr_t)values[0];
    maps->device[maps->count] = (void *)(uintptr_t)values[1];
    maps->bytes[maps->count] = values[2];
    maps->flags[maps->count] = (unsigned)values[3];
  }
  free(copy);
}

FIRE(target_map_emi) {
  struct maps maps = {.count = 0};
  read_maps(line, &maps);
  CALL(ompt_callback_target_map_emi_t)
  (DATA("target"), maps.count, maps.host, maps.device, maps.bytes, maps.flags, CODE);
}

FIRE(target_map) {
  struct maps maps = {.count = 0};
  read_maps(line, &maps);
  CALL(ompt_callback_target_map_t)
  (NUMBER("target", NULL), maps.count, maps.host, maps.device, maps.bytes, maps.flags, CODE);
}

FIRE(device_initialize) {
  ompt_device_t *handle;
  ompt_function_lookup_t lookup;
  device_handles(line, &handle, &lookup);
  CALL(ompt_callback_device_initialize_t)
  ((int)NUMBER("device", NULL), line_text(line, "type"), handle, lookup, line_text(line, "documentation"));
}

FIRE(device_finalize) {
  CALL(ompt_callback_device_finalize_t)((int)NUMBER("device", NULL));
}

FIRE(device_load) {
  CALL(ompt_callback_device_load_t)
  ((int)NUMBER("device", NULL), line_text(line, "file"), (int64_t)NUMBER("offset", NULL), POINTER("vma"),
   NUMBER("bytes", NULL), POINTER("host"), POINTER("address"), NUMBER("module", NULL));
}

FIRE(device_unload) {
  CALL(ompt_callback_device_unload_t)((int)NUMBER("device", NULL), NUMBER("module", NULL));
}

static const struct event_row rows[] = {
    {"thread_begin", 1, fire_thread_begin},
    {"thread_end", 2, fire_thread_end},
    {"parallel_begin", 3, fire_parallel_begin},
    {"parallel_end", 4, fire_parallel_end},
    {"task_create", 5, fire_task_create},
    {"task_schedule", 6, fire_task_schedule},
    {"implicit_task", 7, fire_implicit_task},
    {"target", 8, fire_target},
    {"target_data_op", 9, fire_target_data_op},
    {"target_submit", 10, fire_target_submit},
    {"device_initialize", 12, fire_device_initialize},
    {"device_finalize", 13, fire_device_finalize},
    {"device_load", 14, fire_device_load},
    {"device_unload", 15, fire_device_unload},
    {"target_map", 22, fire_target_map},
    {"target_emi", 33, fire_target_emi},
    {"target_data_op_emi", 34, fire_target_data_op_emi},
    {"target_submit_emi", 35, fire_target_submit_emi},
    {"target_map_emi", 36, fire_target_map_emi},
    {"control_tool", 11, fire_control_tool},
    {"sync_region_wait", 16, fire_sync_region},
    {"mutex_released", 17, fire_mutex},
    {"dependences", 18, fire_dependences},
    {"task_dependence", 19, fire_task_dependence},
    {"work", 20, fire_work},
    {"masked", 21, fire_masked},
    {"sync_region", 23, fire_sync_region},
    {"lock_init", 24, fire_mutex_acquire},
    {"lock_destroy", 25, fire_mutex},
    {"mutex_acquire", 26, fire_mutex_acquire},
    {"mutex_acquired", 27, fire_mutex},
    {"nest_lock", 28, fire_nest_lock},
    {"flush", 29, fire_flush},
    {"cancel", 30, fire_cancel},
    {"reduction", 31, fire_sync_region},
    {"dispatch", 32, fire_dispatch},
    {"error", 37, fire_error},
};

const struct event_row *event_find(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return &rows[i];
  return NULL;
}

const struct event_row *event_by_number(unsigned number) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].number == number)
      return &rows[i];
  return NULL;
}
