#include "cli/query/cmd_query.h"

#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/query/query_cache.h"
#include "cli/query/query_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct query_request {
  const char *path, *sql;
  enum query_form form;
  bool has_list, has_where;
  uint64_t row_limit; /* 0: none */
};

enum { OPTION_CSV = 256, OPTION_JSON, OPTION_LIST, OPTION_ROWS, OPTION_WHERE };

static const struct usage_option options[] = {
    {OPTION_CSV, "csv", NULL, "print the answer as CSV", USAGE_NOTHING, NULL},
    {OPTION_JSON, "json", NULL, "print the answer as JSON: an array of objects, one a line", USAGE_NOTHING,
     NULL},
    {OPTION_LIST, "list", NULL, "list tables and views with their columns, in place of a query",
     USAGE_NOTHING, NULL},
    {OPTION_ROWS, "rows", "N", "print at most N rows; whether there are more is a line on stderr",
     USAGE_NOTHING, NULL},
    {OPTION_WHERE, "where", NULL, "make the database, if there is none, and print where it is", USAGE_NOTHING,
     NULL},
    {0},
};

/* Views come after; rows of tables that are views for their regions are not listed twice. */
static const char list_sql[] =
    "SELECT m.name, CASE WHEN m.type = 'table' OR EXISTS"
    " (SELECT 1 FROM sqlite_master o WHERE o.name = m.name || '_rows') THEN 'table' ELSE 'view' END AS kind,"
    " group_concat(c.name, ', ') AS columns FROM sqlite_master m, pragma_table_info(m.name) c"
    " WHERE m.type IN ('table', 'view') AND m.name NOT LIKE '%\\_rows' ESCAPE '\\' AND m.name <> 'made_of'"
    " GROUP BY m.name ORDER BY kind, m.rowid";

/* -- what could not be read of the archive -- */

static bool ignore_columns(void *data, const char *const *names, size_t count) {
  (void)data;
  (void)names;
  (void)count;
  return true;
}

static bool print_incomplete(void *data, const struct cell *cells, size_t count) {
  (void)count;
  *(bool *)data = true;
  message_print("%s: not all of it could be read: %s", cells[0].text, cells[1].text);
  return true;
}

static bool is_incomplete(struct database_query *query) {
  static const struct query_observer observer = {ignore_columns, print_incomplete};
  char error[DATABASE_ERROR_BYTES];
  bool is_found = false;
  database_query_run(query, "SELECT archive, incomplete FROM runs WHERE incomplete IS NOT NULL", &observer,
                     &is_found, error);
  return is_found;
}

/* -- the query -- */

static int run_query(const struct query_request *request, struct database_query *query) {
  char error[DATABASE_ERROR_BYTES];
  bool is_cut = is_incomplete(query);
  struct query_output *output = query_output_open(request->form, request->row_limit);
  bool is_right = database_query_run(query, request->has_list ? list_sql : request->sql,
                                     &query_output_observer, output, error);
  bool is_written = query_output_close(output, is_right);
  if (!is_right) {
    message_print("query: %s", error);
    return EXIT_USAGE;
  }
  return !is_written ? EXIT_FAILED : is_cut ? EXIT_FOUND : EXIT_SUCCESS;
}

static int run(const struct query_request *request) {
  char path[PATH_MAX], error[DATABASE_ERROR_BYTES];
  if (!database_is_supported()) {
    message_print("this stave was built without SQLite, which stave query needs");
    return EXIT_FAILED;
  }
  int status = query_cache_find(request->path, path);
  if (status != EXIT_SUCCESS)
    return status;
  if (request->has_where)
    return printf("%s\n", path) > 0 && message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
  struct database_query *query = database_query_open(path, error);
  if (!query) {
    message_print("cannot read %s: %s", path, error);
    return EXIT_FAILED;
  }
  status = run_query(request, query);
  database_query_close(query);
  return status;
}

/* -- how it is called -- */

static bool set_option(void *data, int option, const char *value) {
  struct query_request *request = data;
  if (option == OPTION_ROWS)
    return usage_number("query", "--rows", value, 1, INT64_MAX, &request->row_limit);
  if (option == OPTION_CSV)
    request->form = QUERY_CSV;
  if (option == OPTION_JSON)
    request->form = QUERY_JSON;
  if (option == OPTION_LIST)
    request->has_list = true;
  if (option == OPTION_WHERE)
    request->has_where = true;
  return true;
}

const struct usage *cmd_query_usage(void) {
  static const struct usage usage = {
      .command = "query",
      .summary = "query an archive in SQL",
      .synopsis = "[--csv|--json] [--rows N] ARCHIVE SELECT | --list|--where ARCHIVE",
      .about = "Answers a query of SQL over the tables of regions, tasks, locks and more that "
               "stave-tables(5) describes. Their database is made at the first query, in the folder stave of "
               "$XDG_CACHE_HOME or ~/.cache, and again when the archive has changed. ARCHIVE may also be a "
               "database that stave export -f sqlite has written. Nothing can be changed by a query.",
      .status =
          "Exit status: 0; 1 if the archive cannot be read; 2 if an option is wrong, or the query; 3 if "
          "the answer lacks what could not be read of the archive.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .accepts_several = true,
      .set = set_option,
  };
  return &usage;
}

int cmd_query(int argc, char **argv) {
  struct query_request request = {0};
  int status = usage_read(cmd_query_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  bool has_query = !request.has_list && !request.has_where;
  if (argc - optind != (has_query ? 2 : 1)) {
    usage_error("query", !has_query           ? "one archive at a time"
                         : argc - optind == 1 ? "no query given"
                                              : "one archive and one query at a time");
    return EXIT_USAGE;
  }
  request.path = argv[optind];
  request.sql = argv[optind + 1];
  return run(&request);
}
