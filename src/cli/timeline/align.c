#include "cli/timeline/align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/times.h"
#include "cli/common/usage.h"

/* -- the option -- */

static bool copy(char *buffer, size_t size, const char *text, size_t length) {
  if (length >= size)
    return usage_wrong("timeline", "--align: the name is too long");
  memcpy(buffer, text, length);
  buffer[length] = '\0';
  return true;
}

static bool read_times(struct align *ret, const char *text, const char *comma) {
  char first[64];
  if ((size_t)(comma - text) >= sizeof first)
    return false;
  memcpy(first, text, (size_t)(comma - text));
  first[comma - text] = '\0';
  return times_parse(first, &ret->instants_ns[0]) && times_parse(comma + 1, &ret->instants_ns[1]);
}

static bool read_region(struct align *ret, const char *text) {
  const char *hash = strrchr(text, '#'), *end = text + strlen(text);
  char *number_end = NULL;
  ret->instance = 1;
  if (hash && hash[1] >= '0' && hash[1] <= '9') {
    ret->instance = strtoull(hash + 1, &number_end, 10);
    end = *number_end ? end : hash;
  }
  if (ret->instance == 0)
    return usage_wrong("timeline", "--align: instances are counted from 1 on, not as in %s", text);
  if (end == text)
    return usage_wrong("timeline", "--align wants start, two times as 1.5s,200ms, or a region's name");
  ret->region = ret->name;
  return copy(ret->name, sizeof ret->name, text, (size_t)(end - text));
}

bool align_read(struct align *ret, const char *text) {
  const char *comma = strchr(text, ',');
  *ret = (struct align){0};
  if (strcmp(text, "start") == 0 || (comma && read_times(ret, text, comma)))
    return true;
  return read_region(ret, text);
}

/* -- the region -- */

/* What is found of one run: shared with the process that reads. */
struct found {
  bool is_there;
  uint64_t location, count; /* who has entered the region first; how often until now */
  uint64_t instant_ns;
};

struct region_search {
  const struct align *align;
  const struct trace *trace;
  struct sides sides;
  struct found *found; /* by side */
  bool *is_wanted;     /* by region */
  size_t *side_of;     /* by location */
};

static bool is_named(const struct trace_region *region, const char *name) {
  static const char openmp[] = "!$omp ";
  bool is_openmp = strncmp(region->name, openmp, sizeof openmp - 1) == 0;
  return strcmp(region->name, name) == 0 ||
         (is_openmp && strcmp(region->name + sizeof openmp - 1, name) == 0);
}

/* An instance is the one of the thread that has entered the region first: the others of a team enter it, too.
 */
static bool on_event(void *data, const struct trace_event *event) {
  struct region_search *search = data;
  const struct trace *trace = search->trace;
  struct found *found = &search->found[search->side_of[event->location]];
  if (event->kind != TRACE_Enter || found->is_there)
    return true;
  const struct trace_region *region = trace_region(trace, event->Enter.region);
  if (!region || !search->is_wanted[region - trace->regions])
    return true;
  if (found->count == 0)
    found->location = event->location;
  found->count += found->location == event->location;
  found->is_there = found->count == search->align->instance;
  found->instant_ns = trace_ns(trace, event->ticks);
  return !search->found[0].is_there || !search->found[1].is_there;
}

static bool begin(struct region_search *search) {
  const struct trace *trace = search->trace;
  search->is_wanted = calloc(trace->region_count + 1, sizeof *search->is_wanted);
  search->side_of = calloc(trace->location_count + 1, sizeof *search->side_of);
  if (!search->is_wanted || !search->side_of)
    return false;
  sides_find(&search->sides, trace);
  for (size_t i = 0; i < trace->region_count; i++)
    search->is_wanted[i] = is_named(&trace->regions[i], search->align->region);
  for (size_t i = 0; i < trace->location_count; i++)
    search->side_of[i] = sides_of_location(&search->sides, trace, i);
  return true;
}

/* Both runs have to have it. */
static int explain(const struct region_search *search) {
  const struct align *align = search->align;
  for (size_t i = 0; i < search->sides.count; i++) {
    const struct found *found = &search->found[i];
    if (found->is_there)
      continue;
    if (found->count)
      message_say("%s: %s is entered %llu time%s, --align wants the one numbered %llu",
                  search->sides.names[i], align->region, (unsigned long long)found->count,
                  found->count == 1 ? "" : "s", (unsigned long long)align->instance);
    else
      message_say("%s: no thread enters a region called %s (stave report shows how they are called)",
                  search->sides.names[i], align->region);
    return EXIT_UNDONE;
  }
  return EXIT_SUCCESS;
}

static int look(void *data, const struct archive_job *job) {
  struct region_search *search = data;
  char error[TRACE_ERROR_BYTES];
  search->trace = job->trace;
  int status = EXIT_UNDONE;
  if (!begin(search))
    message_say("out of memory");
  else if (trace_read_in_order(job->trace, 0, UINT64_MAX, on_event, search, error) < 0)
    status = archive_job_failed(job, error);
  else
    status = explain(search);
  free(search->is_wanted);
  free(search->side_of);
  return status;
}

bool align_find(struct align *align, const char *path) {
  size_t bytes = SIDES_MOST * sizeof(struct found);
  struct region_search search = {.align = align};
  search.found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (search.found == MAP_FAILED) {
    message_say("out of memory");
    return false;
  }
  bool is_found = archive_job_run(path, look, &search) == EXIT_SUCCESS;
  for (size_t i = 0; is_found && i < SIDES_MOST; i++)
    align->instants_ns[i] = search.found[i].instant_ns;
  munmap(search.found, bytes);
  return is_found;
}
