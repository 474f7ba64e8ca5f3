#include "tables/database_sql.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(char sql[DATABASE_SQL_BYTES], const char *format, ...) {
  va_list arguments;
  size_t used = strlen(sql);
  va_start(arguments, format);
  vsnprintf(sql + used, DATABASE_SQL_BYTES - used, format, arguments);
  va_end(arguments);
}

static const char *rows_of(enum schema_table table) {
  return schema_has_region(table) ? "_rows" : "";
}

static const char *type_of(enum schema_type type) {
  return type == SCHEMA_TEXT ? " TEXT" : type == SCHEMA_NUMBER ? " NUMERIC" : " INTEGER";
}

static void add_view(char sql[DATABASE_SQL_BYTES], const struct schema_description *table) {
  add(sql, ";\nCREATE VIEW IF NOT EXISTS %s AS SELECT", table->name);
  for (size_t i = 0; i < table->column_count; i++) {
    const struct schema_column *column = &table->columns[i];
    add(sql, i ? ", " : " ");
    if (column->type == SCHEMA_REGION)
      add(sql, "r.region_id, n.region, n.construct, n.file, n.line");
    else
      add(sql, "r.%s", column->name);
  }
  add(sql, " FROM %s_rows r LEFT JOIN region_names n ON n.id = r.region_id", table->name);
}

void database_sql_create(char ret[DATABASE_SQL_BYTES], enum schema_table table) {
  const struct schema_description *description = schema_describe(table);
  bool has_region = schema_has_region(table);
  *ret = '\0';
  add(ret, "CREATE TABLE IF NOT EXISTS %s%s (", description->name, rows_of(table));
  for (size_t i = 0; i < description->column_count; i++) {
    const struct schema_column *column = &description->columns[i];
    add(ret, "%s%s%s%s%s", i ? ", " : "", column->name, column->type == SCHEMA_REGION ? "_id" : "",
        type_of(column->type), column->type == SCHEMA_ID ? " PRIMARY KEY" : "");
  }
  add(ret, ")");
  if (has_region)
    add_view(ret, description);
}

void database_sql_insert(char ret[DATABASE_SQL_BYTES], char ret_source[DATABASE_NAME_BYTES],
                         enum schema_table table) {
  const char *name = schema_describe(table)->name;
  snprintf(ret_source, DATABASE_NAME_BYTES, "%s_batch", name);
  *ret = '\0';
  add(ret, "INSERT INTO %s%s SELECT * FROM %s", name, rows_of(table), ret_source);
}

bool database_sql_next_id(char ret[DATABASE_SQL_BYTES], enum schema_table table) {
  const struct schema_description *description = schema_describe(table);
  *ret = '\0';
  if (description->columns[0].type != SCHEMA_ID)
    return false;
  add(ret, "SELECT coalesce(max(id) + 1, 0) FROM %s%s", description->name, rows_of(table));
  return true;
}

/* -- indexes and views -- */

struct view {
  const char *name, *sql;
};

struct index {
  enum schema_table table;
  const char *columns;
};

static const struct view views[] = {
#define VIEW(name, meaning, sql) {#name, sql},
#define INDEX(...)
#include "tables/views.def"
#undef VIEW
#undef INDEX
};

static const struct index indexes[] = {
#define VIEW(...)
#define INDEX(table, columns) {TABLE_##table, columns},
#include "tables/views.def"
#undef VIEW
#undef INDEX
};

enum { INDEX_COUNT = sizeof indexes / sizeof *indexes, VIEW_COUNT = sizeof views / sizeof *views };

bool database_sql_finish(char ret[DATABASE_SQL_BYTES], size_t index) {
  *ret = '\0';
  if (index >= (size_t)INDEX_COUNT + VIEW_COUNT)
    return false;
  if (index < INDEX_COUNT)
    add(ret, "CREATE INDEX %s_%zu ON %s%s (%s)", schema_describe(indexes[index].table)->name, index,
        schema_describe(indexes[index].table)->name, rows_of(indexes[index].table), indexes[index].columns);
  else
    add(ret, "CREATE VIEW %s AS %s", views[index - INDEX_COUNT].name, views[index - INDEX_COUNT].sql);
  return true;
}
