/* Serial parts: what lies between parallel regions, and in which functions samples were taken there. Which
 * region ends a part is known when that has a name, so samples wait with the process for it. */
#include "base/array.h"
#include "report/collect.h"
#include "report/samples.h"

/* Numbers are kept in the map as pointers, from 1. */
static struct report_gap *gap_of(struct collector *collector, uint32_t before, uint32_t after) {
  struct report *report = collector->report;
  uintptr_t number = (uintptr_t)pair_map_get(&collector->gaps, before, after);
  if (number > 0)
    return &report->gaps[number - 1];
  struct report_gap *gap = array_add(&report->gaps, &report->gap_count, sizeof *gap);
  collector->has_failed |= !gap || !pair_map_put(&collector->gaps, before, after, (void *)report->gap_count);
  if (gap)
    *gap = (struct report_gap){
        .before = before, .after = after, .sampled = {.doing = DOING_SERIAL, .region = REPLAY_NONE}};
  return gap;
}

void gaps_sample(struct collector *collector, size_t location, uint32_t context) {
  struct live_process *process = &collector->processes[collector->report->threads[location].process];
  uintptr_t count = (uintptr_t)pair_map_get(&process->samples, 0, context);
  if (process->led_teams == 0)
    collector->has_failed |= !pair_map_put(&process->samples, 0, context, (void *)(count + 1));
}

void gaps_end(struct live_process *process) {
  pair_map_free(&process->gap_samples);
  process->gap_samples = process->samples;
  process->samples = (struct pair_map){0};
}

static void add_samples(struct collector *collector, struct pair_map *samples, size_t number) {
  for (size_t i = 0; i < samples->capacity; i++)
    if (samples->entries[i].value)
      samples_add(collector, DOING_COUNT, (uint32_t)number, (uint32_t)samples->entries[i].low,
                  (uintptr_t)samples->entries[i].value);
}

void gaps_add(struct collector *collector, struct live_process *process, uint32_t after) {
  struct report *report = collector->report;
  uint64_t first = collector->trace->clock.first_ticks, apart = process->gap_apart;
  uint64_t begin = collector_cut(collector, process->gap_begin > first ? process->gap_begin : first);
  uint64_t end = collector_cut(collector, process->gap_end);
  bool is_runtimes = process == &collector->processes[PROCESS_OF_RUNTIMES(collector->trace)];
  if (end > begin && end - begin > apart && !is_runtimes) {
    struct report_gap *gap = gap_of(collector, process->last_parallel, after);
    if (!gap)
      return;
    spread_add(&gap->time, end - begin - apart);
    scatter_add(&report->serial_parts, (double)(end - begin - apart));
    add_samples(collector, &process->gap_samples, (size_t)(gap - report->gaps));
  }
  pair_map_free(&process->gap_samples);
}

void gaps_finish(struct collector *collector) {
  const struct report *report = collector->report;
  for (size_t i = 0; i <= collector->trace->location_group_count; i++) {
    const struct report_process *counted = &report->processes[i];
    struct live_process *process = &collector->processes[i];
    if (counted->cpus == 0 || counted->first_ticks >= counted->last_ticks)
      continue;
    uint64_t since = process->parallel_end_ticks;
    process->gap_begin = since > counted->first_ticks ? since : counted->first_ticks;
    process->gap_end = counted->last_ticks;
    process->gap_apart = counted->mpi + counted->unknown - process->parallel_end_apart;
    gaps_end(process);
    gaps_add(collector, process, REPLAY_NONE);
  }
}

const struct report_gap *report_longest_gap(const struct report *report) {
  const struct report_gap *longest = NULL;
  for (size_t i = 0; i < report->gap_count; i++)
    if (!longest || report->gaps[i].time.sum > longest->time.sum)
      longest = &report->gaps[i];
  return longest;
}
