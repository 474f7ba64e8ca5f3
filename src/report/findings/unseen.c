/* Which causes could not be looked for in this run, since nothing that shows them is in the archive. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "report/collect/collect.h"
#include "stave/names.h"
#include "trace/detail.h"

static const struct {
  enum report_cause cause;
  const char *event, *number, *other;
} shown_by[] = {
#define SHOWN_BY(cause, event, number, other) {CAUSE_##cause, event, number, other},
#include "report/findings/unseen.def"
#undef SHOWN_BY
};

static const enum report_cause by_kernel[] = {CAUSE_QUOTA, CAUSE_BINDING, CAUSE_OWN_THREADS, CAUSE_STOPPED,
                                              CAUSE_BLOCKED};

static const char *property_of(const struct trace *trace, const char *prefix, const char *number) {
  char name[64];
  snprintf(name, sizeof name, "%s%s", prefix, number);
  return trace_archive_property(trace, name);
}

/* What the runtime has answered: of other tools' archives this is not known. */
static bool is_refused(const struct trace *trace, const char *number) {
  const char *answer = property_of(trace, STAVE_PROPERTY_SET_CALLBACK, number);
  return answer && (strcmp(answer, "never") == 0 || strcmp(answer, "error") == 0);
}

static bool is_declined(const struct trace *trace, const char *number) {
  return property_of(trace, STAVE_PROPERTY_NOT_ASKED, number) != NULL;
}

void unseen_add(struct report *report, enum report_cause cause, enum report_unseen_why why,
                const char *event) {
  struct report_unseen *one = array_add(&report->unseen, &report->unseen_count, sizeof *one);
  *one = (struct report_unseen){cause, why, event};
  report->caveats.lacks_chunks |= cause == CAUSE_CHUNK_SIZE;
}

/* A loop of which it is not known how many chunks it has. */
static bool has_unknown_chunks(const struct report *report) {
  for (size_t i = 0; i < report->trace->region_count; i++) {
    const struct trace_region *region = &report->trace->regions[i];
    if (report->regions[i].loop && construct_of_region(region) == CONSTRUCT_loop &&
        strcmp(detail_schedule(region), "static") != 0 && detail_chunk(region) == 0)
      return true;
  }
  return false;
}

static void add_events(struct report *report) {
  for (size_t i = 0; i < sizeof shown_by / sizeof *shown_by; i++) {
    bool is_chunks = shown_by[i].cause == CAUSE_CHUNK_SIZE;
    bool has_other = *shown_by[i].other != '\0';
    if (is_chunks && !has_unknown_chunks(report))
      continue;
    if (is_declined(report->trace, shown_by[i].number))
      unseen_add(report, shown_by[i].cause, UNSEEN_DECLINED, shown_by[i].event);
    else if (is_refused(report->trace, shown_by[i].number) &&
             (!has_other || is_refused(report->trace, shown_by[i].other)))
      unseen_add(report, shown_by[i].cause, UNSEEN_RUNTIME, shown_by[i].event);
  }
}

void unseen_find(struct report *report) {
  bool is_our_own = property_of(report->trace, STAVE_PROPERTY_SET_CALLBACK, shown_by[0].number) != NULL;
  if (!report->has_openmp)
    return;
  add_events(report);
  for (size_t i = 0; is_our_own && !report->account.is_known && i < sizeof by_kernel / sizeof *by_kernel; i++)
    unseen_add(report, by_kernel[i], UNSEEN_KERNEL, NULL);
}
