/* The callbacks that a script can fire, and the arguments that they read from its lines: both come from
 * src/ompt/callbacks.def. The keys are the parameters' names there; values have the names of
 * enumerations.def, or numbers. A parameter has a reader: that of its meaning, or, in an enumeration,
 * read_value. */
#include <stdlib.h>
#include <string.h>

#include "stave/stave.h"

#include "scripted_runtime.h"

enum { DEPENDENCES_MAX = 64, MAPS_MAX = 200 };

/* -- values -- */

/* The bare word begin, end, beginend, or endpoint=NUMBER. */
static uint64_t read_endpoint(struct line *line) {
  const char *word = line_word(line);
  if (!word)
    word = line_text(line, "endpoint");
  if (!word)
    line_fails(line, "begin, end or beginend is missing");
  return parse_value(line, word, OMPT_SCOPE);
}

/* Stave's own commands have names, too. */
static uint64_t read_command(struct line *line, const char *key) {
  static const struct name commands[] = {{"region_begin", STAVE_COMMAND_REGION_BEGIN},
                                         {"region_end", STAVE_COMMAND_REGION_END},
                                         {"message", STAVE_COMMAND_MESSAGE},
                                         {"counter_integer", STAVE_COMMAND_COUNTER_INTEGER},
                                         {"counter_double", STAVE_COMMAND_COUNTER_DOUBLE}};
  const char *text = line_text(line, key);
  for (size_t i = 0; text && i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i].name, text))
      return commands[i].value;
  return line_value(line, key, OMPT_CONTROL_TOOL);
}

static uint64_t read_value(struct line *line, const char *key, enum ompt_enumeration enumeration) {
  if (enumeration == OMPT_SCOPE)
    return read_endpoint(line);
  return enumeration == OMPT_CONTROL_TOOL ? read_command(line, key) : line_value(line, key, enumeration);
}

#define read_DATA line_data
#define read_NUMBER line_number
#define read_CODE line_code
#define read_TEXT line_text

static void *read_ADDRESS(struct line *line, const char *key) {
  return (void *)(uintptr_t)line_number(line, key);
}

/* frame=NULL, or a frame with the flags of exit_flags and enter_flags. */
static const ompt_frame_t *read_FRAME(struct line *line, const char *key) {
  static _Thread_local ompt_frame_t frame;
  const char *text = line_text(line, key);
  frame.exit_frame_flags = (int)line_number(line, "exit_flags");
  frame.enter_frame_flags = (int)line_number(line, "enter_flags");
  return text && !strcmp(text, "NULL") ? NULL : &frame;
}

/* length=N gives another length than the message has. */
static size_t read_LENGTH(struct line *line, const char *key) {
  const char *message = line_text(line, "message");
  if (line_text(line, key))
    return (size_t)line_number(line, key);
  return message ? strlen(message) : 0;
}

/* The object's value as the runtime's id of an operation. */
static ompt_id_t *read_HOST_OP(struct line *line, const char *key) {
  ompt_data_t *data = line_data(line, key);
  return data ? &data->value : NULL;
}

/* instance=NUMBER, instance=NULL, or chunk=START,ITERATIONS for the kinds whose instance points to a
 * chunk. */
static ompt_data_t read_INSTANCE(struct line *line, const char *key) {
  static _Thread_local ompt_dispatch_chunk_t chunk;
  const char *text = line_text(line, "chunk"), *value = line_text(line, key);
  if (!text)
    return (ompt_data_t){.value = value && strcmp(value, "NULL") ? parse_number(line, value) : 0};
  char *end;
  chunk.start = strtoull(text, &end, 0);
  chunk.iterations = *end ? strtoull(end + 1, NULL, 0) : 0;
  return (ompt_data_t){.ptr = &chunk};
}

/* -- arrays -- */

struct dependences {
  ompt_dependence_t array[DEPENDENCES_MAX];
  int count;
};

/* deps=in:0x10,34:0x20 or NULL. */
static const ompt_dependence_t *read_dependences(struct line *line, const char *key,
                                                 struct dependences *dependences) {
  const char *text = line_text(line, key);
  bool is_null = !text || !strcmp(text, "NULL");
  char *copy = strdup(is_null ? "" : text), *rest = copy;
  dependences->count = 0;
  for (char *one; (one = strsep(&rest, ",")) && *one && dependences->count < DEPENDENCES_MAX;) {
    char *colon = strchr(one, ':');
    if (!colon)
      line_fails(line, "a dependence is TYPE:VALUE");
    *colon = '\0';
    ompt_dependence_t *dependence = &dependences->array[dependences->count++];
    dependence->dependence_type = (ompt_dependence_type_t)parse_value(line, one, OMPT_DEPENDENCE);
    dependence->variable.value = parse_number(line, colon + 1);
  }
  free(copy);
  return is_null ? NULL : dependences->array;
}

