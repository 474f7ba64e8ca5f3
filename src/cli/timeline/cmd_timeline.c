#include "cli/timeline/cmd_timeline.h"

#include "base/memory.h"
#include "cli/common/archive_job.h"
#include "cli/common/ending.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/summary.h"
#include "cli/common/times.h"
#include "cli/common/usage.h"
#include "cli/timeline/beside.h"
#include "cli/timeline/panel.h"
#include "cli/timeline/serve.h"
#include "timeline/page/page.h"
#include "timeline/picture/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_WIDTH 1200
#define MAX_REGIONS 2000000
#define TEXT_OF(number) TEXT_AS_WRITTEN(number)
#define TEXT_AS_WRITTEN(number) #number

enum { MAX_WIDTH = 20000, MIN_WIDTH = 300, PORT_MAX = 65535 };

enum { MIN_REGIONS = 100 };

enum output_format { FORMAT_HTML, FORMAT_SVG, FORMAT_PNG, FORMAT_PDF };

struct timeline_request {
  char *const *paths; /* one, or several to compare */
  int count;
  const char *archive; /* what is drawn: the path, or that of all beside each other */
  struct align align;
  const char *align_argument;
  const char *output_argument; /* the output's name; NULL: the archive's, with .html */
  const char *title;           /* NULL: the archive's name */
  enum output_format format;
  struct times times;
  uint64_t width, regions; /* regions: how many are kept at most */
  bool has_no_findings;    /* on the page */
  bool has_sources;        /* the page, lines of the source */
  bool is_served;          /* at this port; 0: any */
  uint64_t port;
  json_t *report; /* its first screen; NULL: not there */
  bool is_named;  /* the output; else it is standard output */
  int fd;         /* what it is written to */
  char output[PATH_MAX];
};

/* Long options that have no letter. */
enum {
  OPTION_ALIGN = 256,
  OPTION_FROM,
  OPTION_NO_FINDINGS,
  OPTION_PORT,
  OPTION_REGIONS,
  OPTION_SERVE,
  OPTION_SOURCES,
  OPTION_TO,
  OPTION_TITLE,
  OPTION_WIDTH
};

static const struct usage_option options[] = {
    {'o', "output", "FILE",
     ".html: a page to explore in a browser, which needs nothing else; .svg, .png, .pdf: a picture; -: a "
     "page on standard "
     "output; default ARCHIVE.html, here",
     USAGE_FILE, NULL},
    {OPTION_ALIGN, "align", "WHERE",
     "of several archives: start (the default); REGION or REGION#N (a name, a part that no other has, or "
     "FILE:LINE), where that is entered for the first or the Nth time; TIME,TIME,...: these of each",
     USAGE_NOTHING, NULL},
    {OPTION_FROM, "from", "TIME", "begin there, since the trace's beginning: 1.5s, 200ms, 30us, 2min",
     USAGE_NOTHING, NULL},
    {OPTION_TO, "to", "TIME", "end there", USAGE_NOTHING, NULL},
    {OPTION_TITLE, "title", "TEXT", "instead of the archive's name", USAGE_NOTHING, NULL},
    {OPTION_WIDTH, "width", "N", "of a picture, in points or pixels; default " TEXT_OF(DEFAULT_WIDTH),
     USAGE_NOTHING, NULL},
    {OPTION_REGIONS, "max-regions", "N",
     "of a page: more are merged with what is beside them; default " TEXT_OF(MAX_REGIONS), USAGE_NOTHING,
     NULL},
    {OPTION_NO_FINDINGS, "no-findings", NULL,
     "a page without the findings of stave report and stave check, for which the archive is read twice more",
     USAGE_NOTHING, NULL},
    {OPTION_SERVE, "serve", NULL,
     "serve a page for this machine's browsers that has all details wherever it is zoomed to, of an archive "
     "of any "
     "size, until the command is ended",
     USAGE_NOTHING, NULL},
    {OPTION_SOURCES, "sources", NULL,
     "a page with lines of the source around its regions, of files that the archive names and that can be "
     "read here",
     USAGE_NOTHING, NULL},
    {OPTION_PORT, "port", "N", "serve at this port; default any that is free", USAGE_NOTHING, NULL},
    {0},
};

