#include "cli/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/common/archive_job.h"
#include "cli/common/folder.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/summary.h"
#include "cli/common/usage.h"
#include "cli/live/live_page.h"
#include "cli/live/recent.h"
#include "cli/live/server.h"
#include "trace/found_archive.h"

/* Pictures use a tenth of a processor at most. Open pages are served for LINGER_MS after the last one. */
enum { LOOK_MS = 250, EVERY_MS = 1000, SHARE = 10, LINGER_MS = 60000, NICE = 19, TROUBLE_BYTES = 512 };

enum live_state { LIVE_RUNNING, LIVE_DRAWING, LIVE_ENDED, LIVE_DIED };

/* The process that makes the next picture. */
struct maker {
  pid_t pid; /* 0: none */
  uint64_t start_ms;
};

struct live {
  const struct live_request *request;
  struct found_archive found;
  struct server server;
  struct maker maker;
  enum live_state state;
  unsigned picture; /* the number of the newest; 0: there is none */
  uint64_t data_ms; /* when what it shows was so */
  uint64_t next_ms, every_ms, ended_ms;
  int status; /* of the command */
  const char *title;
  char folder[PATH_MAX / 2], output[PATH_MAX + 8], trouble[TROUBLE_BYTES];
};

/* SIGCHLD wakes, the others end. */
static const int signals[] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static volatile sig_atomic_t end_signal; /* by which signal */

static void on_signal(int number) {
  if (number != SIGCHLD)
    end_signal = number;
}

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* -- what the server calls -- */

static void name_picture(const struct live *live, unsigned number, char *ret, size_t size) {
  snprintf(ret, size, "%s/picture-%u.html", live->folder, number);
}

static int open_picture(void *data, unsigned number) {
  const struct live *live = data;
  char path[PATH_MAX];
  if (number == live->picture && live->state == LIVE_ENDED)
    return open(live->output, O_RDONLY | O_CLOEXEC);
  name_picture(live, number, path, sizeof path);
  return open(path, O_RDONLY | O_CLOEXEC);
}

static json_t *about(const struct live *live) {
  json_t *object = json_object();
  json_put(object, "title", json_from_text(live->title));
  json_put(object, "archive", json_from_text(live->found.directory));
  json_put(object, "last_ms", json_from_number(live->request->last_ns / 1000000));
  return object;
}

/* In JSON `<` is only found in texts, where it can be written otherwise: none ends the script element. */
static void put_escaped(FILE *file, const char *text) {
  for (; *text; text++)
    if (*text == '<')
      fputs("\\u003c", file);
    else
      fputc(*text, file);
}

static char *make_page(void *data) {
  char *page = NULL;
  size_t size;
  json_t *object = about(data);
  char *text = memory_given(json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII));
  FILE *file = memory_given(open_memstream(&page, &size));
  fwrite(live_before_about, 1, live_before_about_bytes, file);
  put_escaped(file, text);
  fwrite(live_after_about, 1, live_after_about_bytes, file);
  fclose(file);
  free(text);
  json_decref(object);
  return memory_given(page);
}

static char *make_news(void *data) {
  static const char *const words[] = {"running", "drawing", "ended", "died"};
  const struct live *live = data;
  json_t *object = json_object();
  json_put(object, "state", json_from_text(words[live->state]));
  json_put(object, "picture", json_from_number(live->picture));
  json_put(object, "age_ms", json_from_number(live->picture ? now_ms() - live->data_ms : 0));
  json_put(object, "every_ms", json_from_number(live->every_ms));
  json_put(object, "trouble", json_from_text(live->trouble));
  json_put(object, "file", json_from_text(live->output));
  char *text = memory_given(json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII));
  json_decref(object);
  return text;
}

/* -- making pictures -- */

static void mask_signals(int how) {
  sigset_t all;
  sigemptyset(&all);
  for (int i = 0; i < SIGNAL_COUNT; i++)
    sigaddset(&all, signals[i]);
  sigprocmask(how, &all, NULL);
}

/* As a process group of its own, so that all of it can be ended. Its messages are kept. */
_Noreturn static void make_recent(const struct live *live) {
  char page[PATH_MAX], scratch[PATH_MAX], messages[PATH_MAX];
  struct recent recent = {live->found.directory, live->title, scratch, page, live->request->last_ns};
  setpgid(0, 0);
  setpriority(PRIO_PROCESS, 0, NICE);
  name_picture(live, live->picture + 1, page, sizeof page);
  snprintf(scratch, sizeof scratch, "%s/archive", live->folder);
  snprintf(messages, sizeof messages, "%s/messages", live->folder);
  int fd = open(messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd >= 0)
    dup2(fd, STDERR_FILENO);
  _exit(recent_make(&recent));
}

