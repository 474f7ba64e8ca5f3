/* Serial parts: what lies between parallel regions, and in which functions samples were taken there. Which
 * region ends a part is known when that has a name, so samples wait with the process for it. */
#include "report/collect/serial.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/plural.h"
#include "report/collect/analyser.h"
#include "report/collect/blocked.h"
#include "report/collect/samples.h"
#include "report/finding.h"

/* Of the gain: what is below makes no difference; and what is no doubt of the serial part itself. */
static const double DOUBT_MIN = 0.03, DOUBT_MAX = 0.4;

/* The serial parts of one process: `apart` is what counts as no serial time. */
struct serial_process {
  uint64_t begin, begin_apart;     /* since the last team: and what was apart until then */
  uint64_t gap_begin, gap_end;     /* the part that the team has ended that is open */
  uint64_t gap_apart;              /* in it */
  uint32_t last_region;            /* of the last team that has ended such a part */
  struct pair_map samples, of_gap; /* by calling context: since the last team; in the gap */
};

struct serial {
  struct serial_process *processes;
  uint64_t device_start; /* when the runtime initialized its first device; 0: none */
  struct pair_map gaps;  /* numbers of the report's, from 1, by the regions around them */
};

static struct serial *state_of(const struct collector *collector) {
  return ANALYSER_STATE(collector, serial);
}

static void prepare(struct collector *collector) {
  struct serial *serial = state_of(collector);
  size_t count = PROCESS_COUNT(collector->trace);
  serial->processes = memory_get(count, sizeof *serial->processes);
  for (size_t i = 0; i < count; i++)
    serial->processes[i].last_region = REPLAY_NONE;
}

static struct report_gap *gap_of(struct collector *collector, uint32_t before, uint32_t after) {
  struct report *report = collector->report;
  uintptr_t number = (uintptr_t)pair_map_get(&state_of(collector)->gaps, before, after);
  if (number > 0)
    return &report->gaps[number - 1];
  struct report_gap *gap = array_add(&report->gaps, &report->gap_count, sizeof *gap);
  pair_map_put(&state_of(collector)->gaps, before, after, (void *)report->gap_count);
  *gap = (struct report_gap){
      .before = before, .after = after, .sampled = {.doing = DOING_SERIAL, .region = REPLAY_NONE}};
  return gap;
}

void serial_sample(struct collector *collector, size_t location, uint32_t context) {
  size_t number = collector->report->threads[location].process;
  struct pair_map *samples = &state_of(collector)->processes[number].samples;
  uintptr_t count = (uintptr_t)pair_map_get(samples, 0, context);
  if (collector->processes[number].led_teams == 0)
    pair_map_put(samples, 0, context, (void *)(count + 1));
}

static uint64_t apart_until_now(const struct collector *collector, size_t process) {
  return collector->report->processes[process].mpi + collector->report->processes[process].unknown;
}

static void end_gap(struct serial_process *process, uint64_t begin, uint64_t end, uint64_t apart) {
  process->gap_begin = begin;
  process->gap_end = end;
  process->gap_apart = apart - process->begin_apart;
  pair_map_free(&process->of_gap);
  process->of_gap = process->samples;
  process->samples = (struct pair_map){0};
}

void serial_end(struct collector *collector, size_t number, uint64_t ticks) {
  struct serial_process *process = &state_of(collector)->processes[number];
  end_gap(process, process->begin, ticks, apart_until_now(collector, number));
}

void serial_begin(struct collector *collector, size_t number, uint64_t ticks) {
  struct serial_process *process = &state_of(collector)->processes[number];
  process->begin = ticks;
  process->begin_apart = apart_until_now(collector, number);
}

struct serial_open serial_open_part(const struct collector *collector, size_t number) {
  const struct serial_process *process = &state_of(collector)->processes[number];
  return (struct serial_open){process->begin, process->begin_apart, process->last_region};
}

void serial_set_open_part(struct collector *collector, size_t number, const struct serial_open *part) {
  struct serial_process *process = &state_of(collector)->processes[number];
  process->begin = part->begin;
  process->begin_apart = part->begin_apart;
  process->last_region = part->last_region;
}

uint32_t serial_last_region(const struct collector *collector, size_t process) {
  return state_of(collector)->processes[process].last_region;
}

static void add_samples(struct collector *collector, struct pair_map *samples, size_t number) {
  for (size_t i = 0; i < samples->capacity; i++)
    if (samples->entries[i].value)
      samples_add(collector, DOING_COUNT, (uint32_t)number, (uint32_t)samples->entries[i].low,
                  (uintptr_t)samples->entries[i].value);
}

