/* A connection that cannot write, on which an authorizer lets SELECT, reading and functions pass alone:
 * ATTACH would open other files, PRAGMA change what is remembered. */
#include "tables/database_query.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct database_query {
  sqlite3 *connection;
};

static int authorize(void *data, int action, const char *first, const char *second, const char *database,
                     const char *inner) {
  (void)data;
  (void)database;
  (void)inner;
  bool is_allowed = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
  if (action == SQLITE_FUNCTION)
    is_allowed = second && strcmp(second, "load_extension") != 0;
  if (action == SQLITE_PRAGMA) /* which columns a table has */
    is_allowed = first && strcmp(first, "table_info") == 0;
  return is_allowed ? SQLITE_OK : SQLITE_DENY;
}

static bool set_error(char error[DATABASE_ERROR_BYTES], sqlite3 *connection) {
  bool is_refused = sqlite3_errcode(connection) == SQLITE_AUTH;
  snprintf(error, DATABASE_ERROR_BYTES, "%s",
           is_refused ? "only SELECT is allowed: nothing here changes the database"
                      : sqlite3_errmsg(connection));
  return false;
}

/* What pragma_table_info needs is made before it would be refused. */
static const char preparations[] = "PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824;"
                                   "SELECT 1 FROM pragma_table_info('runs')";

struct database_query *database_query_open(const char *path, char error[DATABASE_ERROR_BYTES]) {
  struct database_query *query = memory_get(1, sizeof *query);
  if (sqlite3_open_v2(path, &query->connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
          SQLITE_OK ||
      sqlite3_exec(query->connection, preparations, NULL, NULL, NULL) != SQLITE_OK) {
    set_error(error, query->connection);
    database_query_close(query);
    return NULL;
  }
  sqlite3_set_authorizer(query->connection, authorize, NULL);
  return query;
}

void database_query_close(struct database_query *query) {
  if (!query)
    return;
  sqlite3_close(query->connection);
  free(query);
}

/* -- answers -- */

static struct cell cell_of(sqlite3_stmt *statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
  case SQLITE_INTEGER:
    return cell_integer(sqlite3_column_int64(statement, column));
  case SQLITE_FLOAT:
    return cell_real(sqlite3_column_double(statement, column));
  case SQLITE_NULL:
    return (struct cell){CELL_NULL, {0}};
  default:
    return (struct cell){CELL_TEXT, {.text = (const char *)sqlite3_column_text(statement, column)}};
  }
}

static bool pass_columns(sqlite3_stmt *statement, const struct query_observer *observer, void *data) {
  size_t count = (size_t)sqlite3_column_count(statement);
  const char **names = memory_get(count, sizeof *names);
  for (size_t i = 0; i < count; i++)
    names[i] = sqlite3_column_name(statement, (int)i);
  bool goes_on = observer->columns(data, names, count);
  free(names);
  return goes_on;
}

static int pass_rows(sqlite3_stmt *statement, const struct query_observer *observer, void *data) {
  size_t count = (size_t)sqlite3_column_count(statement);
  struct cell *cells = memory_get(count, sizeof *cells);
  int result = SQLITE_ROW;
  while (result == SQLITE_ROW && (result = sqlite3_step(statement)) == SQLITE_ROW) {
    for (size_t i = 0; i < count; i++)
      cells[i] = cell_of(statement, (int)i);
    if (!observer->row(data, cells, count))
      result = SQLITE_DONE;
  }
  free(cells);
  return result;
}

static bool is_blank(const char *text) {
  return text[strspn(text, " \t\r\n;")] == '\0';
}

static bool run(struct database_query *query, sqlite3_stmt *statement, const struct query_observer *observer,
                void *data, char error[DATABASE_ERROR_BYTES]) {
  if (!pass_columns(statement, observer, data))
    return true;
  return pass_rows(statement, observer, data) == SQLITE_DONE || set_error(error, query->connection);
}

bool database_query_run(struct database_query *query, const char *sql, const struct query_observer *observer,
                        void *data, char error[DATABASE_ERROR_BYTES]) {
  sqlite3_stmt *statement = NULL;
  const char *rest = sql;
  if (sqlite3_prepare_v2(query->connection, sql, -1, &statement, &rest) != SQLITE_OK)
    return set_error(error, query->connection);
  bool is_well = false;
  if (!statement)
    snprintf(error, DATABASE_ERROR_BYTES, "there is no statement");
  else if (!is_blank(rest))
    snprintf(error, DATABASE_ERROR_BYTES, "one statement at a time");
  else
    is_well = run(query, statement, observer, data, error);
  sqlite3_finalize(statement);
  return is_well;
}

/* -- whether it is the one that is requested -- */

static bool is_first_text(sqlite3 *connection, const char *sql, const char *requested) {
  sqlite3_stmt *statement = NULL;
  bool is_equal = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL) == SQLITE_OK &&
                  sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) &&
                  strcmp((const char *)sqlite3_column_text(statement, 0), requested) == 0;
  sqlite3_finalize(statement);
  return is_equal;
}

bool database_query_is_of(const char *path, const char *identity) {
  sqlite3 *connection = NULL;
  char version[16];
  snprintf(version, sizeof version, "%d", SCHEMA_VERSION);
  bool is_of = sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
               is_first_text(connection, "PRAGMA user_version", version) &&
               is_first_text(connection, "SELECT identity FROM made_of", identity);
  sqlite3_close(connection);
  return is_of;
}
