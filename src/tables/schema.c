#include "tables/schema.h"

#include <assert.h>
#include <string.h>

#define TABLE_BEGIN(table, meaning)                                                                          \
  static_assert((int)COLUMN_COUNT_##table <= (int)SCHEMA_COLUMNS_MAX, "there is room for a row of it");      \
  static const struct schema_column table##_columns[] = {
#define COLUMN(table, column, type, meaning) {#column, SCHEMA_##type, meaning},
#define TABLE_END(table)                                                                                     \
  }                                                                                                          \
  ;
#include "tables/schema.def"
#undef TABLE_BEGIN
#undef COLUMN
#undef TABLE_END

static const struct schema_description descriptions[] = {
#define TABLE_BEGIN(table, meaning) {#table, meaning, table##_columns, COLUMN_COUNT_##table},
#define COLUMN(...)
#define TABLE_END(table)
#include "tables/schema.def"
#undef TABLE_BEGIN
#undef COLUMN
#undef TABLE_END
};

const struct schema_description *schema_describe(enum schema_table table) {
  return &descriptions[table];
}

enum schema_table schema_find(const char *name) {
  int table = 0;
  while (table < SCHEMA_TABLE_COUNT && strcmp(descriptions[table].name, name) != 0)
    table++;
  return (enum schema_table)table;
}

int schema_has_region(enum schema_table table) {
  const struct schema_description *description = &descriptions[table];
  for (size_t i = 0; i < description->column_count; i++)
    if (description->columns[i].type == SCHEMA_REGION)
      return 1;
  return 0;
}