_Noreturn static void make_finished(const struct live *live) {
  char *arguments[] = {"stave", "timeline", "-o", (char *)live->output, (char *)live->found.directory, NULL};
  execv("/proc/self/exe", arguments);
  message_print("cannot start stave timeline: %m");
  _exit(EXIT_FAILED);
}

/* Of stave record, which is notified by its own signals and reports by SIGTERM when nobody is to wait any
 * more, the others are none of its viewer's. */
static bool is_heard(const struct live_request *request, int number) {
  return !request->is_of_record || number == SIGCHLD || number == SIGTERM;
}

static void start_maker(struct live *live, void (*make)(const struct live *live)) {
  pid_t parent = getpid();
  fflush(NULL);
  live->maker = (struct maker){.start_ms = now_ms(), .pid = fork()};
  if (live->maker.pid == 0) {
    for (int i = 0; i < SIGNAL_COUNT; i++)
      if (is_heard(live->request, signals[i]))
        signal(signals[i], SIG_DFL);
    mask_signals(SIG_UNBLOCK);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
      make(live);
    _exit(EXIT_FAILED);
  }
  if (live->maker.pid < 0)
    live->maker.pid = 0;
}

static void stop_maker(struct live *live) {
  if (live->maker.pid == 0)
    return;
  if (live->state == LIVE_RUNNING)
    kill(-live->maker.pid, SIGKILL);
  kill(live->maker.pid, live->state == LIVE_RUNNING ? SIGKILL : SIGTERM);
  while (waitpid(live->maker.pid, NULL, 0) < 0 && errno == EINTR) {
  }
  live->maker.pid = 0;
}

/* The recovered archive needs as much room again. */
static bool has_room(struct live *live) {
  struct statvfs disk;
  char bytes[32];
  if (statvfs(live->folder, &disk) < 0 || disk.f_bavail * disk.f_frsize / 4 > live->found.event_bytes)
    return true;
  snprintf(live->trouble, sizeof live->trouble, "no room for a picture of %s of events: set TMPDIR",
           summary_size(bytes, live->found.event_bytes));
  return false;
}

/* What it has reported, without whose word it is. */
static void read_trouble(struct live *live) {
  static const char own[] = "stave: ";
  char path[PATH_MAX], line[TROUBLE_BYTES] = "";
  snprintf(path, sizeof path, "%s/messages", live->folder);
  FILE *file = fopen(path, "re");
  if (file && fgets(line, sizeof line, file))
    line[strcspn(line, "\n")] = '\0';
  if (file)
    fclose(file);
  bool is_own = strncmp(line, own, strlen(own)) == 0;
  snprintf(live->trouble, sizeof live->trouble, "%s", is_own ? line + strlen(own) : line);
}

