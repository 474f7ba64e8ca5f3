/* Calls of MPI: what each waited for, and when it would have ended without the network's time. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "report/collect/mpi_waits.h"
#include "report/collect/serial.h"

/* Of calls that wait for what is never reported, so many are kept. */
enum { CALLS_MAX = 1 << 20 };

/* A receiver is late only if the sender is not nearly as much. */
#define ANOTHER 0.9

/* -- computing a call -- */

static bool is_known(struct collector *collector, const struct live_call *call) {
  const struct pool *links = &collector->waits->links;
  for (uint32_t at = call->depends; at != MPI_NONE;) {
    const struct mpi_link *link = pool_item(links, at);
    if (mpi_moment_at(collector, link->item)->unknown > 0)
      return false;
    at = link->next;
  }
  return true;
}

/* What it waited for longest. */
struct latest {
  struct moment moment;
  enum report_cause cause;
  double ideal;
};

static bool is_later(const struct live_call *call, const struct latest *latest, const struct moment *moment,
                     enum report_cause cause) {
  if (moment->ticks <= call->call.enter_ticks || moment->ticks <= latest->moment.ticks)
    return false;
  bool is_rival =
      latest->moment.ticks > 0 && cause == CAUSE_LATE_RECEIVER && latest->cause != CAUSE_LATE_RECEIVER;
  double before = (double)(latest->moment.ticks - call->call.enter_ticks);
  return !is_rival || before < ANOTHER * (double)(moment->ticks - call->call.enter_ticks);
}

/* Removes the list of the moments that the call depends on. Senders first, as receivers are only late where
 * these are not. */
static struct latest remove_latest(struct collector *collector, struct live_call *call) {
  struct latest latest = {.ideal = (double)call->call.enter_ticks - call->begin_gained};
  for (int is_receiver = 0; is_receiver < 2; is_receiver++)
    for (uint32_t at = call->depends; at != MPI_NONE;) {
      const struct mpi_link *link = pool_item(&collector->waits->links, at);
      const struct moment *moment = mpi_moment_at(collector, link->item);
      at = link->next;
      if ((link->cause == CAUSE_LATE_RECEIVER) != is_receiver || moment->unknown > 0)
        continue;
      latest.ideal = moment->ideal > latest.ideal ? moment->ideal : latest.ideal;
      if (is_later(call, &latest, moment, link->cause)) {
        latest.moment = *moment;
        latest.cause = link->cause;
      }
    }
  struct mpi_link link;
  while (mpi_pop(collector, &call->depends, &link))
    mpi_waits_release(collector, link.item);
  return latest;
}

static struct report_mpi_wait *place_of(struct collector *collector, const struct live_call *call,
                                        enum report_cause cause) {
  struct report *report = collector->report;
  uint64_t kind = (uint64_t)cause << 32 | call->call.region;
  uintptr_t known = (uintptr_t)pair_map_get(&collector->waits->places, kind, call->call.site);
  if (known)
    return &report->mpi_waits[known - 1];
  struct report_mpi_wait *wait = array_add(&report->mpi_waits, &report->mpi_wait_count, sizeof *wait);
  pair_map_put(&collector->waits->places, kind, call->call.site, (void *)(uintptr_t)report->mpi_wait_count);
  *wait = (struct report_mpi_wait){
      .cause = cause, .region = call->call.region, .site = call->call.site, .parallel = REPLAY_NONE};
  return wait;
}

/* The one that is waited for least makes room for another one, to which its time is added. */
static void blame(struct report_mpi_wait *wait, const struct latest *latest, double ticks) {
  struct report_late *least = &wait->late[0];
  for (int i = 0; i < REPORT_LATE; i++) {
    struct report_late *late = &wait->late[i];
    bool is_it = late->ticks > 0 && late->process == latest->moment.late_process &&
                 late->region == latest->moment.late.region && late->site == latest->moment.late.site;
    if (is_it) {
      late->ticks += ticks;
      return;
    }
    least = late->ticks < least->ticks ? late : least;
  }
  *least = (struct report_late){.process = latest->moment.late_process,
                                .location = (uint32_t)latest->moment.late.location,
                                .region = latest->moment.late.region,
                                .site = latest->moment.late.site,
                                .ticks = least->ticks + ticks};
}

