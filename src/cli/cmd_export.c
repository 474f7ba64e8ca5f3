#include "cli/cmd_export.h"

#include "cli/message.h"
#include "cli/reading.h"
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct format {
  const char *name, *summary;
  export_write write;
};

static const struct format formats[] = {
    {"chrome", "trace events as JSON, for ui.perfetto.dev and chrome://tracing", export_chrome},
    {"csv", "every event as a row of a table", export_csv},
    {"dot", "the graph of tasks, for Graphviz", export_dot},
};

struct request {
  const char *path;
  const struct format *format;
  const char *output;      /* NULL or "-": standard output */
  char part[PATH_MAX + 8]; /* where a new file grows; empty: the output is written as it is */
};

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

void cmd_export_help(void) {
  printf("usage: stave export --format FORMAT [-o FILE] ARCHIVE\n\n"
         "Writes what an OTF2 archive holds in a form that other programs read.\n\n"
         "  -f, --format FORMAT  one of:\n");
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    printf("                         %-6s  %s\n", formats[i].name, formats[i].summary);
  printf("  -o, --output FILE    the file to write; without it, or as -, standard output\n"
         "  -h, --help           this text\n\n"
         "Exit status: 0; 1 if the archive cannot be read or the file not be written; 2 if an option is wrong.\n");
}

/* -- in the worker -- */

static int open_output(const struct request *request) {
  const char *name = *request->part ? request->part : request->output;
  if (!name)
    return STDOUT_FILENO;
  int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    message_say("cannot write %s: %m", request->output);
  return fd;
}

/* A reader that has seen enough, such as head, closes its pipe: nothing to complain about. */
static void report_output(const struct request *request, int error) {
  if (error != EPIPE)
    message_say("cannot write %s: %s", request->output ? request->output : "to standard output", strerror(error));
}

static int write_to(const struct request *request, struct trace *trace, int fd, struct guard_progress *progress) {
  struct sink *sink = malloc(sizeof *sink);
  char error[TRACE_ERROR_BYTES] = "out of memory";
  int result = -ENOMEM, output = 0;
  if (sink) {
    sink_open_file(sink, fd, &progress->is_waiting);
    result = request->format->write(trace, sink, error);
    output = sink_finish(sink);
  }
  free(sink);
  if (result < 0)
    message_say("%s: %s", request->path, error);
  if (output < 0)
    report_output(request, -output);
  return result < 0 || output < 0 ? EXIT_FAILED : EXIT_SUCCESS;
}

static int export(void *data, const struct place *place, struct guard_progress *progress) {
  const struct request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct trace *trace;
  signal(SIGPIPE, SIG_IGN);
  if (trace_open(place->anchor, &progress->done, &trace, error) < 0) {
    message_say("%s: %s", request->path, error);
    return EXIT_FAILED;
  }
  reading_expect(trace, progress, 1);
  int fd = open_output(request);
  int status = fd < 0 ? EXIT_FAILED : write_to(request, trace, fd, progress);
  trace_close(trace);
  if (fd > STDERR_FILENO && close(fd) < 0 && status == EXIT_SUCCESS) {
    report_output(request, errno);
    status = EXIT_FAILED;
  }
  return status;
}

/* -- around it -- */

/* A file appears when it is whole; pipes and devices are written to as they are. */
static void choose_part(struct request *request) {
  struct stat status;
  if (!request->output || (stat(request->output, &status) == 0 && !S_ISREG(status.st_mode)))
    return;
  snprintf(request->part, sizeof request->part, "%.*s.part", PATH_MAX, request->output);
}

static int keep_or_remove(const struct request *request, int status) {
  if (!*request->part)
    return status;
  if (status != EXIT_SUCCESS) {
    unlink(request->part);
    return status;
  }
  if (rename(request->part, request->output) == 0)
    return EXIT_SUCCESS;
  message_say("cannot write %s: %m", request->output);
  unlink(request->part);
  return EXIT_FAILED;
}

static int run(struct request *request) {
  if (!request->output && isatty(STDOUT_FILENO) == 1) {
    message_say("export: standard output is a terminal; say -o FILE, or -o - to print there");
    return EXIT_USAGE;
  }
  if (request->output && strcmp(request->output, "-") == 0)
    request->output = NULL;
  choose_part(request);
  return keep_or_remove(request, reading_run(request->path, export, request, EXIT_FAILED));
}

static const struct format *find_format(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, name) == 0)
      return &formats[i];
  message_say("export: there is no format %s; stave help export lists them", name);
  return NULL;
}

static int usage(const char *what) {
  message_say("export: %s; stave help export says more", what);
  return EXIT_USAGE;
}

int cmd_export(int argc, char **argv) {
  struct request request = {0};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, ":f:o:h", options, NULL)) != -1;) {
    if (option == 'h') {
      cmd_export_help();
      return EXIT_SUCCESS;
    }
    if (option == 'f' && !(request.format = find_format(optarg)))
      return EXIT_USAGE;
    if (option == 'o')
      request.output = optarg;
    if (option == '?' || option == ':') {
      message_say("export: %s %s; stave help export says more",
                  option == '?' ? "there is no option" : "a value is missing after", argv[optind - 1]);
      return EXIT_USAGE;
    }
  }
  if (optind + 1 != argc)
    return usage(optind == argc ? "no archive given" : "one archive at a time");
  if (!request.format)
    return usage("no format given");
  request.path = argv[optind];
  return run(&request);
}
