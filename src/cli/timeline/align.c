#include "cli/timeline/align.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "base/plural.h"
#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/times.h"
#include "cli/common/usage.h"
#include "cli/timeline/align_names.h"

/* -- the option -- */

static bool copy(char *buffer, size_t size, const char *text, size_t length) {
  if (length >= size)
    return usage_error("timeline", "--align: the name is too long");
  memcpy(buffer, text, length);
  buffer[length] = '\0';
  return true;
}

/* One for each run; what is none of these is the name of a region. */
static bool read_times(struct align *ret, const char *text) {
  char time[64];
  for (const char *next = text; next; ret->count++) {
    size_t length = strcspn(next, ",");
    if (length >= sizeof time || ret->count == SIDES_MAX)
      return false;
    memcpy(time, next, length);
    time[length] = '\0';
    if (!times_parse(time, &ret->instants_ns[ret->count]))
      return false;
    next = next[length] ? next + length + 1 : NULL;
  }
  return ret->count > 1;
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
    return usage_error("timeline", "--align: instances are counted from 1 on, not as in %s", text);
  if (end == text)
    return usage_error("timeline", "--align requires start, times as 1.5s,200ms, or a region's name");
  ret->region = ret->name;
  return copy(ret->name, sizeof ret->name, text, (size_t)(end - text));
}

bool align_read(struct align *ret, const char *text) {
  *ret = (struct align){0};
  if (strcmp(text, "start") == 0 || read_times(ret, text))
    return true;
  *ret = (struct align){0};
  return read_region(ret, text);
}

/* -- the region -- */

/* Of a region and all that are called alike, in one run. */
struct entries {
  uint64_t location, count; /* who has entered it first; how often until now */
  uint64_t instant_ns;
  bool is_there; /* the instance that is requested */
};

struct region_search {
  const struct align *align;
  const struct trace *trace;
  struct sides sides;
  enum align_names names;
  uint32_t *meant;    /* by region: the first that is called alike */
  uint32_t chosen;    /* of those one; ALIGN_NOT_MEANT: not yet */
  size_t *side_of;    /* by location */
  uint64_t *instants; /* what is found, by side: shared with the process that waits for it */
  struct {
    struct entries *entries; /* by region */
    bool *is_entered;        /* the same */
  } runs[SIDES_MAX];
};

/* An instance is the one of the thread that has entered the region first: the others of a team enter it, too.
 */
static void enter(struct region_search *search, const struct trace_event *event, size_t side,
                  uint32_t region) {
  struct entries *entries = &search->runs[side].entries[region];
  if (entries->is_there)
    return;
  if (entries->count == 0)
    entries->location = event->location;
  entries->count += entries->location == event->location;
  entries->is_there = entries->count == search->align->instance;
  entries->instant_ns = trace_ns(search->trace, event->ticks);
}

static bool is_found(const struct region_search *search) {
  for (size_t i = 0; i < search->sides.count; i++)
    if (search->chosen == ALIGN_NOT_MEANT || !search->runs[i].entries[search->chosen].is_there)
      return false;
  return true;
}

/* At a place the first that is entered is meant: what it has within comes later. */
static bool on_event(void *data, const struct trace_event *event) {
  struct region_search *search = data;
  const struct trace *trace = search->trace;
  const struct trace_region *region =
      event->kind == TRACE_Enter ? trace_region(trace, event->Enter.region) : NULL;
  if (!region)
    return true;
  size_t side = search->side_of[event->location], index = (size_t)(region - trace->regions);
  uint32_t meant = search->meant[index];
  search->runs[side].is_entered[index] = true;
  if (meant == ALIGN_NOT_MEANT)
    return true;
  if (search->chosen == ALIGN_NOT_MEANT && search->names != ALIGN_NAMES_PART)
    search->chosen = meant;
  enter(search, event, side, meant);
  return !is_found(search);
}