static void add_wait(struct collector *collector, const struct live_call *call, const struct latest *latest) {
  uint64_t until = latest->moment.ticks < call->leave_ticks ? latest->moment.ticks : call->leave_ticks;
  uint64_t begin = collector_cut(collector, call->call.enter_ticks), end = collector_cut(collector, until);
  if (latest->moment.ticks == 0 || end <= begin)
    return;
  struct report_mpi_wait *wait = place_of(collector, call, latest->cause);
  if (!wait)
    return;
  double ticks = (double)(end - begin) * call->weight, by_threads = latest->moment.late_lost - call->lost;
  by_threads = by_threads < 0 ? 0 : by_threads > ticks ? ticks : by_threads;
  wait->ticks += ticks;
  wait->by_threads += by_threads;
  wait->count++;
  scatter_add(&wait->scatter, ticks);
  blame(wait, latest, ticks);
  if (by_threads > wait->most_by_threads) {
    wait->most_by_threads = by_threads;
    wait->parallel = latest->moment.late_parallel;
    wait->threads_of = latest->moment.late_process;
  }
  if (ticks > wait->longest) {
    wait->longest = ticks;
    wait->location = (uint32_t)call->call.location;
  }
}

static void compute(struct collector *collector, uint32_t slot) {
  struct live_call *call = mpi_waits_call(collector, slot);
  struct latest latest = remove_latest(collector, call);
  uint64_t begin = collector_cut(collector, call->call.enter_ticks);
  uint64_t end = collector_cut(collector, call->leave_ticks);
  double duration = end > begin ? (double)(end - begin) : 0;
  double needed = latest.ideal - ((double)call->call.enter_ticks - call->begin_gained);
  if (needed < duration)
    collector->waits->gained[call->process] += (duration - needed) * call->weight;
  add_wait(collector, call, &latest);
  call->is_done = true;
  mpi_drop_if_done(collector, slot);
}

/* It is the first on its thread: what it has gained by now is known. */
static void begin(struct collector *collector, uint32_t slot) {
  struct live_call *call = mpi_waits_call(collector, slot);
  struct mpi_link link;
  call->has_started = true;
  call->begin_gained = collector->waits->gained[call->process];
  while (mpi_pop(collector, &call->waiting, &link)) {
    struct moment part = mpi_part_of(call, link.ticks);
    mpi_know_part(collector, link.item, &part);
  }
}

static void go_on(struct collector *collector, size_t location) {
  struct mpi_waits *waits = collector->waits;
  uint32_t first = waits->first[location], next = mpi_waits_call(collector, first)->next;
  waits->first[location] = next;
  if (next == MPI_NONE)
    waits->last[location] = MPI_NONE;
  compute(collector, first);
  if (next == MPI_NONE)
    return;
  begin(collector, next);
  mpi_make_ready(collector, mpi_waits_call(collector, next)->call.id);
}

/* What is pending when all events have gone by never comes. */
static bool can_be_computed(struct collector *collector, const struct live_call *call) {
  bool is_reported = call->pending == 0 || collector->waits->is_over;
  return call->leave_ticks > 0 && is_reported && is_known(collector, call);
}

static void advance(struct collector *collector) {
  struct mpi_waits *waits = collector->waits;
  while (waits->ready_count > 0) {
    uint32_t slot = mpi_waits_find(collector, waits->ready[--waits->ready_count]);
    if (slot == MPI_NONE)
      continue;
    const struct live_call *call = mpi_waits_call(collector, slot);
    size_t location = call->call.location;
    if (waits->first[location] == slot && can_be_computed(collector, call))
      go_on(collector, location);
  }
}

/* The first call that is not computed: what all others wait for. SIZE_MAX: there is none. */
static size_t oldest(struct collector *collector) {
  const struct mpi_waits *waits = collector->waits;
  size_t found = SIZE_MAX;
  uint64_t ticks = UINT64_MAX;
  for (size_t i = 0; i < collector->trace->location_count; i++) {
    const struct live_call *call =
        waits->first[i] == MPI_NONE ? NULL : mpi_waits_call(collector, waits->first[i]);
    if (call && call->leave_ticks > 0 && call->call.enter_ticks < ticks) {
      ticks = call->call.enter_ticks;
      found = i;
    }
  }
  return found;
}