struct report_gap *serial_add_part(struct collector *collector, const struct serial_part *part) {
  struct report_gap *gap = gap_of(collector, part->before, part->after);
  if (!gap)
    return NULL;
  if (part->ticks > gap->time.max)
    gap->longest_begin = part->begin, gap->longest_end = part->end;
  spread_add(&gap->time, part->ticks);
  scatter_add(&gap->parts, (double)part->ticks);
  return gap;
}

static void add_gap(struct collector *collector, struct serial_process *process, uint32_t after) {
  const struct report *report = collector->report;
  uint64_t started = report->life.start_ticks, apart = process->gap_apart;
  uint64_t first = started ? started : collector->trace->clock.first_ticks;
  uint64_t begin = collector_cut(collector, process->gap_begin > first ? process->gap_begin : first);
  uint64_t end = collector_cut(collector, process->gap_end);
  bool is_runtimes = process == &state_of(collector)->processes[PROCESS_OF_RUNTIMES(collector->trace)];
  if (end > begin && end - begin > apart && !is_runtimes) {
    struct serial_part part = {process->last_region, after, begin, end, end - begin - apart};
    const struct report_gap *gap = collector->posting ? NULL : serial_add_part(collector, &part);
    if (collector->posting)
      collector->posting->serial(collector, &part);
    else if (gap)
      add_samples(collector, &process->of_gap, (size_t)(gap - report->gaps));
  }
  pair_map_free(&process->of_gap);
}

void serial_add(struct collector *collector, size_t number, uint32_t region) {
  struct serial_process *process = &state_of(collector)->processes[number];
  add_gap(collector, process, region);
  process->last_region = region;
}

static void finish(struct collector *collector) {
  const struct report *report = collector->report;
  for (size_t i = 0; i <= collector->trace->location_group_count; i++) {
    const struct report_process *counted = &report->processes[i];
    struct serial_process *process = &state_of(collector)->processes[i];
    if (counted->cpus == 0 || counted->first_ticks >= counted->last_ticks)
      continue;
    uint64_t since = process->begin;
    end_gap(process, since > counted->first_ticks ? since : counted->first_ticks, counted->last_ticks,
            apart_until_now(collector, i));
    add_gap(collector, process, REPLAY_NONE);
  }
}

const struct report_gap *report_longest_gap(const struct report *report) {
  const struct report_gap *longest = NULL;
  for (size_t i = 0; i < report->gap_count; i++)
    if (!longest || report->gaps[i].time.sum > longest->time.sum)
      longest = &report->gaps[i];
  return longest;
}

bool serial_is_before_openmp(const struct report *report, const struct report_gap *gap) {
  return gap->before == REPLAY_NONE && report->life.before > (double)gap->time.sum / 2;
}

/* The standard deviation of all serial time, in ticks: that of each place by itself, as far as it was there
 * more than once. Below 0: less than half was. */
static double deviation(const struct report *report) {
  double squares = 0;
  double known = 0, all = 0; /* of places that were there more than once; of all */
  for (size_t i = 0; i < report->gap_count; i++) {
    double share;
    all += report->gaps[i].parts.sum;
    if (!scatter_share(&report->gaps[i].parts, &share))
      continue;
    known += report->gaps[i].parts.sum;
    squares += share * share * report->gaps[i].parts.sum * report->gaps[i].parts.sum;
  }
  return known > 0 && known >= all / 2 ? sqrt(squares) : -1;
}

static const char *gap_edge(struct finding_texts *texts, uint32_t region, const char *none) {
  return region == REPLAY_NONE ? none : finding_label(texts, region);
}

static void describe_before(struct finding_texts *texts, char *evidence) {
  const struct report_life *life = &texts->report->life;
  double waited = life->before - life->ran;
  finding_append(evidence, "; before the first use of OpenMP: %s, ", finding_time(texts, life->before));
  if (waited > 0)
    finding_append(evidence, "of which its thread ran %s and waited in the kernel for %s",
                   finding_time(texts, life->ran), finding_time(texts, waited));
  else
    finding_append(evidence, "in which its thread ran");
}

