/* Of a build without SQLite. */
#include <stdio.h>

#include "tables/database_query.h"

static bool refuse(char error[DATABASE_ERROR_BYTES]) {
  snprintf(error, DATABASE_ERROR_BYTES, "this stave was built without SQLite");
  return false;
}

bool database_is_supported(void) {
  return false;
}

bool database_open(struct database **ret, const char *path, _Atomic bool *is_waiting,
                   char error[DATABASE_ERROR_BYTES]) {
  (void)path;
  (void)is_waiting;
  *ret = NULL;
  return refuse(error);
}

struct row_writer *database_writer(struct database *database) {
  (void)database;
  return NULL;
}

bool database_close(struct database *database, char error[DATABASE_ERROR_BYTES]) {
  (void)database;
  return refuse(error);
}

bool database_complete(const char *path, const char *identity, char error[DATABASE_ERROR_BYTES]) {
  (void)path;
  (void)identity;
  return refuse(error);
}

struct database_query *database_query_open(const char *path, char error[DATABASE_ERROR_BYTES]) {
  (void)path;
  refuse(error);
  return NULL;
}

void database_query_close(struct database_query *query) {
  (void)query;
}

bool database_query_run(struct database_query *query, const char *sql, const struct query_observer *observer,
                        void *data, char error[DATABASE_ERROR_BYTES]) {
  (void)query;
  (void)sql;
  (void)observer;
  (void)data;
  return refuse(error);
}

bool database_query_is_of(const char *path, const char *identity) {
  (void)path;
  (void)identity;
  return false;
}
