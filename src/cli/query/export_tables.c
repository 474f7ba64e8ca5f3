#include "cli/query/export_tables.h"

#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/progress.h"
#include "cli/common/usage.h"
#include "tables/database.h"
#include "tables/table_csv.h"
#include "tables/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* -- in the worker -- */

static int failed(const struct archive_job *job, const char *path, const char *error) {
  archive_job_has_read(job);
  message_print("cannot write %s: %s", path, error);
  return EXIT_FAILED;
}

struct run_request {
  const char *path;
  bool is_quiet; /* about what cannot be read: who queries the database later is notified */
};

static int write_run(void *data, const struct archive_job *job) {
  const struct run_request *request = data;
  const char *path = request->path;
  struct database *database;
  char error[TRACE_ERROR_BYTES], wrong[DATABASE_ERROR_BYTES];
  if (!database_open(&database, path, &job->progress->is_waiting, wrong))
    return failed(job, path, wrong);
  int result = tables_write(job->trace, job->path, database_writer(database), error);
  if (!database_close(database, wrong))
    return failed(job, path, wrong);
  if (result < 0)
    return archive_job_failed(job, error);
  if (result == 0)
    return EXIT_SUCCESS;
  archive_job_has_read(job);
  if (!request->is_quiet)
    message_print("%s: not all of it could be read (column incomplete of the table runs): %s", job->path,
                  error);
  return EXIT_FOUND;
}

int export_tables_csv(const struct archive_job *job, enum schema_table table, struct sink *sink,
                      char error[TRACE_ERROR_BYTES]) {
  struct table_csv *csv = table_csv_open(sink, table);
  int result = tables_write(job->trace, job->path, table_csv_writer(csv), error);
  table_csv_close(csv);
  return result;
}

/* -- around it -- */

static bool complete(const char *path, const char *identity) {
  char error[DATABASE_ERROR_BYTES];
  progress_show("indexing");
  bool is_complete = database_complete(path, identity, error);
  progress_clear();
  if (!is_complete)
    message_print("cannot write %s: %s", path, error);
  return is_complete;
}

/* Writes `count` archives into a new file of SQLite at `path`, which is there and empty. What cannot be read
 * of one is printed on stderr. `identity` is for database_complete. Returns the exit status: EXIT_FOUND if
 * not all could be read. */
static int export_tables_database(char *const *archives, size_t count, const char *identity,
                                  const char *path) {
  int worst = EXIT_SUCCESS;
  struct run_request request = {path, identity != NULL};
  if (!database_is_supported()) {
    message_print("this stave was built without SQLite, which -f sqlite and stave query need");
    return EXIT_FAILED;
  }
  for (size_t i = 0; i < count; i++) {
    int status = archive_job_run(archives[i], write_run, &request);
    if (status != EXIT_SUCCESS && status != EXIT_FOUND)
      return status;
    worst = status > worst ? status : worst;
  }
  return complete(path, identity) ? worst : EXIT_FAILED;
}

int export_tables_sqlite(char *const *archives, size_t count, const char *identity, const char *output) {
  struct partial_file file;
  if (!partial_file_open(&file, output))
    return EXIT_FAILED;
  int status = EXIT_FAILED;
  if (file.is_beside)
    status = export_tables_database(archives, count, identity, file.path);
  else
    message_print("cannot write %s: a database has to be a file", output);
  bool is_there = status == EXIT_SUCCESS || status == EXIT_FOUND;
  return partial_file_close(&file, is_there) || !is_there ? status : EXIT_FAILED;
}

const char *export_tables_word(size_t number) {
  return number < SCHEMA_TABLE_COUNT ? schema_describe((enum schema_table)number)->name : NULL;
}