static uint64_t ms_of(const struct rusage *usage) {
  return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000 +
         (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1000;
}

static void read_recent(struct live *live, bool is_done) {
  char old[PATH_MAX];
  live->trouble[0] = '\0';
  if (!is_done) {
    read_trouble(live);
    return;
  }
  if (live->picture > 1) {
    name_picture(live, live->picture - 1, old, sizeof old);
    unlink(old);
  }
  live->picture++;
  live->data_ms = live->maker.start_ms;
}

static void add_finished(struct live *live, bool is_done) {
  live->state = is_done ? LIVE_ENDED : LIVE_DIED;
  live->status = is_done ? EXIT_SUCCESS : EXIT_FAILED;
  live->ended_ms = live->data_ms = now_ms();
  live->picture += is_done;
}

static void look_at_maker(struct live *live) {
  struct rusage usage;
  int status;
  if (live->maker.pid == 0 || wait4(live->maker.pid, &status, WNOHANG, &usage) != live->maker.pid)
    return;
  bool is_done = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  uint64_t least = SHARE * ms_of(&usage);
  live->every_ms = least > EVERY_MS ? least : EVERY_MS;
  live->next_ms = live->maker.start_ms + live->every_ms;
  if (live->state == LIVE_DRAWING)
    add_finished(live, is_done);
  else
    read_recent(live, is_done);
  live->maker.pid = 0;
  server_notify(&live->server);
}

/* -- the run -- */

static void end_without_page(struct live *live) {
  archive_job_explain(live->request->path, &live->found);
  live->state = LIVE_DIED;
  live->status = EXIT_FAILED;
  live->ended_ms = now_ms();
}

static void look_at_run(struct live *live) {
  find_archive(&live->found, live->request->path);
  if (live->found.state == FOUND_OPEN) {
    if (live->maker.pid == 0 && now_ms() >= live->next_ms && has_room(live))
      start_maker(live, make_recent);
    return;
  }
  stop_maker(live);
  if (live->found.state == FOUND_CLOSED) {
    live->state = LIVE_DRAWING;
    start_maker(live, make_finished);
  } else {
    end_without_page(live);
  }
  server_notify(&live->server);
}

static bool is_over(const struct live *live) {
  return (live->state == LIVE_ENDED || live->state == LIVE_DIED) &&
         (server_listeners(&live->server) == 0 || now_ms() >= live->ended_ms + LINGER_MS);
}

static void serve(struct live *live, const sigset_t *mask) {
  uint64_t next_look = 0;
  while (!end_signal && !is_over(live)) {
    if (live->state == LIVE_RUNNING && now_ms() >= next_look) {
      look_at_run(live);
      next_look = now_ms() + LOOK_MS;
    }
    server_serve(&live->server, LOOK_MS, mask);
    look_at_maker(live);
  }
}

static void catch_signals(const struct live_request *request, sigset_t *ret_mask) {
  struct sigaction action = {.sa_handler = on_signal}, before;
  mask_signals(SIG_BLOCK);
  sigprocmask(SIG_BLOCK, NULL, ret_mask);
  for (int i = 0; i < SIGNAL_COUNT; i++) {
    int number = signals[i];
    if (!is_heard(request, number))
      signal(number, SIG_IGN);
    else if (number == SIGCHLD || (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
      sigaction(number, &action, NULL);
    sigdelset(ret_mask, number);
  }
}

/* -- begin -- */

static bool can_be_watched(const struct live_request *request, const struct found_archive *found) {
  const char *path = request->path;
  char word[PATH_MAX];
  if (found->state == FOUND_OPEN || (found->state == FOUND_CLOSED && request->is_of_record))
    return true;
  if (found->state == FOUND_CLOSED)
    message_print("%s: its run is over: stave timeline %s draws it", path,
                  message_path_word(word, sizeof word, path));
  else if (found->state == FOUND_NO_ARCHIVE && found_is_job(path))
    message_print("%s: ranks are watched one by one, as %s/rank/0", path, path);
  else
    archive_job_explain(path, found);
  return false;
}

/* The title is the archive's name, as of any page of it. */
static void name_output(struct live *live) {
  const char *directory = live->found.directory, *slash = strrchr(directory, '/');
  live->title = slash && slash[1] ? slash + 1 : directory;
  if (live->request->output)
    snprintf(live->output, sizeof live->output, "%s", live->request->output);
  else
    snprintf(live->output, sizeof live->output, "%s.html", directory);
}

static bool open_live(struct live *live) {
  struct server_source source = {.page = make_page, .news = make_news, .picture = open_picture, .data = live};
  int error = server_open(&live->server, (unsigned)live->request->port, &source);
  if (error) {
    message_print("cannot serve at port %u of 127.0.0.1: %s", (unsigned)live->request->port,
                  strerror(-error));
    return false;
  }
  error = folder_make("stave-watch", live->folder, sizeof live->folder);
  if (error) {
    live->folder[0] = '\0';
    message_print("cannot make a folder in $TMPDIR or /tmp: %s", strerror(-error));
  }
  return !error;
}

static void close_live(struct live *live) {
  stop_maker(live);
  server_close(&live->server);
  if (live->folder[0])
    folder_remove(live->folder);
}

int live_run(const struct live_request *request) {
  static struct live live;
  sigset_t mask;
  live = (struct live){.request = request, .server.fd = -1, .every_ms = EVERY_MS, .status = EXIT_FAILED};
  find_archive(&live.found, request->path);
  if (!can_be_watched(request, &live.found))
    return EXIT_FAILED;
  name_output(&live);
  catch_signals(request, &mask);
  if (open_live(&live)) {
    if (live.found.state == FOUND_OPEN)
      message_print("watch it at http://127.0.0.1:%u/%s/", live.server.port, live.server.token);
    serve(&live, &mask);
  }
  close_live(&live);
  if (end_signal) {
    signal(end_signal, SIG_DFL);
    raise(end_signal);
    mask_signals(SIG_UNBLOCK);
  }
  return live.status;
}