static void describe_gap(const struct report *report, struct report_finding *finding,
                         const struct report_gap *gap, double share) {
  struct finding_texts texts = {.report = report};
  finding_printf(
      finding->evidence, "most of it from %s to %s: %s, %" PRIu64 " time%s",
      gap_edge(&texts, gap->before, report->life.start_ticks ? "the process's begin" : "the beginning"),
      gap_edge(&texts, gap->after, "the end"), finding_time(&texts, (double)gap->time.sum), gap->time.count,
      plural(gap->time.count));
  if (report->gap_count > 1)
    finding_append(finding->evidence, ", where %s of the gain are",
                   finding_time(&texts, share * (double)gap->time.sum));
  if (report->life.start_ticks)
    describe_before(&texts, finding->evidence);
}

/* Initial threads of the program's own. */
static void describe_shared(const struct report *report, struct report_finding *finding) {
  double shared = (double)report->serial - report->serial_alone;
  struct finding_texts texts = {.report = report};
  if (shared >= DOUBT_MIN * report->serial_alone)
    finding_append(finding->evidence, "; %s more, in which several of the program's own threads work",
                   finding_time(&texts, shared));
}

static bool observes_construct(enum construct construct) {
  return construct == CONSTRUCT_device_initialize;
}

static void before_enter(struct collector *collector, const struct trace_event *event, uint32_t region,
                         const struct replay_now *now) {
  struct serial *serial = state_of(collector);
  (void)region;
  (void)now;
  if (serial->device_start == 0 && collector_is_inside(collector, event->ticks))
    serial->device_start = event->ticks;
}

/* Until the runtime reports its first device: it loads its plugins and the driver meanwhile, and no event
 * separates that from what the program does. */
static double start_of_devices(struct collector *collector) {
  uint64_t start = state_of(collector)->device_start, first = collector->report->first_ticks;
  return start > first ? (double)(start - first) : 0;
}

/* That is no serial part of the program's, as far as is known; `serial` is all outside of regions. */
static double find_start(struct collector *collector, double serial) {
  struct report *report = collector->report;
  struct finding_texts texts = {.report = report};
  double before = start_of_devices(collector);
  struct report_finding *finding =
      before > 0 && before < serial
          ? finding_add(report, CAUSE_DEVICE_START, REPLAY_NONE, before * (double)report->process_count)
          : NULL;
  if (!finding)
    return 0;
  finding_printf(finding->what, "%s until the runtime initialized the first device, once a run",
                 finding_time(&texts, before));
  finding_printf(
      finding->evidence,
      "the runtime loads the driver of its devices meanwhile; it is %s of the wall time, and is left out "
      "of the serial part",
      finding_share(&texts, before, (double)report->wall));
  return before;
}

/* What the threads share by now they do not share perfectly either: `shared` is their part of it, if they
 * did. */
static void doubt_sharing(const struct report *report, struct report_finding *finding, double shared) {
  double efficiency = report->thread_efficiency;
  double more = efficiency > 0 && efficiency < 1 ? shared * (1 / efficiency - 1) : 0;
  more = more < DOUBT_MAX * finding->gain_ticks ? more : DOUBT_MAX * finding->gain_ticks;
  if (more >= DOUBT_MIN * finding->gain_ticks)
    finding_unsure(
        finding, more,
        "that threads would share it as they share the regions is assumed, which they do unevenly");
}

/* The cost of one is measured, and may have been less: all of them cost no more than the thread ran. */
static double faults_before(const struct report *report) {
  return fmin((double)report->life.faults_before * report->life.fault_ticks, report->life.ran);
}

/* The kernel gives pages to several threads at a time no faster than to one, at worst. Goes on with what the
 * thread ran before the first use of OpenMP. */
static void doubt_faults(const struct report *report, struct report_finding *finding, double share) {
  double faults = faults_before(report) * share / 2;
  struct finding_texts texts = {.report = report};
  if (!report->life.start_ticks || faults < DOUBT_MIN * finding->gain_ticks)
    return;
  finding_unsure(finding, faults,
                 "page faults are much of it, which several threads may not have faster than one");
  finding_append(finding->evidence, ", page faults about %s", finding_time(&texts, faults_before(report)));
}

/* Of `alone` so much may be blocked, which more threads do not make shorter; has_more: besides what is. */
static void doubt_running(const struct report *report, struct report_finding *finding, double alone,
                          bool has_more) {
  double besides = fmin(blocked_besides(report), alone);
  struct finding_texts texts = {.report = report};
  if (besides < DOUBT_MIN * alone)
    return;
  finding_unsure(finding, besides / alone * finding->gain_ticks,
                 "its thread may have been blocked for much of it, which more threads do not make shorter");
  finding_append(finding->evidence,
                 "; its thread may be blocked for up to %s %s: it slept for so long, here or in regions",
                 finding_time(&texts, besides), has_more ? "more" : "of it");
}

