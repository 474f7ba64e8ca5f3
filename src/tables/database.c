/* One transaction a run, statements that are prepared once and insert a batch of rows each, and no journal: a
 * file that is not closed is removed by who requested it. Rows are appended; indexes come at the end. */
#include "tables/database.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tables/database_sql.h"
#include "tables/row_batch.h"

struct database {
  struct row_writer writer;
  sqlite3 *connection;
  sqlite3_stmt *inserts[SCHEMA_TABLE_COUNT];
  struct row_batch batches[SCHEMA_TABLE_COUNT];
  _Atomic bool *is_waiting;
  char error[DATABASE_ERROR_BYTES];
};

static const char settings[] = "PRAGMA page_size = 8192;"
                               "PRAGMA journal_mode = OFF;"
                               "PRAGMA synchronous = OFF;"
                               "PRAGMA locking_mode = EXCLUSIVE;"
                               "PRAGMA cache_size = -32768;"
                               "PRAGMA temp_store = FILE;";

bool database_is_supported(void) {
  return true;
}

/* The first error is the one that counts. */
static bool failed(struct database *database) {
  if (!*database->error)
    snprintf(database->error, sizeof database->error, "%s", sqlite3_errmsg(database->connection));
  if (database->writer.error == 0)
    database->writer.error = EIO;
  return false;
}

static bool execute(struct database *database, const char *sql) {
  return sqlite3_exec(database->connection, sql, NULL, NULL, NULL) == SQLITE_OK || failed(database);
}

/* -- rows -- */

static void insert_batch(struct database *database, enum schema_table table) {
  struct row_batch *batch = &database->batches[table];
  if (batch->count == 0 || database->writer.error)
    return;
  if (sqlite3_step(database->inserts[table]) != SQLITE_DONE)
    failed(database);
  sqlite3_reset(database->inserts[table]);
  row_batch_clear(batch);
}

static void write_row(struct row_writer *writer, enum schema_table table, const struct cell *cells) {
  struct database *database = (struct database *)writer;
  struct row_batch *batch = &database->batches[table];
  row_batch_add(batch, cells);
  if (row_batch_is_full(batch))
    insert_batch(database, table);
}

/* -- opening -- */

static bool create_tables(struct database *database) {
  char sql[DATABASE_SQL_BYTES];
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++) {
    database_sql_create(sql, (enum schema_table)table);
    if (!execute(database, sql))
      return false;
  }
  snprintf(sql, sizeof sql, "PRAGMA user_version = %d", SCHEMA_VERSION);
  return execute(database, sql);
}

static bool prepare_insert(struct database *database, enum schema_table table) {
  char sql[DATABASE_SQL_BYTES], source[DATABASE_NAME_BYTES];
  database_sql_insert(sql, source, table);
  int result = row_batch_define(&database->batches[table], database->connection, source, table);
  if (result == SQLITE_OK)
    result = sqlite3_prepare_v3(database->connection, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                &database->inserts[table], NULL);
  return result == SQLITE_OK || failed(database);
}

static bool prepare_inserts(struct database *database) {
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    if (!prepare_insert(database, (enum schema_table)table))
      return false;
  return true;
}

/* The number after the last one of the table's ids. */
static bool next_id(struct database *database, enum schema_table table, int64_t *ret) {
  char sql[DATABASE_SQL_BYTES];
  sqlite3_stmt *query = NULL;
  *ret = 0;
  if (!database_sql_next_id(sql, table))
    return true;
  int result = sqlite3_prepare_v2(database->connection, sql, -1, &query, NULL);
  if (result == SQLITE_OK)
    result = sqlite3_step(query);
  if (result == SQLITE_ROW)
    *ret = sqlite3_column_int64(query, 0);
  sqlite3_finalize(query);
  return result == SQLITE_ROW || failed(database);
}

static bool read_ids(struct database *database) {
  struct row_ids *ids = &database->writer.ids;
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    if (!next_id(database, (enum schema_table)table, &ids->next[table]))
      return false;
  ids->run = ids->next[TABLE_runs] ? ids->next[TABLE_runs] : 1;
  return true;
}

/* One thread uses it: locks, and counts of memory under one, would cost a tenth of the time. */
static bool connect(struct database *database, const char *path) {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  return sqlite3_open_v2(path, &database->connection, flags, NULL) == SQLITE_OK || failed(database);
}

static bool open_database(struct database *database, const char *path) {
  if (!connect(database, path))
    return false;
  return execute(database, settings) && execute(database, "BEGIN") && create_tables(database) &&
         read_ids(database) && prepare_inserts(database);
}

bool database_open(struct database **ret, const char *path, _Atomic bool *is_waiting,
                   char error[DATABASE_ERROR_BYTES]) {
  struct database *database = *ret = memory_get(1, sizeof *database);
  database->writer.row = write_row;
  database->is_waiting = is_waiting;
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    database->writer.is_requested[table] = true;
  if (open_database(database, path))
    return true;
  database_close(database, error);
  *ret = NULL;
  return false;
}

struct row_writer *database_writer(struct database *database) {
  return &database->writer;
}

/* -- the end -- */

static bool commit(struct database *database) {
  if (database->is_waiting)
    atomic_store(database->is_waiting, true);
  bool is_complete = execute(database, "COMMIT");
  if (database->is_waiting)
    atomic_store(database->is_waiting, false);
  return is_complete;
}

bool database_close(struct database *database, char error[DATABASE_ERROR_BYTES]) {
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    insert_batch(database, (enum schema_table)table);
  bool is_complete = database->writer.error == 0 && commit(database);
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    sqlite3_finalize(database->inserts[table]);
  if (sqlite3_close(database->connection) != SQLITE_OK)
    is_complete = failed(database);
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    row_batch_free(&database->batches[table]);
  snprintf(error, DATABASE_ERROR_BYTES, "%s", database->error);
  free(database);
  return is_complete;
}

static bool identify(struct database *database, const char *identity) {
  char *sql =
      sqlite3_mprintf("CREATE TABLE made_of (identity TEXT); INSERT INTO made_of VALUES (%Q)", identity);
  bool is_well = sql && execute(database, sql);
  sqlite3_free(sql);
  return is_well;
}

static bool complete(struct database *database) {
  char sql[DATABASE_SQL_BYTES];
  for (size_t i = 0; database_sql_finish(sql, i); i++)
    if (!execute(database, sql))
      return false;
  return true;
}

bool database_complete(const char *path, const char *identity, char error[DATABASE_ERROR_BYTES]) {
  struct database database = {0};
  bool is_complete = connect(&database, path) && execute(&database, settings) &&
                     execute(&database, "BEGIN") && complete(&database) &&
                     (!identity || identify(&database, identity)) && execute(&database, "COMMIT");
  sqlite3_close(database.connection);
  snprintf(error, DATABASE_ERROR_BYTES, "%s", database.error);
  return is_complete;
}
