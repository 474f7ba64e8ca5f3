#include "cli/cmd_export.h"

#include "base/memory.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/usage.h"
#include "cli/query/export_tables.h"
#include "export/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT_WIDTH = 12 };

struct export_format {
  const char *name, *summary;
  export_write write;
  bool is_database; /* a file of several archives, and nothing for a pipe */
};

static const struct export_format formats[] = {
    {"chrome", "trace events as JSON, for ui.perfetto.dev and chrome://tracing", export_chrome, false},
    {"csv",
     "every event as a row of a table, for pandas, DuckDB and others; with --table: regions, tasks, ...",
     export_csv, false},
    {"dot", "the graph of tasks by lines in the source, for Graphviz", export_dot, false},
    {"sqlite", "tables of regions, tasks, locks and more, and views, as a database", NULL, true},
};

struct export_request {
  const char *path;
  char *const *archives;
  size_t archive_count;
  const struct export_format *format;
  const char *output; /* NULL or "-": standard output */
  bool has_table;
  enum schema_table table;
  int fd; /* what it is written to */
};

static const char *format_word(size_t number) {
  return number < sizeof formats / sizeof *formats ? formats[number].name : NULL;
}

static const struct usage_option options[] = {
    {'f', "format", "FORMAT", "one of those below", USAGE_WORD, format_word},
    {'o', "output", "FILE", "the file to write; without it, or as -, standard output", USAGE_FILE, NULL},
    {'T', "table", "NAME", "with csv: this table of stave-tables(5) instead of events", USAGE_WORD,
     export_tables_word},
    {0},
};

static void print_formats(void) {
  printf("\nFormats:\n");
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    usage_print_row(formats[i].name, formats[i].summary, FORMAT_WIDTH);
}

/* -- in the worker -- */

static int report_output(const struct export_request *request, int error) {
  message_print("cannot write %s: %s", request->output ? request->output : "to standard output",
                strerror(error));
  return EXIT_FAILED;
}

static int write_output(const struct export_request *request, const struct archive_job *job,
                        struct sink *sink, char error[TRACE_ERROR_BYTES]) {
  if (request->has_table)
    return export_tables_csv(job, request->table, sink, error);
  return request->format->write(job->trace, sink, error);
}

/* Where the output fails, that is what ended the reading too. */
static int export(void *data, const struct archive_job *job) {
  const struct export_request *request = data;
  struct sink *sink = memory_get(1, sizeof *sink);
  char error[TRACE_ERROR_BYTES];
  sink_open_file(sink, request->fd, &job->progress->is_waiting);
  int result = write_output(request, job, sink, error), output = sink_finish(sink);
  free(sink);
  if (output < 0)
    return report_output(request, -output);
  return result != 0 ? archive_job_failed(job, error) : EXIT_SUCCESS;
}

/* -- around it -- */

static int export_to_file(struct export_request *request) {
  struct partial_file file;
  if (!partial_file_open(&file, request->output))
    return EXIT_FAILED;
  request->fd = file.fd;
  int status = archive_job_run(request->path, export, request);
  bool is_complete = partial_file_close(&file, status == EXIT_SUCCESS);
  return is_complete || status != EXIT_SUCCESS ? status : EXIT_FAILED;
}

static int export_database(const struct export_request *request) {
  if (request->output && strcmp(request->output, "-") != 0)
    return export_tables_sqlite(request->archives, request->archive_count, NULL, request->output);
  usage_error("export", "-f sqlite requires -o FILE");
  return EXIT_USAGE;
}

static int run(struct export_request *request) {
  if (request->format->is_database)
    return export_database(request);
  if (!request->output && isatty(STDOUT_FILENO) == 1) {
    usage_error("export", "standard output is a terminal: -o FILE writes a file, -o - prints there");
    return EXIT_USAGE;
  }
  if (request->output && strcmp(request->output, "-") != 0)
    return export_to_file(request);
  request->output = NULL;
  request->fd = STDOUT_FILENO;
  return archive_job_run(request->path, export, request);
}

static bool read_format(const char *name, const struct export_format **ret) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, name) == 0) {
      *ret = &formats[i];
      return true;
    }
  return usage_unknown("export", "format", name, strlen(name), format_word);
}

static bool read_table(const char *name, struct export_request *request) {
  request->has_table = true;
  request->table = schema_find(name);
  return request->table < SCHEMA_TABLE_COUNT ||
         usage_unknown("export", "table", name, strlen(name), export_tables_word);
}

static bool set_option(void *data, int option, const char *value) {
  struct export_request *request = data;
  if (option == 'o')
    request->output = value;
  if (option == 'T')
    return read_table(value, request);
  return option != 'f' || read_format(value, &request->format);
}

const struct usage *cmd_export_usage(void) {
  static const struct usage usage = {
      .command = "export",
      .summary = "write an archive as JSON, CSV, DOT or a database for other programs",
      .synopsis = "--format FORMAT [-o FILE] ARCHIVE...",
      .about = "Writes what an OTF2 archive holds in a form that other programs read.",
      .status = "Exit status: 0; 1 if the archive cannot be read or the file not be written; 2 if an option "
                "is wrong; 3 if a database lacks what could not be read.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .accepts_several = true,
      .more_help = print_formats,
      .set = set_option,
  };
  return &usage;
}

/* What does not fit together, after usage_error. */
static bool is_right(const struct export_request *request) {
  const struct export_format *format = request->format;
  if (!format)
    return usage_error("export", "no format given");
  if (request->has_table && format->write != export_csv)
    return usage_error("export", "--table is for the format csv");
  if (request->archive_count > 1 && !format->is_database)
    return usage_error("export", "one archive at a time");
  return true;
}

int cmd_export(int argc, char **argv) {
  struct export_request request = {0};
  int status = usage_read(cmd_export_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  request.path = argv[optind];
  request.archives = argv + optind;
  request.archive_count = (size_t)(argc - optind);
  return is_right(&request) ? run(&request) : EXIT_USAGE;
}
