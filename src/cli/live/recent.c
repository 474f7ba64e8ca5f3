#include "cli/live/recent.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/common/archive_job.h"
#include "cli/common/folder.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/recover/recover_process.h"
#include "timeline/page/page.h"

/* So that a page is made and shown again in a blink; the finished one has more. */
enum { REGIONS = 100000 };

static uint64_t begin_of(const struct recent *recent, const struct trace *trace) {
  const struct trace_clock *clock = &trace->clock;
  __uint128_t last = (__uint128_t)recent->last_ns * clock->ticks_per_second / 1000000000u;
  return last < clock->length_ticks ? clock->first_ticks + clock->length_ticks - (uint64_t)last : 0;
}

static int write_page(const struct recent *recent, const struct timeline *timeline) {
  char archive[2 * PATH_MAX], partial[PATH_MAX];
  struct page_request page = {.title = recent->title,
                              .archive = message_path_word(archive, sizeof archive, recent->directory)};
  snprintf(partial, sizeof partial, "%.*s.partial", PATH_MAX - 16, recent->page);
  FILE *file = fopen(partial, "we");
  int error = file ? 0 : -errno;
  if (file)
    page_write(file, timeline, &page);
  if (file && (ferror(file) | fclose(file)))
    error = -EIO;
  if (!error && rename(partial, recent->page) < 0)
    error = -errno;
  if (error)
    message_print("cannot write %s: %s", partial, strerror(-error));
  return error ? EXIT_FAILED : EXIT_SUCCESS;
}

static int draw(void *data, const struct archive_job *job) {
  const struct timeline_limits limits = timeline_limits(REGIONS);
  const struct recent *recent = data;
  struct timeline timeline;
  char error[TRACE_ERROR_BYTES];
  int result = timeline_read(&timeline, job->trace, begin_of(recent, job->trace), UINT64_MAX, &limits, error);
  archive_job_has_read(job);
  int status = result < 0 ? archive_job_failed(job, error) : write_page(recent, &timeline);
  timeline_free(&timeline);
  return status;
}

static bool recover(const struct recent *recent) {
  struct recover_process process;
  int error = recover_process_run(&process, recent->directory, recent->scratch, true);
  bool is_done = error == 0 && process.is_done;
  if (error)
    message_print("what is written cannot be read: %s", strerror(-error));
  else if (!is_done)
    message_print("%s", process.failure);
  recover_process_clear(&process);
  return is_done;
}

int recent_make(const struct recent *recent) {
  folder_remove(recent->scratch);
  if (mkdir(recent->scratch, 0700) < 0) {
    message_print("cannot make %s: %m", recent->scratch);
    return EXIT_FAILED;
  }
  int status = recover(recent) ? archive_job_run(recent->scratch, draw, (void *)recent) : EXIT_FAILED;
  folder_remove(recent->scratch);
  return status;
}