/* -- events -- */

/* What the threads of a process have not used since the last call. */
static double lost_before(const struct collector *collector, const struct mpi_call *call, uint32_t process) {
  const struct mpi_waits *waits = collector->waits;
  uint64_t left = waits->left_ticks[call->location], now = collector_cut(collector, call->enter_ticks);
  double since = left ? (double)(now - collector_cut(collector, left)) : 0;
  double useful = waits->useful[process] - waits->left_useful[call->location];
  double used = useful / (double)waits->widths[process];
  return since > used ? since - used : 0;
}

struct mpi_around mpi_waits_around(const struct collector *collector, size_t location) {
  const struct replay_team *team = replay_current_team(collector->replay, location);
  return (struct mpi_around){.is_in_team = team,
                             .team_size = team ? team->size : 0,
                             .parallel =
                                 serial_last_region(collector, collector->report->threads[location].process)};
}

static void enter(struct collector *collector, const struct mpi_call *call) {
  struct mpi_waits *waits = collector->waits;
  uint32_t slot;
  struct live_call *live = pool_new(&waits->calls, &slot);
  size_t location = call->location;
  struct mpi_around around = waits->around ? *waits->around : mpi_waits_around(collector, location);
  uint32_t process = (uint32_t)collector->report->threads[location].process;
  *live = (struct live_call){.call = *call,
                             .weight = around.team_size ? 1.0 / around.team_size : 1,
                             .process = process,
                             .next = MPI_NONE,
                             .waiting = MPI_NONE,
                             .depends = MPI_NONE,
                             .lost = around.is_in_team ? 0 : lost_before(collector, call, process),
                             .parallel = around.parallel};
  waits->has_mpi[process] = true;
  pair_map_put(&waits->by_id, 0, call->id, (void *)(uintptr_t)(slot + 1ull));
  if (waits->last[location] != MPI_NONE) {
    mpi_waits_call(collector, waits->last[location])->next = slot;
    waits->last[location] = slot;
    return;
  }
  waits->first[location] = waits->last[location] = slot;
  begin(collector, slot);
}

static void leave(struct collector *collector, const struct mpi_call *call, uint64_t ticks) {
  struct mpi_waits *waits = collector->waits;
  uint32_t slot = mpi_waits_find(collector, call->id);
  waits->left_ticks[call->location] = ticks;
  waits->left_useful[call->location] = waits->useful[collector->report->threads[call->location].process];
  if (slot == MPI_NONE)
    return;
  mpi_waits_call(collector, slot)->leave_ticks = ticks;
  mpi_make_ready(collector, call->id);
  if (waits->calls.count - waits->calls.unused_count > CALLS_MAX)
    go_on(collector, oldest(collector));
}

static bool is_finalize(const struct collector *collector, const struct mpi_call *call) {
  return strcmp(collector->trace->regions[call->region].name, "MPI_Finalize") == 0;
}

static bool is_init(const struct collector *collector, const struct mpi_call *call) {
  const char *name = collector->trace->regions[call->region].name;
  return strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0;
}

static void add_start(struct report *report, const struct mpi_call *call, uint64_t ticks) {
  struct report_mpi_start *start = &report->mpi_start;
  report->mpi_starts_and_ends += ticks;
  start->ticks += ticks;
  if (ticks < start->longest)
    return;
  start->longest = ticks;
  start->location = (uint32_t)call->location;
  start->region = call->region;
  start->site = call->site;
}

/* What is waited for others in MPI_Finalize is no part of the end. */
static void add_start_or_end(struct collector *collector, const struct mpi_call *call, uint64_t ticks) {
  uint64_t last = collector->waits->finalize_ticks;
  if (is_init(collector, call))
    add_start(collector->report, call,
              collector_cut(collector, ticks) - collector_cut(collector, call->enter_ticks));
  else if (is_finalize(collector, call) && last <= ticks)
    collector->report->mpi_starts_and_ends += ticks - last;
}

