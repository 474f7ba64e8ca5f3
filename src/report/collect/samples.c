/* Samples: each is charged to what its thread was doing then, and to the function that its calling context
 * ends in. Contexts are counted while events go by, functions made of them at the end. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/collect/samples.h"
#include "report/collect/serial.h"
#include "report/finding.h"
#include "trace/label.h"

/* Fewer at a place show too little: of ten, a function with a third of the time has none in one of fifty
 * cases. */
enum { SAMPLES_MIN = 10 };

static struct samples *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, samples);
}

static void prepare(struct collector *collector) {
  state_of(collector)->state_attribute = collector_attribute_named(collector, "thread state");
}

const char *report_doing_name(enum report_doing doing) {
  static const char *const names[] = {[DOING_SERIAL] = "serial",
                                      [DOING_WORK] = "work",
                                      [DOING_WAITING] = "waiting",
                                      [DOING_RUNTIME] = "runtime",
                                      [DOING_IDLE] = "idle"};
  return names[doing];
}

static enum report_doing doing_of(enum activity activity) {
  switch (activity) {
  case ACTIVITY_SERIAL:
    return DOING_SERIAL;
  case ACTIVITY_WORK:
  case ACTIVITY_TASK:
  case ACTIVITY_DEVICE:
    return DOING_WORK;
  case ACTIVITY_BARRIER_WAIT:
  case ACTIVITY_LOCK_WAIT:
  case ACTIVITY_TASK_WAIT:
  case ACTIVITY_MPI:
    return DOING_WAITING;
  case ACTIVITY_IDLE:
    return DOING_IDLE;
  case ACTIVITY_TASK_MANAGEMENT:
  case ACTIVITY_REDUCTION:
  case ACTIVITY_OVERHEAD:
  case ACTIVITY_UNKNOWN:
  case ACTIVITY_COUNT:
    return DOING_RUNTIME;
  }
  return DOING_RUNTIME;
}

/* -- while events go by -- */

static void count_state(struct collector *collector, const struct trace_event *event) {
  struct report *report = collector->report;
  uint64_t name;
  if (!collector_attribute(event, state_of(collector)->state_attribute, &name))
    return;
  const char *text = trace_string(collector->trace, name);
  size_t i = 0;
  while (i < report->state_count && report->states[i].name != text)
    i++;
  if (i == report->state_count) {
    struct report_state *state = array_add(&report->states, &report->state_count, sizeof *state);
    state->name = text;
  }
  report->states[i].samples++;
}

static void before_other(struct collector *collector, const struct trace_event *event) {
  if (!collector_is_inside(collector, event->ticks))
    return;
  struct replay_now now = replay_now(collector->replay, event->location);
  enum report_doing doing = doing_of(now.activity);
  bool has_place = doing != DOING_SERIAL && doing != DOING_IDLE;
  uint32_t region = has_place ? collector_construct(collector, now.task) : REPLAY_NONE;
  uint32_t context = event->CallingContextSample.calling_context;
  collector->report->samples++;
  collector->report->samples_doing[doing]++;
  count_state(collector, event);
  samples_add(collector, doing, region, context, 1);
  if (doing == DOING_WORK && now.team && now.team->region != REPLAY_NONE && now.team->region != region)
    samples_add(collector, doing, now.team->region, context, 1);
  if (doing == DOING_SERIAL)
    serial_sample(collector, event->location, context);
}

/* -- at the end -- */

/* Samples of one line of a function. */
struct counted {
  uint64_t place, samples;
  uint32_t function, caller;
  const struct trace_code_line *line;
};

static bool is_function(const struct collector *collector, uint32_t region) {
  if (region == REPLAY_NONE)
    return false;
  enum construct construct = collector->interests[region].construct;
  return construct == CONSTRUCT_function || construct == CONSTRUCT_runtime_function ||
         construct == CONSTRUCT_runtime_routine || construct == CONSTRUCT_other;
}

static uint32_t function_of(const struct collector *collector, const struct trace_context *context) {
  uint32_t region = collector_region(collector, context->region);
  return is_function(collector, region) ? region : REPLAY_NONE;
}

/* Writers name callers by smaller numbers; whoever does not cannot lead in circles here. */
static const struct trace_context *caller_of(const struct collector *collector,
                                             const struct trace_context *context) {
  const struct trace_context *caller = trace_context(collector->trace, context->parent);
  return caller && caller->ref < context->ref ? caller : NULL;
}