/* -- in the worker -- */

/* The archives, as a shell needs them. */
static void name_arguments(const struct timeline_request *request, char *buffer, size_t size) {
  size_t used = 0;
  for (int i = 0; i < request->count; i++) {
    message_path_word(buffer + used, size - used, request->paths[i]);
    used += strlen(buffer + used);
    used += i + 1 < request->count ? (size_t)snprintf(buffer + used, size - used, " ") : 0;
  }
  if (!request->align_argument)
    return;
  used += (size_t)snprintf(buffer + used, size - used, " --align ");
  message_shell_word(buffer + used, size - used, request->align_argument);
}

static void write_page(const struct timeline_request *request, const struct timeline *timeline, FILE *file) {
  char archive[8 * PATH_MAX];
  name_arguments(request, archive, sizeof archive);
  struct page_request page = {.title = request->title,
                              .archive = archive,
                              .report = request->report,
                              .has_sources = request->has_sources};
  page_write(file, timeline, &page);
}

static int write_as(const struct timeline_request *request, struct timeline *timeline, FILE *file) {
  struct picture_request picture = {.title = request->title, .width = (unsigned)request->width};
  switch (request->format) {
  case FORMAT_SVG:
    picture.format = PICTURE_SVG;
    break;
  case FORMAT_PDF:
    picture.format = PICTURE_PDF;
    break;
  case FORMAT_PNG:
    picture.format = PICTURE_PNG;
    break;
  case FORMAT_HTML:
    write_page(request, timeline, file);
    return 0;
  }
  return picture_write(file, timeline, &picture);
}

static void print_unwritten(const struct timeline_request *request) {
  message_print("cannot write %s: %m", request->is_named ? request->output : "to standard output");
}

static bool write_output(const struct timeline_request *request, struct timeline *timeline,
                         uint64_t *ret_bytes) {
  int fd = fcntl(request->fd, F_DUPFD_CLOEXEC, 0);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  struct stat status;
  if (!file) {
    print_unwritten(request);
    return false;
  }
  int result = write_as(request, timeline, file);
  bool is_written = fflush(file) == 0 && !ferror(file);
  *ret_bytes = is_written && fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
  is_written = fclose(file) == 0 && is_written;
  if (result == 0 && is_written)
    return true;
  errno = result < 0 && result != -EIO ? -result : errno;
  print_unwritten(request);
  return false;
}

static void print_written(const struct timeline_request *request, const struct timeline *timeline,
                          uint64_t bytes) {
  char events[32], size[32], shorter[32];
  message_print("%s: %s events, %s", request->output, summary_number(events, timeline->events),
                summary_size(size, bytes));
  if (timeline->slice_resolution > 0 && request->format == FORMAT_HTML)
    message_print("what is shorter than %s is merged there; --from and --to show more of a part, --serve all",
                  summary_duration(shorter, trace_span_ns(timeline->trace, timeline->slice_resolution)));
}

/* For a page of one archive. */
static bool read_findings(struct timeline_request *request, const struct archive_job *job, uint64_t from,
                          uint64_t to, char error[TRACE_ERROR_BYTES]) {
  if (request->format != FORMAT_HTML || request->count > 1 || request->has_no_findings)
    return true;
  request->report = panel_read(job, from, to, error);
  return request->report != NULL;
}

static int draw(void *data, const struct archive_job *job) {
  struct timeline_request *request = data;
  struct timeline timeline;
  char error[TRACE_ERROR_BYTES];
  uint64_t from, to, bytes;
  struct timeline_limits limits = timeline_limits(request->regions);
  int status = EXIT_FAILED;
  if (!archive_job_has_time(job, &request->times))
    return EXIT_FAILED;
  times_ticks(&request->times, job->trace, &from, &to);
  if (!read_findings(request, job, from, to, error))
    return archive_job_failed(job, error);
  int result = timeline_read(&timeline, job->trace, from, to, &limits, error);
  archive_job_has_read(job);
  if (result < 0) {
    status = archive_job_failed(job, error);
  } else if (write_output(request, &timeline, &bytes)) {
    if (request->is_named)
      print_written(request, &timeline, bytes);
    status = EXIT_SUCCESS;
  }
  timeline_free(&timeline);
  json_decref(request->report);
  return status;
}

