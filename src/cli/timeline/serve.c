#include "cli/timeline/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/common/archive_cache.h"
#include "cli/common/archive_job.h"
#include "cli/common/ending.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/usage.h"
#include "cli/live/server.h"
#include "cli/timeline/panel.h"
#include "timeline/page/page.h"

/* The page opens with little, since it can request more; an answer is decoded in a blink. */
enum { REGIONS = 200000, ANSWER_BYTES = 4 << 20, NICE = 19, WAIT_MS = 250 };

static const char ending[] = ".timeline";

/* -- the file -- */

struct serve_making {
  const struct serve_request *request;
  const char *identity, *path;
  int fd;
};

static int write_all(const struct serve_making *making, const struct timeline *timeline, json_t *panel,
                     struct detail_writer *writer) {
  char archive[4 * PATH_MAX];
  struct page_request page = {.title = making->request->title,
                              .archive = message_path_word(archive, sizeof archive, making->request->path),
                              .report = panel,
                              .served = writer};
  page_write(detail_begin_page(writer), timeline, &page);
  int error = detail_end(writer, making->identity);
  if (error)
    message_print("cannot write %s: %s", making->path, strerror(-error));
  return error ? EXIT_FAILED : EXIT_SUCCESS;
}

static int read_and_write(const struct serve_making *making, const struct archive_job *job, json_t *panel) {
  struct timeline timeline;
  struct timeline_limits limits = timeline_limits(REGIONS);
  char error[TRACE_ERROR_BYTES];
  limits.all = detail_create(making->fd, job->trace, job->trace->location_count);
  if (!limits.all)
    return archive_job_failed(job, strerror(errno));
  int status, result = timeline_read(&timeline, job->trace, 0, UINT64_MAX, &limits, error);
  archive_job_has_read(job);
  if (result < 0) {
    status = archive_job_failed(job, error);
    detail_abandon(limits.all);
  } else {
    status = write_all(making, &timeline, panel, limits.all);
  }
  timeline_free(&timeline);
  return status;
}

static int make(void *data, const struct archive_job *job) {
  const struct serve_making *making = data;
  char error[TRACE_ERROR_BYTES];
  json_t *panel = NULL;
  if (!making->request->has_no_findings && !(panel = panel_read(job, 0, UINT64_MAX, error)))
    return archive_job_failed(job, error);
  int status = read_and_write(making, job, panel);
  json_decref(panel);
  return status;
}

static int make_file(const struct serve_request *request, const char *identity, const char *path) {
  struct partial_file file;
  if (!partial_file_open(&file, path))
    return EXIT_FAILED;
  struct serve_making making = {request, identity, path, file.fd};
  int status = archive_job_run(request->path, make, &making);
  bool is_complete = partial_file_close(&file, status == EXIT_SUCCESS);
  return is_complete || status != EXIT_SUCCESS ? status : EXIT_FAILED;
}

/* -- finding it -- */

static bool is_there(struct detail_file *ret, const char *path, const char *identity) {
  if (detail_open(ret, path, identity) < 0)
    return false;
  archive_cache_used(path);
  return true;
}

static int make_and_open(const struct serve_request *request, const char *identity, const char *path,
                         struct detail_file *ret) {
  int status = make_file(request, identity, path);
  int error = status == EXIT_SUCCESS ? detail_open(ret, path, identity) : 0;
  if (error < 0)
    message_print("cannot read %s: %s", path, strerror(-error));
  return error < 0 ? EXIT_FAILED : status;
}

/* As the database of stave query: in the cache; in the archive's folder where there is no cache, or the
 * archive came with one. */
static int find_or_make(const struct serve_request *request, const struct found_archive *found,
                        struct detail_file *ret) {
  char identity[ARCHIVE_IDENTITY_BYTES], path[PATH_MAX];
  archive_cache_identify(found, identity);
  if (archive_cache_in_archive(found, ending, path) && is_there(ret, path, identity))
    return EXIT_SUCCESS;
  if (archive_cache_in_cache(found, ending, path)) {
    if (is_there(ret, path, identity))
      return EXIT_SUCCESS;
    archive_cache_remove_unused(path, ending);
    return make_and_open(request, identity, path, ret);
  }
  if (archive_cache_in_archive(found, ending, path))
    return make_and_open(request, identity, path, ret);
  message_print("%s: its name is too long", request->path);
  return EXIT_FAILED;
}

/* -- serving -- */

static char *page(const struct detail_file *file, size_t *ret_count) {
  const char *text = detail_page(file, ret_count);
  char *copy = memory_get(*ret_count + 1, 1);
  memcpy(copy, text, *ret_count);
  return copy;
}

/* "window-FROM-TO-ROW-ROW": detail_window. */
static char *answer(void *data, const char *path, size_t *ret_count) {
  const struct detail_file *file = data;
  struct detail_window window;
  struct bytes bytes = {0};
  char beyond;
  if (*path == '\0')
    return page(file, ret_count);
  if (sscanf(path, "window-%" SCNu64 "-%" SCNu64 "-%" SCNu32 "-%" SCNu32 "%c", &window.from, &window.to,
             &window.first_row, &window.last_row, &beyond) != 4 ||
      window.from > window.to)
    return NULL;
  detail_answer(file, &window, ANSWER_BYTES, &bytes);
  *ret_count = bytes.count;
  return (char *)bytes.data;
}

static int serve(const struct serve_request *request, struct detail_file *file) {
  struct server server;
  sigset_t mask;
  struct server_source source = {.bytes = answer, .data = file};
  int error = server_open(&server, (unsigned)request->port, &source);
  sigprocmask(SIG_BLOCK, NULL, &mask);
  setpriority(PRIO_PROCESS, 0, NICE);
  if (error)
    message_print("cannot serve at port %u of 127.0.0.1: %s", (unsigned)request->port, strerror(-error));
  else
    message_print("look at it at http://127.0.0.1:%u/%s/ until this command ends (Ctrl+C)", server.port,
                  server.token);
  ending_wait();
  while (!error && !ending_is_requested())
    server_serve(&server, WAIT_MS, &mask);
  server_close(&server);
  ending_go_on();
  return EXIT_FAILED;
}

int serve_run(const struct serve_request *request) {
  struct found_archive found;
  struct detail_file file;
  find_archive(&found, request->path);
  if (found.state != FOUND_CLOSED) {
    archive_job_explain(request->path, &found);
    return EXIT_FAILED;
  }
  int status = find_or_make(request, &found, &file);
  if (status != EXIT_SUCCESS)
    return status;
  status = serve(request, &file);
  detail_close(&file);
  return status;
}
