/* What a program reports by stave.h: the texts are the program's and are copied. */
#include "stave/stave.h"

#include <string.h>

#include "tool/callback_body.h"
#include "tool/callbacks.h"

enum { NAME_BYTES_MAX = 3072, FILE_MAX = 768, UNIT_MAX = 64, FLAG_CUT = 1, INTEGER = 1, DOUBLE = 2 };

/* The words after a record: value, bytes of the unit, then name, file and unit. */
union words {
  uint64_t w[4 * (RECORD_SLOTS_MAX - 1)];
  char text[RECORD_BYTES * (RECORD_SLOTS_MAX - 1)];
};
_Static_assert(2 * sizeof(uint64_t) + NAME_BYTES_MAX + FILE_MAX + UNIT_MAX + RECORD_BYTES +
                       sizeof((struct counter_words *)NULL)->words <=
                   sizeof(union words),
               "the longest record");

struct call_texts {
  const char *name, *file, *unit;
  size_t name_bytes, file_bytes, unit_bytes;
  bool is_cut;
};

static size_t length_of(const char *text, size_t most) {
  return text ? strnlen(text, most) : 0;
}

/* Of a long path the end shows more. */
static const char *end_of(const char *path) {
  size_t length = path ? strlen(path) : 0;
  return length > FILE_MAX ? path + (length - FILE_MAX) : path;
}

static struct call_texts texts_of(const struct stave_call *call) {
  struct call_texts texts = {.name = call->name, .file = end_of(call->file), .unit = call->unit};
  texts.name_bytes = length_of(texts.name, NAME_BYTES_MAX);
  texts.is_cut = texts.name_bytes == NAME_BYTES_MAX && texts.name[NAME_BYTES_MAX] != '\0';
  texts.file_bytes = length_of(texts.file, FILE_MAX);
  texts.unit_bytes = length_of(texts.unit, UNIT_MAX);
  return texts;
}

static char *append(char *end, const char *text, size_t bytes) {
  if (bytes)
    memcpy(end, text, bytes);
  return end + bytes;
}

/* Returns the slots that are needed. */
static uint64_t fill(union words *words, const struct call_texts *texts, uint64_t value) {
  words->w[0] = value;
  words->w[1] = texts->unit_bytes;
  char *end = append(words->text + 2 * sizeof(uint64_t), texts->name, texts->name_bytes);
  end = append(append(end, texts->file, texts->file_bytes), texts->unit, texts->unit_bytes);
  uint64_t slots = ((uint64_t)(end - words->text) + RECORD_BYTES - 1) / RECORD_BYTES;
  memset(end, 0, (size_t)(words->text + slots * RECORD_BYTES - end));
  return slots;
}

static bool put(enum record_type type, unsigned endpoint, const struct stave_call *call, uint64_t value,
                const void *codeptr) {
  struct new_event event;
  union words words;
  struct call_texts texts = texts_of(call);
  struct counter_words reading = {.slots = 0};
  if (type == RECORD_control_tool_region && tool.constants.config.counters_at & EVENT_CLASS_control)
    counters_read(&reading);
  uint64_t own = 1 + fill(&words, &texts, value), n = own + reading.slots;
  if (!event_begin(SLOW, &event, n, codeptr))
    return false;
  for (uint64_t i = 1; i < own; i++)
    memcpy(ring_at(&event.thread->ring, event.position + i), words.w + 4 * (i - 1), RECORD_BYTES);
  put_reading(&event, (unsigned)own, &reading);
  EVENT_PUT_AS(&event, n, control_tool_region, type, endpoint,
               (texts.is_cut ? FLAG_CUT : 0) | flags_of(&reading),
               .line_and_file = (uint32_t)call->line | (uint64_t)texts.file_bytes << 32,
               .codeptr = event.code, .name_bytes = (uint32_t)texts.name_bytes);
  return true;
}

bool is_user_call(uint64_t command, uint64_t modifier, const void *argument) {
  return command >= STAVE_COMMAND_REGION_BEGIN && command <= STAVE_COMMAND_COUNTER_DOUBLE &&
         modifier == STAVE_MODIFIER && argument;
}

bool put_user_call(uint64_t command, const void *argument, const void *codeptr) {
  const struct stave_call *call = argument;
  uint64_t value;
  memcpy(&value, &call->value, sizeof value);
  switch ((enum stave_command)command) {
  case STAVE_COMMAND_REGION_BEGIN:
    return put(RECORD_control_tool_region, ENDPOINT_BEGIN, call, 0, codeptr);
  case STAVE_COMMAND_REGION_END:
    return put(RECORD_control_tool_region, ENDPOINT_END, call, 0, codeptr);
  case STAVE_COMMAND_MESSAGE:
    return put(RECORD_control_tool_message, ENDPOINT_NONE, call, 0, codeptr);
  case STAVE_COMMAND_COUNTER_INTEGER:
    return put(RECORD_control_tool_counter, INTEGER, call, value, codeptr);
  case STAVE_COMMAND_COUNTER_DOUBLE:
    return put(RECORD_control_tool_counter, DOUBLE, call, value, codeptr);
  }
  return false;
}
