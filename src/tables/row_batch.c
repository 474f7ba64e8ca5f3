#include "tables/row_batch.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/utf8.h"

/* -- rows -- */

/* Returns its place. */
static int64_t keep_text(struct row_batch *batch, const char *text) {
  size_t bytes = strlen(text) + 1;
  array_reserve(&batch->texts, &batch->text_capacity, batch->text_bytes + bytes, 1);
  memcpy(batch->texts + batch->text_bytes, text, bytes);
  batch->text_bytes += bytes;
  return (int64_t)(batch->text_bytes - bytes);
}

/* What is no UTF-8, SQLite would store and others refuse. */
static int64_t keep_valid_text(struct row_batch *batch, const char *text) {
  if (utf8_is_valid(text))
    return keep_text(batch, text);
  char *clean = utf8_clean(text);
  int64_t place = keep_text(batch, clean);
  free(clean);
  return place;
}

static const struct cell *row_at(const struct row_batch *batch, size_t row) {
  return &batch->cells[row * batch->columns];
}

/* Rows come almost in the order of ids: a region ends shortly after those inside of it. */
static void put_in_order(struct row_batch *batch) {
  size_t place = batch->count;
  int64_t id = row_at(batch, batch->count)->integer;
  while (batch->has_ids && place > 0 && row_at(batch, batch->order[place - 1])->integer > id)
    place--;
  memmove(&batch->order[place + 1], &batch->order[place], (batch->count - place) * sizeof *batch->order);
  batch->order[place] = (uint16_t)batch->count;
}

void row_batch_add(struct row_batch *batch, const struct cell *cells) {
  if (!batch->cells)
    batch->cells = memory_get(ROW_BATCH_ROWS * batch->columns, sizeof *batch->cells);
  struct cell *row = &batch->cells[batch->count * batch->columns];
  memcpy(row, cells, batch->columns * sizeof *row);
  for (size_t i = 0; i < batch->columns; i++)
    if (row[i].kind == CELL_TEXT)
      row[i].integer = keep_valid_text(batch, cells[i].text);
  put_in_order(batch);
  batch->count++;
}

bool row_batch_is_full(const struct row_batch *batch) {
  return batch->count == ROW_BATCH_ROWS || batch->text_bytes >= ROW_BATCH_TEXT_BYTES;
}

void row_batch_clear(struct row_batch *batch) {
  batch->count = batch->text_bytes = 0;
}

void row_batch_free(struct row_batch *batch) {
  free(batch->cells);
  free(batch->texts);
}

/* -- the virtual table -- */

struct shown {
  sqlite3_vtab base;
  const struct row_batch *batch;
};

struct cursor {
  sqlite3_vtab_cursor base;
  const struct row_batch *batch;
  size_t at;
};

static void describe(char *sql, size_t bytes, size_t columns) {
  size_t used = (size_t)snprintf(sql, bytes, "CREATE TABLE rows (");
  for (size_t i = 0; i < columns; i++)
    used += (size_t)snprintf(sql + used, bytes - used, "c%zu%s", i, i + 1 < columns ? "," : ")");
}

static int on_connect(sqlite3 *connection, void *data, int count, const char *const *words,
                      sqlite3_vtab **ret, char **error) {
  const struct row_batch *batch = data;
  char sql[SCHEMA_COLUMNS_MAX * sizeof "c99," + 32];
  (void)count, (void)words, (void)error;
  describe(sql, sizeof sql, batch->columns);
  struct shown *shown = memory_get(1, sizeof *shown);
  shown->batch = batch;
  *ret = &shown->base;
  return sqlite3_declare_vtab(connection, sql);
}

static int on_disconnect(sqlite3_vtab *shown) {
  free(shown);
  return SQLITE_OK;
}

static int on_plan(sqlite3_vtab *shown, sqlite3_index_info *plan) {
  (void)shown;
  plan->estimatedCost = ROW_BATCH_ROWS;
  return SQLITE_OK;
}

static int on_open(sqlite3_vtab *shown, sqlite3_vtab_cursor **ret) {
  struct cursor *cursor = memory_get(1, sizeof *cursor);
  cursor->batch = ((struct shown *)shown)->batch;
  *ret = &cursor->base;
  return SQLITE_OK;
}

static int on_close(sqlite3_vtab_cursor *cursor) {
  free(cursor);
  return SQLITE_OK;
}

static int on_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int count,
                     sqlite3_value **values) {
  (void)number, (void)text, (void)count, (void)values;
  ((struct cursor *)cursor)->at = 0;
  return SQLITE_OK;
}

static int on_next(sqlite3_vtab_cursor *cursor) {
  ((struct cursor *)cursor)->at++;
  return SQLITE_OK;
}

static int on_eof(sqlite3_vtab_cursor *cursor) {
  const struct cursor *own = (const struct cursor *)cursor;
  return own->at >= own->batch->count;
}

static int on_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret) {
  *ret = (sqlite3_int64)((struct cursor *)cursor)->at;
  return SQLITE_OK;
}

static int on_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column) {
  const struct cursor *own = (const struct cursor *)cursor;
  const struct row_batch *batch = own->batch;
  const struct cell *cell = &row_at(batch, batch->order[own->at])[column];
  switch (cell->kind) {
  case CELL_INTEGER:
    sqlite3_result_int64(context, cell->integer);
    break;
  case CELL_REAL:
    sqlite3_result_double(context, cell->real);
    break;
  case CELL_TEXT:
    sqlite3_result_text(context, batch->texts + cell->integer, -1, SQLITE_STATIC);
    break;
  case CELL_NULL:
    break;
  }
  return SQLITE_OK;
}

/* Without xCreate the table is there by its name alone, in no database. */
static const sqlite3_module module = {.iVersion = 1,
                                      .xConnect = on_connect,
                                      .xBestIndex = on_plan,
                                      .xDisconnect = on_disconnect,
                                      .xOpen = on_open,
                                      .xClose = on_close,
                                      .xFilter = on_filter,
                                      .xNext = on_next,
                                      .xEof = on_eof,
                                      .xColumn = on_column,
                                      .xRowid = on_rowid};

int row_batch_define(struct row_batch *batch, sqlite3 *connection, const char *name,
                     enum schema_table table) {
  const struct schema_description *description = schema_describe(table);
  batch->columns = description->column_count;
  batch->has_ids = description->columns[0].type == SCHEMA_ID;
  return sqlite3_create_module(connection, name, &module, batch);
}