static void begin(struct region_search *search) {
  const struct trace *trace = search->trace;
  search->meant = memory_get(trace->region_count + 1, sizeof *search->meant);
  search->side_of = memory_get(trace->location_count + 1, sizeof *search->side_of);
  sides_find(&search->sides, trace);
  for (size_t i = 0; i < search->sides.count; i++) {
    search->runs[i].entries = memory_get(trace->region_count + 1, sizeof(struct entries));
    search->runs[i].is_entered = memory_get(trace->region_count + 1, sizeof(bool));
  }
  search->chosen = ALIGN_NOT_MEANT;
  search->names = align_names_find(trace, search->align->region, search->meant);
  for (size_t i = 0; i < trace->location_count; i++)
    search->side_of[i] = sides_of_location(&search->sides, trace, i);
}

static void end(struct region_search *search) {
  free(search->meant);
  free(search->side_of);
  for (size_t i = 0; i < search->sides.count; i++) {
    free(search->runs[i].entries);
    free(search->runs[i].is_entered);
  }
}

/* Of several that have the text in their names that one is meant which is entered. Returns false after a
 * message if there are several, or if there is none. */
static bool choose(struct region_search *search) {
  const struct trace *trace = search->trace;
  char names[ALIGN_NAMES_BYTES];
  bool *entered = memory_get(trace->region_count + 1, sizeof *entered);
  size_t count = 0;
  for (size_t i = 0; i < trace->region_count; i++) {
    for (size_t side = 0; side < search->sides.count; side++)
      entered[i] |= search->runs[side].entries[i].count > 0;
    if (entered[i])
      search->chosen = (uint32_t)i;
    count += entered[i];
  }
  if (count > 1)
    message_print("%s is a part of several names: %s", search->align->region,
                  align_names_list(trace, entered, names));
  for (size_t i = 0; i < trace->region_count; i++)
    for (size_t side = 0; side < search->sides.count; side++)
      entered[i] |= search->runs[side].is_entered[i];
  if (count == 0)
    message_print("no region is called %s%s", search->align->region,
                  align_names_nearest(trace, entered, search->align->region, names));
  free(entered);
  return count == 1;
}

static void print_missing(const struct region_search *search, size_t side) {
  const struct align *align = search->align;
  const char *run = search->sides.names[side],
             *name = align_names_short(&search->trace->regions[search->chosen]);
  uint64_t count = search->runs[side].entries[search->chosen].count;
  char names[ALIGN_NAMES_BYTES];
  if (count)
    message_print("%s: %s is entered %llu time%s, --align names number %llu", run, name,
                  (unsigned long long)count, plural(count), (unsigned long long)align->instance);
  else
    message_print("%s: no thread enters %s%s", run, name,
                  align_names_nearest(search->trace, search->runs[side].is_entered, name, names));
}

/* All runs have to have it. */
static int conclude(struct region_search *search) {
  if (search->chosen == ALIGN_NOT_MEANT && !choose(search))
    return EXIT_FAILED;
  for (size_t i = 0; i < search->sides.count; i++) {
    const struct entries *entries = &search->runs[i].entries[search->chosen];
    search->instants[i] = entries->instant_ns;
    if (!entries->is_there) {
      print_missing(search, i);
      return EXIT_FAILED;
    }
  }
  return EXIT_SUCCESS;
}

static int look(void *data, const struct archive_job *job) {
  struct region_search *search = data;
  char error[TRACE_ERROR_BYTES];
  search->trace = job->trace;
  begin(search);
  int status = trace_read_in_order(job->trace, 0, UINT64_MAX, on_event, search, error) < 0
                   ? archive_job_failed(job, error)
                   : conclude(search);
  end(search);
  return status;
}

bool align_find(struct align *align, const char *path) {
  size_t bytes = SIDES_MAX * sizeof(uint64_t);
  struct region_search search = {.align = align};
  search.instants = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (search.instants == MAP_FAILED)
    memory_exhausted();
  bool is_found = archive_job_run(path, look, &search) == EXIT_SUCCESS;
  for (size_t i = 0; is_found && i < SIDES_MAX; i++)
    align->instants_ns[i] = search.instants[i];
  munmap(search.instants, bytes);
  return is_found;
}
