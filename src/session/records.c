#include "session/records.h"

#include <inttypes.h>
#include <stdio.h>

enum field_type { FIELD_none, FIELD_id, FIELD_address, FIELD_value, FIELD_ticks };

struct record_field {
  enum field_type type;
  const char *name;
};

static const struct record_row {
  const char *name;
  enum record_class class;
  struct record_field fields[3];
} rows[RECORD_TYPE_COUNT] = {
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  [RECORD_##id] = {#id,                                                                                      \
                   RECORD_CLASS_##class,                                                                     \
                   {{FIELD_##a_type, #a_name}, {FIELD_##b_type, #b_name}, {FIELD_##c_type, #c_name}}},
#include "session/records.def"
#undef RECORD
};

const char *record_name(unsigned type) {
  return type < RECORD_TYPE_COUNT && rows[type].name ? rows[type].name : "unknown";
}

enum record_class record_class(unsigned type) {
  return type < RECORD_TYPE_COUNT ? rows[type].class : RECORD_CLASS_none;
}

static int print_field(const struct record_field *field, uint64_t value, char *text, size_t size) {
  switch (field->type) {
  case FIELD_none:
    return 0;
  case FIELD_id:
    return snprintf(text, size, " %s=%" PRIu64 ":%" PRIu64, field->name, value >> ID_POSITION_BITS,
                    value & ((UINT64_C(1) << ID_POSITION_BITS) - 1));
  case FIELD_address:
    return snprintf(text, size, " %s=0x%" PRIx64, field->name, value);
  case FIELD_value:
  case FIELD_ticks:
    return snprintf(text, size, " %s=%" PRIu64, field->name, value);
  }
  return 0;
}

int record_print(const struct record *record, char *text, size_t size) {
  static const struct record_row unknown = {
      "unknown", RECORD_CLASS_none, {{FIELD_value, "a"}, {FIELD_value, "b"}, {FIELD_value, "c"}}};
  const struct record_row *row = &unknown;
  if (record->type < RECORD_TYPE_COUNT && rows[record->type].name)
    row = &rows[record->type];
  const uint64_t values[3] = {record->a, record->b, record->c};
  int n = snprintf(text, size, "%s ticks=%" PRIu64, row->name, record->ticks);
  for (int i = 0; i < 3; i++)
    n += print_field(&row->fields[i], values[i], (size_t)n < size ? text + n : NULL,
                     (size_t)n < size ? size - (size_t)n : 0);
  return n + snprintf((size_t)n < size ? text + n : NULL, (size_t)n < size ? size - (size_t)n : 0,
                      " endpoint=%u flags=0x%x", record->endpoint, record->flags);
}