/* -- around it -- */

static bool find_format(const char *path, enum output_format *ret) {
  static const char *const endings[] = {
      [FORMAT_HTML] = ".html", [FORMAT_SVG] = ".svg", [FORMAT_PNG] = ".png", [FORMAT_PDF] = ".pdf"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (strcmp(dot, endings[i]) == 0) {
      *ret = (enum output_format)i;
      return true;
    }
  return false;
}

/* A pipe or a device need not state by its name what is to be written to it. */
static bool is_stream(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Reports it where the output is to be a picture and there is no cairo. */
static bool can_draw(const struct timeline_request *request) {
  if (request->format == FORMAT_HTML || picture_can_draw())
    return true;
  return usage_error(
      "timeline",
      "pictures need cairo (libcairo.so.2), which is not available: cannot make %s, but a page, .html",
      request->output);
}

static bool choose_output(struct timeline_request *request, const char *name) {
  int length = request->output_argument
                   ? snprintf(request->output, sizeof request->output, "%s", request->output_argument)
                   : snprintf(request->output, sizeof request->output, "%s.html", name);
  request->is_named = strcmp(request->output, "-") != 0;
  if (length > 0 && (size_t)length < sizeof request->output &&
      (find_format(request->output, &request->format) || !request->is_named || is_stream(request->output)))
    return true;
  return usage_error("timeline", "the output's name has to end in .html, .svg, .png or .pdf, not as %s",
                     request->output);
}

static bool set_option(void *data, int option, const char *value) {
  struct timeline_request *request = data;
  switch (option) {
  case OPTION_ALIGN:
    request->align_argument = value;
    return align_read(&request->align, value);
  case 'o':
    request->output_argument = value;
    return true;
  case OPTION_NO_FINDINGS:
    request->has_no_findings = true;
    return true;
  case OPTION_SERVE:
    request->is_served = true;
    return true;
  case OPTION_SOURCES:
    request->has_sources = true;
    return true;
  case OPTION_PORT:
    return usage_number("timeline", "--port", value, 1, PORT_MAX, &request->port);
  case OPTION_FROM:
    return times_read("timeline", "--from", value, &request->times.from_ns);
  case OPTION_TO:
    return times_read("timeline", "--to", value, &request->times.to_ns);
  case OPTION_WIDTH:
    return usage_number("timeline", "--width", value, MIN_WIDTH, MAX_WIDTH, &request->width);
  case OPTION_REGIONS:
    return usage_number("timeline", "--max-regions", value, MIN_REGIONS, 10ull * MAX_REGIONS,
                        &request->regions);
  default:
    request->title = value;
    return true;
  }
}

static int draw_to_file(struct timeline_request *request) {
  struct partial_file file;
  if (!partial_file_open(&file, request->output))
    return EXIT_FAILED;
  request->fd = file.fd;
  int status = archive_job_run(request->archive, draw, request);
  bool is_complete = partial_file_close(&file, status == EXIT_SUCCESS);
  return is_complete || status != EXIT_SUCCESS ? status : EXIT_FAILED;
}

/* `name`: of the output, `title`: of what is drawn, where nothing else was requested. */
static int show(struct timeline_request *request, const char *name, const char *title) {
  if (!choose_output(request, name) || !can_draw(request))
    return EXIT_USAGE;
  if (!request->is_named &&
      fcntl(request->fd, F_GETFD) < 0) { /* a file of the archive's would get the number */
    print_unwritten(request);
    return EXIT_FAILED;
  }
  request->title = request->title ? request->title : title;
  return request->is_named ? draw_to_file(request) : archive_job_run(request->archive, draw, request);
}

static int show_one(struct timeline_request *request) {
  char *name = beside_name(request->paths[0]);
  int status = show(request, name, name);
  free(name);
  return status;
}

/* The runs' names with that between them, another one before the last. The caller's to free. */
static char *join_names(const struct beside *beside, const char *between, const char *last) {
  char *text = NULL;
  size_t size;
  FILE *stream = memory_given(open_memstream(&text, &size));
  for (size_t i = 0; i < beside->count; i++)
    fprintf(stream, "%s%s", i == 0 ? "" : i + 1 < beside->count ? between : last, beside->names[i]);
  return memory_given(fclose(stream) == 0 ? text : NULL);
}

static int show_named(struct timeline_request *request, const struct beside *beside) {
  char *name = join_names(beside, "-", "-"), *title = join_names(beside, ", ", " and ");
  for (char *slash = name; (slash = strchr(slash, '/'));)
    *slash = '-';
  int status = show(request, name, title);
  free(name);
  free(title);
  return status;
}

static int serve_one(const struct timeline_request *request) {
  char *name = beside_name(request->paths[0]);
  struct serve_request serve = {.path = request->paths[0],
                                .title = request->title ? request->title : name,
                                .port = request->port,
                                .has_no_findings = request->has_no_findings};
  int status = serve_run(&serve);
  free(name);
  return status;
}

static bool can_compare(const struct timeline_request *request) {
  if (request->count > SIDES_MAX)
    return usage_error("timeline", "at most %d archives are drawn together", SIDES_MAX);
  if (request->align_argument && request->count == 1)
    return usage_error("timeline", "--align is for several archives");
  if (request->align.count && request->align.count != (size_t)request->count)
    return usage_error("timeline", "--align has %zu times for %d archives", request->align.count,
                       request->count);
  return true;
}

static bool can_serve(const struct timeline_request *request) {
  bool is_complete = request->times.from_ns == 0 && request->times.to_ns == UINT64_MAX &&
                     !request->output_argument && !request->has_sources;
  if (request->is_served && (request->count > 1 || !is_complete))
    return usage_error("timeline",
                       "--serve is for one complete archive, without --output, --from, --to and --sources");
  if (request->port && !request->is_served)
    return usage_error("timeline", "--port is for --serve");
  return true;
}

static int show_several(struct timeline_request *request) {
  struct beside beside;
  int status = EXIT_FAILED;
  ending_wait();
  if (beside_make(&beside, request->paths, (size_t)request->count, &request->align)) {
    request->archive = beside.archive;
    status = show_named(request, &beside);
  }
  ending_go_on();
  beside_free(&beside);
  return status;
}

const struct usage *cmd_timeline_usage(void) {
  static const struct usage usage = {
      .command = "timeline",
      .summary = "draw what the threads did, for a browser or a paper",
      .synopsis = "[options] ARCHIVE [ARCHIVE]...",
      .about =
          "Draws what every thread and device stream did over time. ARCHIVE is a directory or its file "
          "traces.otf2; archives of other tools can be drawn too. Several, at most 8, are drawn one above "
          "the other, with one time and the same colours, and their numbers side by side; each may be a "
          "job's directory, with the archives of its ranks.",
      .status = "Exit status: 0; 1 if the archive cannot be read or the file not be written; 2 if an option "
                "is wrong.",
      .options = options,
      .argument = "archive",
      .argument_kind = USAGE_DIRECTORY,
      .accepts_several = true,
      .set = set_option,
  };
  return &usage;
}

int cmd_timeline(int argc, char **argv) {
  static struct timeline_request request;
  request = (struct timeline_request){
      .times = TIMES_ALL, .width = DEFAULT_WIDTH, .regions = MAX_REGIONS, .fd = STDOUT_FILENO};
  int status = usage_read(cmd_timeline_usage(), argc, argv, &request);
  if (status >= 0)
    return status;
  if (!times_are_in_order("timeline", &request.times))
    return EXIT_USAGE;
  request.paths = argv + optind;
  request.count = argc - optind;
  request.archive = argv[optind];
  if (!can_compare(&request) || !can_serve(&request))
    return EXIT_USAGE;
  if (request.is_served)
    return serve_one(&request);
  return request.count == 1 ? show_one(&request) : show_several(&request);
}
