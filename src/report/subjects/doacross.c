/* Loops with ordered(n) whose iterations wait for each other. Runtimes report no such waiting, but when an
 * iteration's sinks were encountered and when it posted its source. What lies before a sink is work or
 * waiting: waiting can only be where the source that it names was posted meanwhile. */
#include "report/subjects/doacross.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/collect/analyser.h"
#include "report/finding.h"

/* Sources, by their vectors: the newer of two in one entry stays, which makes the older one unknown. */
enum { SOURCES = 4096 };

struct doacross_source {
  uint64_t key, ticks;
};

/* A thread in such a loop. */
struct doacross_member {
  uint32_t region; /* the loop */
  uint64_t begin_ticks;
  uint64_t last_ticks;           /* its last sink or source, or the loop's begin */
  bool has_sink;                 /* that was a sink */
  uint64_t sink_ticks, sink_key; /* sinks at this time are one, whose vector is not complete yet; 0: none */
  uint64_t source_ticks, source_key;
};

/* One loop, by its iterations. */
struct doacross_chain {
  uint64_t sinks, waited; /* waited: those that may have waited for their source */
  /* of these: all that was before the sink, and the part after the source, which was no waiting */
  uint64_t before_waited, after_source;
  struct spread free;  /* before the sinks that found their source posted already: no waiting */
  struct spread links; /* from sink to source */
  struct spread alone; /* iterations without a sink, up to their source */
  double imbalance;    /* of the loop, which is the end of its chain: wall time */
};

/* `sources` and `members`, by location: NULL until the first event. */
struct doacross {
  struct doacross_source *sources;
  struct doacross_member *members;
  struct doacross_chain **chains; /* by region; NULL: it is none */
};

static struct doacross *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, doacross);
}

static void prepare(struct collector *collector) {
  struct doacross *doacross = state_of(collector);
  doacross->chains = memory_get(collector->trace->region_count, sizeof *doacross->chains);
}

static void make_room(const struct collector *collector, struct doacross *doacross) {
  if (!doacross->sources)
    doacross->sources = memory_get(SOURCES, sizeof *doacross->sources);
  if (!doacross->members)
    doacross->members = memory_get(collector->trace->location_count, sizeof *doacross->members);
}

static struct doacross_chain *chain_of(struct collector *collector, uint32_t region) {
  struct doacross_chain **chain = &state_of(collector)->chains[region];
  if (!*chain)
    *chain = memory_get(1, sizeof **chain);
  return *chain;
}

static uint64_t mix(uint64_t hash, uint64_t element) {
  hash = (hash ^ element) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

/* -- one iteration -- */

/* Between here->last_ticks and the sink: work, as far as the source was posted before, or is not older than
 * what was there first. */
static void conclude_sink(struct collector *collector, struct doacross_member *here) {
  struct doacross_chain *chain = chain_of(collector, here->region);
  const struct doacross_source *source = &state_of(collector)->sources[here->sink_key % SOURCES];
  uint64_t before = here->sink_ticks - here->last_ticks;
  if (!chain)
    return;
  bool is_known = source->key == here->sink_key && source->ticks <= here->sink_ticks;
  here->has_sink = true;
  here->last_ticks = here->sink_ticks;
  here->sink_ticks = 0;
  chain->sinks++;
  if (is_known && source->ticks <= here->last_ticks - before) {
    spread_add(&chain->free, before);
    return;
  }
  chain->waited++;
  chain->before_waited += before;
  chain->after_source += is_known ? here->last_ticks - source->ticks : 0;
}

static void post(struct collector *collector, struct doacross_member *here, uint64_t ticks) {
  struct doacross_chain *chain = chain_of(collector, here->region);
  if (chain)
    spread_add(here->has_sink ? &chain->links : &chain->alone, ticks - here->last_ticks);
  here->last_ticks = ticks;
  here->has_sink = false;
}

/* -- events -- */

static const struct replay_frame *loop_frame(const struct collector *collector,
                                             const struct replay_task *task) {
  for (uint32_t i = task->frame_count; i-- > 0;) {
    uint32_t region = task->frames[i].region;
    if (region != REPLAY_NONE && collector->interests[region].is_loop)
      return &task->frames[i];
  }
  return NULL;
}

static void before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  struct doacross *doacross = state_of(collector);
  const struct replay_frame *loop = loop_frame(collector, now->task);
  bool is_sink = collector->interests[region].construct == CONSTRUCT_depend_sink;
  uint64_t element;
  if (!loop || !collector_is_inside(collector, event->ticks) ||
      !collector_attribute(event, collector->address_attribute, &element))
    return;
  make_room(collector, doacross);
  struct doacross_member *here = &doacross->members[event->location];
  if (here->region != loop->region || here->begin_ticks != loop->begin_ticks)
    *here = (struct doacross_member){
        .region = loop->region, .begin_ticks = loop->begin_ticks, .last_ticks = loop->begin_ticks};
  if (here->sink_ticks && !(is_sink && here->sink_ticks == event->ticks))
    conclude_sink(collector, here);
  if (is_sink) {
    here->sink_key = mix(here->sink_ticks ? here->sink_key : here->region, element);
    here->sink_ticks = event->ticks;
    return;
  }
  bool is_next = here->source_ticks == event->ticks;
  here->source_key = mix(is_next ? here->source_key : here->region, element);
  here->source_ticks = event->ticks;
  doacross->sources[here->source_key % SOURCES] = (struct doacross_source){here->source_key, event->ticks};
  if (!is_next)
    post(collector, here, event->ticks);
}

