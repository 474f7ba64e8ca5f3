#include "session/records.h"

static const struct record_row {
  const char *name;
  enum record_class class;
} rows[RECORD_TYPE_COUNT] = {
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  [RECORD_##id] = {#id, RECORD_CLASS_##class},
#include "session/records.def"
#undef RECORD
};

const char *record_name(unsigned type) {
  return type < RECORD_TYPE_COUNT && rows[type].name ? rows[type].name : "unknown";
}

enum record_class record_class(unsigned type) {
  return type < RECORD_TYPE_COUNT ? rows[type].class : RECORD_CLASS_none;
}