/* most: how many times as fast the run can be at most. */
static void advise(const struct report *report, struct report_finding *finding, const struct report_gap *gap,
                   double most) {
  if (report->caveats.runtimes.untraced_count > 0)
    finding_printf(finding->advice, "first find out what ran on %s, which cannot be traced; of the rest: ",
                   report->caveats.runtimes.untraced);
  finding_append(
      finding->advice,
      "make it parallel: if it lasts as long with more threads, a run cannot be more than %.1f times as fast "
      "as "
      "this one (Amdahl's law, estimated from one run)",
      most);
  if (serial_is_before_openmp(report, gap))
    finding_append(finding->advice, "; perf record shows which functions run before the first use of OpenMP");
  else if (report->samples == 0)
    finding_append(finding->advice, "; stave record --sample shows which functions run there");
}

/* What of it a thread could not have run, and what others ran meanwhile: shares of it. */
static void describe_others(const struct report *report, struct report_finding *finding, double blocked,
                            double beside, double serial) {
  struct finding_texts texts = {.report = report};
  if (blocked >= DOUBT_MIN)
    finding_append(finding->evidence, "; its thread is blocked for %s of it",
                   finding_time(&texts, blocked * serial));
  if (beside >= DOUBT_MIN)
    finding_append(finding->evidence, "; threads that are none of OpenMP's run beside it for %s",
                   finding_time(&texts, beside * serial));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  double n = finding_team(report), most = processors_at_most(report, n);
  double serial = report->serial_alone - (double)report->offload; /* devices' work is none of the host's */
  double wall = (double)report->wall - (double)report->unknown;   /* of the rest nobody knows */
  struct finding_texts texts = {.report = report};
  const struct report_gap *gap = report_longest_gap(report);
  if (n < 2 || !gap || report->parallel == 0)
    return;
  double outside = serial;
  serial -= find_start(collector, serial);
  double blocked = blocked_in_serial(report), beside = beside_in_serial(report);
  double alone = serial > blocked + beside ? serial - blocked - beside : 0;
  struct report_finding *finding =
      finding_add(report, CAUSE_SERIAL, gap->before, alone * (1 - 1 / most) * (double)report->process_count);
  if (!finding)
    return;
  double all = serial * (double)report->process_count, differs = deviation(report);
  if (differs >= 0 && all > 0)
    finding->uncertainty_ticks = differs / all * finding->gain_ticks;
  finding_printf(finding->what, "%s (%s) outside of parallel regions, on one of %.0f threads%s",
                 finding_time(&texts, serial), finding_share(&texts, serial, wall), n,
                 report->process_count > 1 ? ", in the mean of the processes; calls of MPI are left out"
                 : report->offload > 0     ? "; target constructs and calls for devices are left out"
                                           : "");
  if (report->caveats.runtimes.untraced_count > 0)
    finding_printf(
        finding->what, "%s (%s) are spent outside of all parallel regions that were traced: serial, or on %s",
        finding_time(&texts, serial), finding_share(&texts, serial, wall), report->caveats.runtimes.untraced);
  describe_gap(report, finding, gap, (1 - 1 / most) * alone / outside);
  doubt_faults(report, finding, 1 - 1 / most);
  describe_shared(report, finding);
  describe_others(report, finding, blocked / serial, beside / serial, serial);
  doubt_running(report, finding, alone, blocked >= DOUBT_MIN * serial);
  if (alone < beside)
    finding->doubt = "threads that are none of OpenMP's run beside most of what is not blocked: these may "
                     "only have been preempted";
  doubt_sharing(report, finding, serial / most);
  advise(report, finding, gap, wall / serial);
}

static void release(struct collector *collector) {
  struct serial *serial = state_of(collector);
  for (size_t i = 0; i < PROCESS_COUNT(collector->trace); i++) {
    pair_map_free(&serial->processes[i].samples);
    pair_map_free(&serial->processes[i].of_gap);
  }
  free(serial->processes);
  pair_map_free(&serial->gaps);
}

const struct analyser serial_analyser = {.state_bytes = sizeof(struct serial),
                                         .prepare = prepare,
                                         .observes_construct = observes_construct,
                                         .before_enter = before_enter,
                                         .finish = finish,
                                         .find = find,
                                         .release = release};
