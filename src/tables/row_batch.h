/* Rows of one table that are to be inserted together: they are a virtual table of SQLite, so one statement,
 * INSERT ... SELECT, inserts a batch without binding a value. */
#ifndef STAVE_TABLES_ROW_BATCH_H
#define STAVE_TABLES_ROW_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/rows.h"

enum { ROW_BATCH_ROWS = 512, ROW_BATCH_TEXT_BYTES = 1 << 18 };

struct sqlite3;

struct row_batch {
  size_t columns, count;
  bool has_ids;       /* the first column has ids */
  struct cell *cells; /* row by row; a text's integer is its place in `texts`. NULL: no row has come yet */
  uint16_t order[ROW_BATCH_ROWS]; /* of the rows, by id: SQLite appends what is greater than all, and looks
                                   * for the place of all else */
  char *texts;
  size_t text_bytes, text_capacity;
};

/* Defines the virtual table `name`, which shows the batch as long as it lives. Returns a code of SQLite's. */
int row_batch_define(struct row_batch *batch, struct sqlite3 *connection, const char *name,
                     enum schema_table table);

/* Copies a row, whose texts become valid UTF-8. */
void row_batch_add(struct row_batch *batch, const struct cell *cells);

bool row_batch_is_full(const struct row_batch *batch);
void row_batch_clear(struct row_batch *batch);
void row_batch_free(struct row_batch *batch);

#endif