/* -- findings -- */

/* What an iteration does before its sink: as those that did not wait, and those that have no sink, less what
 * the others do after theirs. Ticks; 0: nothing is known. */
static double before_sink(const struct doacross_chain *chain) {
  double alone = (double)chain->alone.sum - spread_mean(&chain->links) * (double)chain->alone.count;
  double known = (double)chain->free.sum + (alone > 0 ? alone : 0);
  uint64_t count = chain->free.count + chain->alone.count;
  return count ? known / (double)count : 0;
}

static double waiting_of(const struct doacross_chain *chain) {
  double most = (double)chain->before_waited, least = (double)chain->after_source;
  double worked = before_sink(chain) * (double)chain->waited;
  return worked < least ? most - least : worked > most ? 0 : most - worked;
}

static void find_chain(struct report *report, uint32_t region, const struct doacross_chain *chain) {
  const struct report_loop *loop = report->regions[region].loop;
  struct finding_texts texts = {.report = report};
  double waited = waiting_of(chain), members = finding_threads(report, loop->parallel);
  struct report_finding *finding =
      finding_add(report, CAUSE_DOACROSS, region, waited / members + chain->imbalance);
  if (!finding)
    return;
  report->lost_in_work += waited / members;
  finding_printf(finding->what, "iterations of %s wait for one another", finding_label(&texts, region));
  finding_printf(
      finding->evidence,
      "of %" PRIu64 " sinks %" PRIu64 " may have waited, since their source was posted after their thread "
      "had started the iteration: %s in all "
      "(%s at most), if iterations need %s before their sink; %s each lie between sink and source, a chain "
      "of %s",
      chain->sinks, chain->waited, finding_time(&texts, waited),
      finding_time(&texts, (double)(chain->before_waited - chain->after_source)),
      finding_time(&texts, before_sink(chain)), finding_time(&texts, spread_mean(&chain->links)),
      finding_time(&texts, (double)chain->links.sum));
}

static void find(struct collector *collector) {
  for (uint32_t i = 0; i < collector->trace->region_count; i++)
    if (state_of(collector)->chains[i])
      find_chain(collector->report, i, state_of(collector)->chains[i]);
}

/* All where most sinks waited, since the chain ends on one thread; else what the thread that waited has more
 * by it than the mean. */
bool doacross_explains(struct collector *collector, uint32_t region, double *gain) {
  const struct report_loop *loop = collector->report->regions[region].loop;
  struct doacross_chain *chain = state_of(collector)->chains[region];
  if (!chain)
    return false;
  double threads = finding_threads(collector->report, loop->parallel);
  double most = chain->waited * 2 > chain->sinks ? *gain : waiting_of(chain) * (1 - 1 / threads);
  double part = most < *gain ? most : *gain;
  bool is_all = part >= *gain;
  chain->imbalance += part;
  *gain -= part;
  return is_all;
}

static void release(struct collector *collector) {
  struct doacross *doacross = state_of(collector);
  for (size_t i = 0; doacross->chains && i < collector->trace->region_count; i++)
    free(doacross->chains[i]);
  free(doacross->chains);
  free(doacross->members);
  free(doacross->sources);
}

static bool observes_construct(enum construct construct) {
  return construct_class(construct) == CONSTRUCT_CLASS_doacross;
}

const struct analyser doacross_analyser = {.state_bytes = sizeof(struct doacross),
                                           .observes_construct = observes_construct,
                                           .prepare = prepare,
                                           .before_enter = before_enter,
                                           .find = find,
                                           .release = release};
