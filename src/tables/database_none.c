/* Of a build without SQLite. */
#include <stdio.h>

#include "tables/database.h"

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

bool database_complete(const char *path, char error[DATABASE_ERROR_BYTES]) {
  (void)path;
  return refuse(error);
}
