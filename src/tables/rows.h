/* Rows between an archive and a database or a file. */
#ifndef STAVE_TABLES_ROWS_H
#define STAVE_TABLES_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/schema.h"

enum cell_kind {
  CELL_NULL, /* not known, or nothing */
  CELL_INTEGER,
  CELL_REAL,
  CELL_TEXT,
};

struct cell {
  enum cell_kind kind;
  union {
    int64_t integer; /* of a column of the type REGION: id of region_names */
    double real;
    const char *text; /* lasts until the row is written */
  };
};

/* A row is an array of cells by COLUMN_TABLE_NAME; what is not set is NULL. */
#define ROW(table) struct cell table[COLUMN_COUNT_##table] = {{CELL_NULL, {0}}}

static inline struct cell cell_integer(int64_t integer) {
  return (struct cell){CELL_INTEGER, {.integer = integer}};
}

static inline struct cell cell_real(double real) {
  return (struct cell){CELL_REAL, {.real = real}};
}

/* Of what has no sign: beyond 2^63 it is what no column holds. */
static inline struct cell cell_number(uint64_t number) {
  return number <= INT64_MAX ? cell_integer((int64_t)number) : (struct cell){CELL_NULL, {0}};
}

/* NULL and "" are NULL. */
static inline struct cell cell_text(const char *text) {
  return text && *text ? (struct cell){CELL_TEXT, {.text = text}} : (struct cell){CELL_NULL, {0}};
}

/* What ids count on from, of the next run. */
struct row_ids {
  int64_t run; /* the run's own */
  int64_t next[SCHEMA_TABLE_COUNT];
};

/* Where rows go. */
struct row_writer {
  /* `cells` is an array of the table's columns. After an error everything is dropped. */
  void (*row)(struct row_writer *writer, enum schema_table table, const struct cell *cells);
  bool is_requested[SCHEMA_TABLE_COUNT]; /* rows of others need not be made */
  struct row_ids ids;
  int error; /* errno of what failed first; 0: nothing */
};

static inline void row_write(struct row_writer *writer, enum schema_table table, const struct cell *cells) {
  if (writer->is_requested[table] && writer->error == 0)
    writer->row(writer, table, cells);
}

#endif
