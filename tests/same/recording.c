#include "recording.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum field_type { FIELD_none, FIELD_id, FIELD_address, FIELD_value, FIELD_ticks };

struct field {
  enum field_type type;
  const char *name;
};

enum { FIELDS = 3 }; /* a, b and c */

static const struct row {
  const char *name;
  struct field fields[FIELDS];
} rows[RECORD_TYPE_COUNT] = {
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  [RECORD_##id] = {#id, {{FIELD_##a_type, #a_name}, {FIELD_##b_type, #b_name}, {FIELD_##c_type, #c_name}}},
#include "session/records.def"
#undef RECORD
};

static const uint64_t position_bits = (UINT64_C(1) << ID_POSITION_BITS) - 1;

/* The one word that is a time of the host. */
static bool is_ticks(unsigned type, unsigned word) {
  return type == RECORD_device_clock && word == 0;
}

static void put_field(FILE *file, const struct field *field, uint64_t value, uint64_t start_ticks) {
  switch (field->type) {
  case FIELD_none:
    break;
  case FIELD_id:
    fprintf(file, " %s=%" PRIu64 ":%" PRIu64, field->name, value >> ID_POSITION_BITS, value & position_bits);
    break;
  case FIELD_address:
    fprintf(file, " %s=0x%" PRIx64, field->name, value);
    break;
  case FIELD_value:
    fprintf(file, " %s=%" PRIu64, field->name, value);
    break;
  case FIELD_ticks:
    fprintf(file, " %s=%" PRId64, field->name, (int64_t)(value - start_ticks));
    break;
  }
}

static void put_words(FILE *file, const struct recorded *recorded, uint64_t start_ticks) {
  unsigned count = 4u * recorded->record.more;
  for (unsigned i = 0; i < count; i++) {
    fputs(i == 0 ? " words=" : ",", file);
    if (is_ticks(recorded->record.type, i))
      fprintf(file, "t%" PRId64, (int64_t)(recorded->words[i] - start_ticks));
    else
      fprintf(file, "%" PRIx64, recorded->words[i]);
  }
}

void recording_put(FILE *file, const struct recorded *recorded, uint64_t start_ticks) {
  const struct record *record = &recorded->record;
  const struct row *row = &rows[record->type < RECORD_TYPE_COUNT ? record->type : 0];
  const uint64_t values[FIELDS] = {record->a, record->b, record->c};
  fprintf(file, "record %" PRIu32 " %" PRIu64 " %s ticks=%" PRId64, recorded->slot, recorded->position,
          row->name ? row->name : "unknown", (int64_t)(record->ticks - start_ticks));
  for (int i = 0; i < FIELDS; i++)
    put_field(file, &row->fields[i], values[i], start_ticks);
  fprintf(file, " endpoint=%u flags=%u", record->endpoint, record->flags);
  put_words(file, recorded, start_ticks);
  fputc('\n', file);
}

/* -- reading -- */

static unsigned find_type(const char *name) {
  for (unsigned type = RECORD_TYPE_NONE + 1; type < RECORD_TYPE_COUNT; type++)
    if (!strcmp(rows[type].name, name))
      return type;
  return RECORD_TYPE_NONE;
}

static uint64_t parse_value(enum field_type type, const char *text, uint64_t start_ticks) {
  char *end;
  if (type == FIELD_ticks)
    return start_ticks + (uint64_t)strtoll(text, NULL, 10);
  uint64_t value = strtoull(text, &end, 0);
  return type == FIELD_id && *end == ':' ? value << ID_POSITION_BITS | strtoull(end + 1, NULL, 10) : value;
}

static bool parse_words(const char *text, struct recorded *recorded, uint64_t start_ticks) {
  unsigned count = 0;
  char *end = (char *)text;
  for (; count < 4 * (RECORD_SLOTS_MAX - 1); text = end + 1) {
    if (*text == 't')
      recorded->words[count++] = start_ticks + (uint64_t)strtoll(text + 1, &end, 10);
    else
      recorded->words[count++] = strtoull(text, &end, 16);
    if (*end != ',')
      break;
  }
  recorded->record.more = (uint8_t)(count / 4);
  return *end == '\0' && count % 4 == 0;
}

/* A field of the row, by its name. */
static bool set_field(struct record *record, const char *name, const char *text, uint64_t start_ticks) {
  const struct field *fields = rows[record->type].fields;
  for (int i = 0; i < FIELDS; i++) {
    if (fields[i].type == FIELD_none || strcmp(fields[i].name, name))
      continue;
    uint64_t value = parse_value(fields[i].type, text, start_ticks);
    *(i == 0 ? &record->a : &record->b) = i < 2 ? value : record->b;
    record->c = i == 2 ? (uint32_t)value : record->c;
    return true;
  }
  return false;
}

static bool set_any(struct recorded *recorded, const char *name, const char *text, uint64_t start_ticks) {
  struct record *record = &recorded->record;
  if (!strcmp(name, "ticks"))
    record->ticks = parse_value(FIELD_ticks, text, start_ticks);
  else if (!strcmp(name, "endpoint"))
    record->endpoint = (uint8_t)strtoul(text, NULL, 10);
  else if (!strcmp(name, "flags"))
    record->flags = (uint8_t)strtoul(text, NULL, 10);
  else if (!strcmp(name, "words"))
    return parse_words(text, recorded, start_ticks);
  else
    return set_field(record, name, text, start_ticks);
  return true;
}

const char *recording_parse(char *line, uint64_t start_ticks, struct recorded *ret_recorded) {
  char *rest = NULL;
  strtok_r(line, " ", &rest);
  const char *slot = strtok_r(NULL, " ", &rest), *position = strtok_r(NULL, " ", &rest);
  const char *name = strtok_r(NULL, " ", &rest);
  if (!name)
    return "a record that is cut";
  ret_recorded->slot = (uint32_t)strtoul(slot, NULL, 10);
  ret_recorded->position = strtoull(position, NULL, 10);
  ret_recorded->record = (struct record){.type = (uint8_t)find_type(name)};
  if (ret_recorded->record.type == RECORD_TYPE_NONE)
    return "a record that this build does not know";
  for (char *word; (word = strtok_r(NULL, " ", &rest));) {
    char *value = strchr(word, '=');
    if (!value)
      return "a field without a value";
    *value++ = '\0';
    if (!set_any(ret_recorded, word, value, start_ticks))
      return "a field that this build does not know";
  }
  return NULL;
}