/* Names the function, and who called it if there is no source of it. */
static void name_function(const struct collector *collector, uint64_t ref, struct counted *ret) {
  const struct trace_context *context = trace_context(collector->trace, ref);
  ret->function = ret->caller = REPLAY_NONE;
  if (!context || (ret->function = function_of(collector, context)) == REPLAY_NONE)
    return;
  ret->line = trace_code_line(collector->trace, context->code_line);
  if (ret->line || *collector->trace->regions[ret->function].file)
    return;
  while ((context = caller_of(collector, context))) {
    uint32_t caller = function_of(collector, context);
    const struct trace_code_line *line = trace_code_line(collector->trace, context->code_line);
    if (caller == REPLAY_NONE || (!line && !*collector->trace->regions[caller].file))
      continue;
    ret->caller = caller;
    ret->line = line;
    return;
  }
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_function(const void *left, const void *right) {
  const struct counted *a = left, *b = right;
  int order = COMPARE(a->place, b->place);
  order = order ? order : COMPARE(a->function, b->function);
  order = order ? order : COMPARE(a->caller, b->caller);
  return order ? order : COMPARE((uintptr_t)a->line, (uintptr_t)b->line);
}

static int hottest(const void *left, const void *right) {
  const struct report_hot *a = left, *b = right;
  int order = COMPARE(b->samples, a->samples);
  order = order ? order : COMPARE(a->function, b->function);
  return order ? order : COMPARE(a->caller, b->caller);
}

static int most_sampled(const void *left, const void *right) {
  const struct report_sampled *a = left, *b = right;
  int order = COMPARE(b->samples, a->samples);
  order = order ? order : COMPARE(a->doing, b->doing);
  return order ? order : COMPARE(a->region, b->region);
}

/* Of `count` that are the same function at the same place, sorted by line. */
static struct report_hot add_lines(const struct counted *all, size_t count) {
  struct report_hot hot = {.function = all->function, .caller = all->caller};
  uint64_t most = 0, here = 0;
  for (size_t i = 0; i < count; i++) {
    here = i > 0 && all[i].line == all[i - 1].line ? here + all[i].samples : all[i].samples;
    hot.samples += all[i].samples;
    if (here > most)
      hot.line = all[i].line;
    most = here > most ? here : most;
  }
  return hot;
}

static size_t same_function(const struct counted *all, size_t count) {
  size_t same = 1;
  while (same < count && all[same].place == all->place && all[same].function == all->function &&
         all[same].caller == all->caller)
    same++;
  return same;
}

static struct report_sampled *new_place(struct report *report, uint64_t place) {
  if (place >> 32 == DOING_COUNT)
    return &report->gaps[(uint32_t)place].sampled;
  struct report_sampled *one = array_add(&report->sampled, &report->sampled_count, sizeof *one);
  *one = (struct report_sampled){.doing = (enum report_doing)(place >> 32), .region = (uint32_t)place};
  return one;
}

/* Adds the samples of one place. Returns their number. */
static size_t add_place(struct report *report, const struct counted *all, size_t count) {
  struct report_sampled *one = new_place(report, all->place);
  size_t used = 0;
  while (used < count && all[used].place == all->place) {
    size_t same = same_function(all + used, count - used);
    struct report_hot *hot = array_add(&one->hot, &one->hot_count, sizeof *hot);
    *hot = add_lines(all + used, same);
    one->samples += hot->samples;
    used += same;
  }
  qsort(one->hot, one->hot_count, sizeof *one->hot, hottest);
  return used;
}

static void finish(struct collector *collector) {
  struct report *report = collector->report;
  const struct pair_map *map = &state_of(collector)->counts;
  struct counted *all = memory_get(map->count, sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < map->capacity; i++) {
    const struct pair_map_entry *entry = &map->entries[i];
    if (!entry->value)
      continue;
    all[count] = (struct counted){.place = entry->high, .samples = (uintptr_t)entry->value};
    name_function(collector, entry->low, &all[count++]);
  }
  if (count > 0)
    qsort(all, count, sizeof *all, by_function);
  for (size_t i = 0; i < count;)
    i += add_place(report, all + i, count - i);
  if (report->sampled_count > 0)
    qsort(report->sampled, report->sampled_count, sizeof *report->sampled, most_sampled);
  free(all);
}

void report_samples_free(struct report *report) {
  for (size_t i = 0; i < report->sampled_count; i++)
    free(report->sampled[i].hot);
  for (size_t i = 0; i < report->gap_count; i++)
    free(report->gaps[i].sampled.hot);
  free(report->sampled);
}

/* The samples at a place; NULL: there are none. */
static const struct report_sampled *report_sampled_at(const struct report *report, enum report_doing doing,
                                                      uint32_t region) {
  for (size_t i = 0; i < report->sampled_count; i++)
    if (report->sampled[i].doing == doing && report->sampled[i].region == region)
      return &report->sampled[i];
  return NULL;
}

/* -- findings: the function in which most samples of their places were taken -- */

/* Of the part that the finding names, or of all of them if it has too few. Before the first use of OpenMP
 * none are taken, and those of other parts show nothing of it. */
static const struct report_sampled *serial_samples(const struct report *report) {
  const struct report_gap *gap = report_longest_gap(report);
  if (gap && serial_is_before_openmp(report, gap))
    return NULL;
  return gap && gap->sampled.samples >= SAMPLES_MIN ? &gap->sampled
                                                    : report_sampled_at(report, DOING_SERIAL, REPLAY_NONE);
}

static const struct report_sampled *samples_at(const struct report *report,
                                               const struct report_finding *finding) {
  if (finding->cause == CAUSE_SERIAL)
    return serial_samples(report);
  if (finding->region == REPLAY_NONE || finding_has_trait(finding->cause, TRAIT_NOT_CODE))
    return NULL;
  const struct report_task *task = report->regions[finding->region].task;
  bool is_elsewhere = task && task->task_region != REPLAY_NONE;
  return report_sampled_at(report, DOING_WORK, is_elsewhere ? task->task_region : finding->region);
}

/* Of all who called it. */
static uint64_t samples_in(const struct report_sampled *place, uint32_t function) {
  uint64_t samples = 0;
  for (size_t i = 0; i < place->hot_count; i++)
    if (place->hot[i].function == function)
      samples += place->hot[i].samples;
  return samples;
}

static const struct report_hot *hottest_of(const struct report_sampled *place) {
  const struct report_hot *most = NULL;
  for (size_t i = 0; i < place->hot_count; i++) {
    const struct report_hot *one = &place->hot[i];
    if (one->function != REPLAY_NONE &&
        (!most || samples_in(place, one->function) > samples_in(place, most->function)))
      most = one;
  }
  return most;
}

static void add_function(const struct report *report, struct report_finding *finding,
                         const struct report_sampled *place, const struct report_hot *hot) {
  char function[LABEL_BYTES];
  bool is_all = finding->cause == CAUSE_SERIAL && place != &report_longest_gap(report)->sampled;
  finding_append(finding->evidence, "; %" PRIu64 " of %" PRIu64 " samples %s in %s", finding->samples_in,
                 finding->samples, is_all ? "of all serial parts" : "there",
                 label_function(function, report->trace, hot->function));
  if (hot->caller != REPLAY_NONE)
    finding_append(finding->evidence, ", called by %s", label_function(function, report->trace, hot->caller));
}

static void annotate(struct collector *collector) {
  const struct report *report = collector->report;
  for (size_t i = 0; i < report->finding_count; i++) {
    struct report_finding *finding = &report->findings[i];
    const struct report_sampled *place = samples_at(report, finding);
    const struct report_hot *hot = place && place->samples >= SAMPLES_MIN ? hottest_of(place) : NULL;
    if (!hot)
      continue;
    finding->samples = place->samples;
    finding->samples_in = samples_in(place, hot->function);
    finding->sampled_function = hot->function;
    add_function(report, finding, place, hot);
  }
}

static void release(struct collector *collector) {
  pair_map_free(&state_of(collector)->counts);
}

static bool observes_kind(enum trace_kind kind) {
  return kind == TRACE_CallingContextSample;
}

const struct analyser samples_analyser = {.state_bytes = sizeof(struct samples),
                                          .observes_kind = observes_kind,
                                          .prepare = prepare,
                                          .before_other = before_other,
                                          .finish = finish,
                                          .annotate = annotate,
                                          .release = release};
