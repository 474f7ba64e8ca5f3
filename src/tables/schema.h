/* Tables and columns, as schema.def lists them. */
#ifndef STAVE_TABLES_SCHEMA_H
#define STAVE_TABLES_SCHEMA_H

#include <stddef.h>

/* Counts every change of schema.def and views.def. */
enum { SCHEMA_VERSION = 2 };

enum schema_type {
  SCHEMA_INTEGER,
  SCHEMA_NUMBER,
  SCHEMA_TEXT,
  SCHEMA_ID,
  SCHEMA_REGION,
};

enum schema_table {
#define TABLE_BEGIN(table, meaning) TABLE_##table,
#define COLUMN(...)
#define TABLE_END(table)
#include "tables/schema.def"
#undef TABLE_BEGIN
#undef COLUMN
#undef TABLE_END
  SCHEMA_TABLE_COUNT
};

/* COLUMN_regions_thread, ...: positions of a row's cells. */
#define TABLE_BEGIN(table, meaning) enum {
#define COLUMN(table, column, ...) COLUMN_##table##_##column,
#define TABLE_END(table)                                                                                     \
  COLUMN_COUNT_##table                                                                                       \
  }                                                                                                          \
  ;
#include "tables/schema.def"
#undef TABLE_BEGIN
#undef COLUMN
#undef TABLE_END

enum { SCHEMA_COLUMNS_MAX = 24 };

struct schema_column {
  const char *name;
  enum schema_type type;
  const char *meaning;
};

struct schema_description {
  const char *name, *meaning;
  const struct schema_column *columns;
  size_t column_count;
};

/* Constant memory; for every table of the enumeration. */
const struct schema_description *schema_describe(enum schema_table table);

/* The table of this name; SCHEMA_TABLE_COUNT: there is none. */
enum schema_table schema_find(const char *name);

/* Whether a column of the table represents a region. */
int schema_has_region(enum schema_table table);

#endif