void mpi_waits_on_event(struct collector *collector, const struct trace_event *event) {
  struct mpi_waits *waits = collector->waits;
  if (collector->posting) {
    collector->posting->call(collector, event);
    return;
  }
  struct mpi_call before = mpi_open_call(waits->mpi, event->location);
  mpi_process(waits->mpi, event);
  struct mpi_call now = mpi_open_call(waits->mpi, event->location);
  if (before.id == 0 && now.id > 0) {
    enter(collector, &now);
    if (is_finalize(collector, &now)) {
      waits->finalize_ticks = event->ticks;
      mpi_waits_on_finalize(collector, &now, (uint32_t)collector->report->threads[event->location].process);
    }
  } else if (before.id > 0 && now.id == 0) {
    add_start_or_end(collector, &before, event->ticks);
    leave(collector, &before, event->ticks);
  }
  advance(collector);
}

void mpi_waits_useful(struct collector *collector, size_t process, uint64_t ticks) {
  collector->waits->useful[process] += (double)ticks;
}

/* -- messages -- */

static void on_ends_in(void *data, const struct mpi_call *call) {
  struct collector *collector = data;
  uint32_t slot = mpi_waits_find(collector, call->id);
  if (slot != MPI_NONE)
    mpi_waits_call(collector, slot)->pending++;
}

static void on_begins_in(void *data, const struct mpi_call *call) {
  struct collector *collector = data;
  uint32_t slot = mpi_waits_find(collector, call->id);
  if (slot != MPI_NONE)
    mpi_waits_call(collector, slot)->references++;
}

static uint32_t process_of(const struct collector *collector, const struct mpi_call *call) {
  return (uint32_t)collector->report->threads[call->location].process;
}

static void depend_on(struct collector *collector, const struct mpi_call *waiting,
                      const struct mpi_call *other, uint64_t ticks, enum report_cause cause) {
  uint32_t moment = mpi_waits_moment(collector, 1);
  mpi_waits_add_part(collector, moment, other, process_of(collector, other), ticks);
  mpi_waits_depend(collector, waiting, moment, cause);
  mpi_waits_release(collector, moment);
}

static void on_left(void *data, const struct mpi_call *call, uint64_t ticks) {
  traffic_left(&((struct collector *)data)->report->traffic, call, ticks);
}

static void on_message(void *data, const struct mpi_message *message) {
  struct collector *collector = data;
  traffic_message(&collector->report->traffic, message);
  uint32_t sent = mpi_waits_find(collector, message->send.started.id);
  bool is_own =
      process_of(collector, &message->send.started) == process_of(collector, &message->receive.started);
  mpi_waits_compare(collector, message->send.begin_ticks, message->receive.end_ticks);
  bool is_early = mpi_has_left(message, message->receive.begin_ticks); /* as a small message is */
  if (is_own || is_early)
    mpi_waits_depend(collector, &message->send.ended, MPI_NONE, CAUSE_LATE_RECEIVER);
  else
    depend_on(collector, &message->send.ended, &message->receive.started, message->receive.begin_ticks,
              CAUSE_LATE_RECEIVER);
  if (is_own)
    mpi_waits_depend(collector, &message->receive.ended, MPI_NONE, CAUSE_LATE_SENDER);
  else
    depend_on(collector, &message->receive.ended, &message->send.started, message->send.begin_ticks,
              CAUSE_LATE_SENDER);
  if (sent == MPI_NONE)
    return;
  mpi_waits_call(collector, sent)->references -= mpi_waits_call(collector, sent)->references > 0;
  mpi_drop_if_done(collector, sent);
}

/* -- beginning and end -- */

static void learn_widths(struct collector *collector) {
  struct mpi_waits *waits = collector->waits;
  for (size_t i = 0; i < collector->trace->location_count; i++) {
    waits->first[i] = waits->last[i] = MPI_NONE;
    if (!trace_location_is_device(&collector->trace->locations[i]) &&
        !trace_location_is_metric(&collector->trace->locations[i]))
      waits->widths[collector->report->threads[i].process]++;
  }
  for (size_t i = 0; i < PROCESS_COUNT(collector->trace); i++)
    waits->widths[i] += waits->widths[i] == 0;
}

