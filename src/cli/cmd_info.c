#include "cli/cmd_info.h"

#include "analysis/guard.h"
#include "cli/compiler.h"
#include "cli/info.h"
#include "cli/message.h"
#include "cli/summary.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_UNREADABLE = 1, EXIT_USAGE = 2, PATIENCE_MS = 20000, QUIET_MS = 1000 };

struct request {
  const char *path;
  const struct place *place;
  bool is_json, is_all;
};

/* Long options that have no letter. */
enum { OPTION_JSON = 256 };

static const struct option options[] = {
    {"all", no_argument, NULL, 'a'},
    {"help", no_argument, NULL, 'h'},
    {"json", no_argument, NULL, OPTION_JSON},
    {NULL, 0, NULL, 0},
};

void cmd_info_help(void) {
  printf("usage: stave info [options] ARCHIVE\n\n"
         "Says what an OTF2 archive holds and how it came about: program, host, runtime, threads, events and their\n"
         "bytes, what was lost. ARCHIVE is its directory or its file traces.otf2; archives of other tools can be read\n"
         "too.\n\n"
         "  -a, --all   list every thread; otherwise the 32 with the most events\n"
         "      --json  one JSON object instead of text\n"
         "  -h, --help  this text\n\n"
         "Exit status: 0; 1 if the archive cannot be read or is not closed; 2 if an option is wrong.\n");
}

/* -- in the worker -- */

static void count_total(const struct trace *trace, struct guard_progress *progress) {
  uint64_t events = atomic_load(&progress->done); /* the definitions, which have been read */
  for (size_t i = 0; i < trace->location_count; i++)
    events += trace->locations[i].event_count;
  atomic_store(&progress->total, events);
}

/* A program that was built anew says nothing about the one that ran. */
static bool is_unchanged(const char *program, const struct trace *trace) {
  struct stat status;
  if (stat(program, &status) < 0 || trace->clock.realtime_ns == UINT64_MAX)
    return false;
  uint64_t changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
  return changed_ns <= trace->clock.realtime_ns;
}

static void add_figures(struct info *info) {
  const struct trace *trace = info->trace;
  uint64_t stall_ticks = 0;
  for (size_t i = 0; i < trace->location_count; i++) {
    info->stalls += info->tally.locations[i].stalls;
    stall_ticks += info->tally.locations[i].stall_ticks;
  }
  info->stall_ns = trace_span_ns(trace, stall_ticks);
  info->duration_ns = trace_span_ns(trace, trace->clock.length_ticks);
  identify_runtime(&info->runtime, trace);
  const char *program = info_property(info, "PROGRAM");
  if (program != NULL && is_unchanged(program, trace))
    compiler_find(program, info->compiler, sizeof info->compiler);
}

static int print(const struct request *request, const struct info *info) {
  if (!request->is_json)
    info_print_text(info);
  else if (info_print_json(info) < 0)
    return EXIT_UNREADABLE;
  if (fflush(stdout) == 0 && !ferror(stdout))
    return EXIT_SUCCESS;
  message_say("cannot write: %m");
  return EXIT_UNREADABLE;
}

static int read_and_print(void *data, struct guard_progress *progress) {
  const struct request *request = data;
  char error[TRACE_ERROR_BYTES];
  struct info info = {.path = request->path, .place = *request->place, .is_all = request->is_all};
  int result = trace_open(info.place.anchor, &progress->done, &info.trace, error);
  if (result == 0) {
    count_total(info.trace, progress);
    result = tally_read(&info.tally, info.trace, error);
  }
  int status = EXIT_UNREADABLE;
  if (result < 0) {
    message_say("%s: %s", request->path, error);
  } else {
    add_figures(&info);
    status = print(request, &info);
  }
  tally_free(&info.tally);
  trace_close(info.trace);
  return status;
}

/* -- around it -- */

static void show_progress(void *data, const struct guard_progress *progress, uint64_t elapsed_ms) {
  bool *is_shown = data;
  uint64_t done = atomic_load(&progress->done), total = atomic_load(&progress->total);
  if (elapsed_ms < QUIET_MS || !message_on_terminal())
    return;
  *is_shown = true;
  if (total > 0)
    fprintf(stderr, "\r\033[Kstave: reading, %u %%", (unsigned)(done < total ? done * 100 / total : 100));
  else
    fprintf(stderr, "\r\033[Kstave: reading the definitions");
}

static int report_worker(const char *path, struct guard_result result) {
  switch (result.ending) {
  case GUARD_RETURNED:
    return result.value;
  case GUARD_CRASHED:
    message_say("%s: the archive is damaged: OTF2's reader died on it (%s)", path, strsignal(result.value));
    break;
  case GUARD_STUCK:
    message_say("%s: the archive is damaged: OTF2's reader made no progress for %d seconds", path, PATIENCE_MS / 1000);
    break;
  case GUARD_FAILED:
    message_say("cannot start a process to read %s: %s", path, strerror(result.value));
    break;
  }
  return EXIT_UNREADABLE;
}

static int run_guarded(const struct request *request) {
  bool is_shown = false;
  struct guard_watch watch = {.patience_ms = PATIENCE_MS, .look = show_progress, .data = &is_shown};
  fflush(NULL);
  struct guard_result result = guard_run(read_and_print, (void *)request, &watch);
  if (is_shown)
    fprintf(stderr, "\r\033[K");
  return report_worker(request->path, result);
}

static void report_unfinished(const char *path, const struct place *place) {
  char bytes[32];
  summary_number(bytes, place->event_bytes);
  if (place->writer > 0)
    message_say("%s: not closed: wait if stave-writer, process %d, is writing it; otherwise it is unfinished, with %s "
                "bytes of events",
                path, (int)place->writer, bytes);
  else
    message_say("%s: not closed, and no stave-writer runs on this machine: it is unfinished, with %s bytes of events",
                path, bytes);
}

static int report_place(const char *path, const struct place *place) {
  switch (place->state) {
  case PLACE_CLOSED:
    return EXIT_SUCCESS;
  case PLACE_OPEN:
    message_say("%s: still being written by stave-writer, process %d: wait until it has ended", path,
                (int)place->writer);
    break;
  case PLACE_UNFINISHED:
    report_unfinished(path, place);
    break;
  case PLACE_NO_ARCHIVE:
    message_say("%s: not an OTF2 archive (its directory, or its file traces.otf2, is wanted)", path);
    break;
  case PLACE_ABSENT:
    message_say("%s: %s", path, strerror(place->error));
    break;
  }
  return EXIT_UNREADABLE;
}

static int show(struct request *request) {
  struct place place;
  place_find(&place, request->path);
  request->place = &place;
  int status = report_place(request->path, &place);
  return status != EXIT_SUCCESS ? status : run_guarded(request);
}

int cmd_info(int argc, char **argv) {
  struct request request = {0};
  opterr = 0;
  optind = 1;
  for (int option; (option = getopt_long(argc, argv, "ah", options, NULL)) != -1;) {
    if (option == 'h') {
      cmd_info_help();
      return EXIT_SUCCESS;
    }
    request.is_all |= option == 'a';
    request.is_json |= option == OPTION_JSON;
    if (option == '?') {
      message_say("info: there is no option %s; stave help info lists them", argv[optind - 1]);
      return EXIT_USAGE;
    }
  }
  if (optind + 1 != argc) {
    message_say("info: %s; stave help info says more", optind == argc ? "no archive given" : "one archive at a time");
    return EXIT_USAGE;
  }
  request.path = argv[optind];
  return show(&request);
}