static const ompt_dependence_t *read_DEPENDENCES(struct line *line, const char *key) {
  static _Thread_local struct dependences dependences;
  return read_dependences(line, key, &dependences);
}

/* ndeps gives another number than there are. */
static int read_DEPENDENCE_COUNT(struct line *line, const char *key) {
  struct dependences dependences;
  if (line_text(line, key))
    return (int)line_number(line, key);
  read_dependences(line, "deps", &dependences);
  return dependences.count;
}

struct maps {
  void *host[MAPS_MAX], *device[MAPS_MAX];
  size_t bytes[MAPS_MAX];
  unsigned flags[MAPS_MAX], count;
};

/* maps=HOST:DEVICE:BYTES:FLAGS,... */
static struct maps *read_maps(struct line *line) {
  static _Thread_local struct maps maps;
  const char *text = line_text(line, "maps");
  char *copy = strdup(text ? text : ""), *rest = copy;
  maps = (struct maps){.count = 0};
  for (char *one; (one = strsep(&rest, ",")) && *one && maps.count < MAPS_MAX; maps.count++) {
    uint64_t values[3] = {0};
    for (int i = 0; i < 3 && one; i++)
      values[i] = parse_number(line, strsep(&one, ":"));
    maps.host[maps.count] = (void *)(uintptr_t)values[0];
    maps.device[maps.count] = (void *)(uintptr_t)values[1];
    maps.bytes[maps.count] = values[2];
    maps.flags[maps.count] = one ? (unsigned)parse_value(line, one, OMPT_MAP) : 0;
  }
  free(copy);
  return &maps;
}

#define read_MAP_COUNT(line, key) read_maps(line)->count
#define read_MAP_HOSTS(line, key) read_maps(line)->host
#define read_MAP_DEVICES(line, key) read_maps(line)->device
#define read_MAP_BYTES(line, key) read_maps(line)->bytes
#define read_MAP_FLAGS(line, key) read_maps(line)->flags

/* -- omp_control_tool -- */

static uint64_t read_MODIFIER(struct line *line, const char *key) {
  uint64_t modifier = line_number(line, key);
  return line_text(line, "name") ? STAVE_MODIFIER : modifier;
}

/* name=TEXT: as stave.h calls, with file=TEXT line=NUMBER unit=TEXT and integer=NUMBER (a double by its
 * bits). */
static void *read_ARGUMENT(struct line *line, const char *key) {
  static _Thread_local struct stave_call call;
  uint64_t argument = line_number(line, key);
  call = (struct stave_call){.name = line_text(line, "name"),
                             .unit = line_text(line, "unit"),
                             .file = line_text(line, "file"),
                             .line = line_number(line, "line"),
                             .value.integer = (int64_t)line_number(line, "integer")};
  return call.name ? (void *)&call : (void *)(uintptr_t)argument;
}

/* -- devices -- */

static ompt_device_t *read_DEVICE(struct line *line, const char *key) {
  ompt_device_t *handle;
  ompt_function_lookup_t lookup;
  (void)key;
  device_handles(line, &handle, &lookup);
  return handle;
}

static ompt_function_lookup_t read_LOOKUP(struct line *line, const char *key) {
  ompt_device_t *handle;
  ompt_function_lookup_t lookup;
  (void)key;
  device_handles(line, &handle, &lookup);
  return lookup;
}

/* -- callbacks -- */

#define READ(meaning, type, name) read_##meaning(line, #name)
#define READ_VALUE(enumeration, type, name) (type) read_value(line, #name, OMPT_##enumeration)
#define CALLBACK(name, number, since, result, signature, ...)                                                \
  static void fire_##name(ompt_callback_t callback, struct line *line) {                                     \
    ((ompt_callback_##signature##_t)callback)(SIGNATURE_##signature(READ, READ_VALUE));                      \
  }
#include "ompt/callbacks.def"

static const struct event_row rows[] = {
#define CALLBACK(name, number, ...) {#name, number, fire_##name},
#include "ompt/callbacks.def"
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