static void make_pools(struct mpi_waits *waits) {
  waits->calls.item_bytes = sizeof(struct live_call);
  waits->moments.item_bytes = sizeof(struct moment);
  waits->links.item_bytes = sizeof(struct mpi_link);
}

void mpi_waits_prepare(struct collector *collector) {
  static const struct mpi_observer observer = {.message = on_message,
                                               .operation = mpi_waits_on_operation,
                                               .ends_in = on_ends_in,
                                               .begins_in = on_begins_in,
                                               .left = on_left};
  struct mpi_replay *mpi = mpi_create(collector->trace, &observer, collector);
  size_t locations = collector->trace->location_count, groups = PROCESS_COUNT(collector->trace);
  if (!mpi_is_there(mpi)) {
    mpi_free(mpi);
    return;
  }
  struct mpi_waits *waits = memory_get(1, sizeof *waits);
  collector->waits = waits;
  waits->mpi = mpi;
  make_pools(waits);
  traffic_begin(&collector->report->traffic, collector->trace, collector->report->from_ticks,
                collector->report->to_ticks);
  waits->first = memory_get(locations, sizeof *waits->first);
  waits->last = memory_get(locations, sizeof *waits->last);
  waits->left_ticks = memory_get(locations, sizeof *waits->left_ticks);
  waits->left_useful = memory_get(locations, sizeof *waits->left_useful);
  waits->gained = memory_get(groups, sizeof *waits->gained);
  waits->useful = memory_get(groups, sizeof *waits->useful);
  waits->widths = memory_get(groups, sizeof *waits->widths);
  waits->has_mpi = memory_get(groups, sizeof *waits->has_mpi);
  learn_widths(collector);
}

/* Calls that were never left end now, as do waits for what is never reported. */
static void end_calls(struct collector *collector) {
  struct mpi_waits *waits = collector->waits;
  waits->is_over = true;
  for (size_t i = 0; i < collector->trace->location_count; i++) {
    struct live_call *last = waits->last[i] == MPI_NONE ? NULL : mpi_waits_call(collector, waits->last[i]);
    if (last && last->leave_ticks == 0)
      last->leave_ticks = collector->now_ticks;
    if (waits->first[i] != MPI_NONE)
      mpi_make_ready(collector, mpi_waits_call(collector, waits->first[i])->call.id);
  }
}

/* What is left then waits for each other, which only a damaged archive reports. */
static void compute_rest(struct collector *collector) {
  end_calls(collector);
  advance(collector);
  for (size_t at; (at = oldest(collector)) != SIZE_MAX;) {
    go_on(collector, at);
    advance(collector);
  }
}

/* From the first process's begin to when the last one would end. */
void mpi_waits_finish(struct collector *collector) {
  struct mpi_waits *waits = collector->waits;
  struct report *report = collector->report;
  double last = 0;
  if (!waits)
    return;
  mpi_finish(waits->mpi);
  compute_rest(collector);
  traffic_finish(&report->traffic, waits->mpi, collector->now_ticks);
  for (size_t i = 0; i <= collector->trace->location_group_count; i++) {
    const struct report_process *process = &report->processes[i];
    double end = (double)process->last_ticks - waits->gained[i] - (double)report->first_ticks;
    if (process->last_ticks > process->first_ticks && end > last)
      last = end;
  }
  report->ideal_wall = last;
}

void mpi_waits_free(struct collector *collector) {
  struct mpi_waits *waits = collector->waits;
  if (!waits)
    return;
  mpi_free(waits->mpi);
  pool_free(&waits->calls, NULL);
  pool_free(&waits->moments, NULL);
  pool_free(&waits->links, NULL);
  pair_map_free(&waits->by_id);
  pair_map_free(&waits->places);
  free(waits->first);
  free(waits->last);
  free(waits->left_ticks);
  free(waits->left_useful);
  free(waits->gained);
  free(waits->useful);
  free(waits->widths);
  free(waits->has_mpi);
  free(waits->ready);
  free(waits->finalize_members);
  free(waits);
}
