/* What is learnt from the definitions before the first event. */
#include "report/collect/collect.h"
#include "trace/device_times.h"

static struct interest interest_in(enum construct construct) {
  enum construct_class class = construct_class(construct);
  struct interest interest = {
      .construct = (uint8_t)construct,
      .is_loop = class == CONSTRUCT_CLASS_work,
      .is_chunk = class == CONSTRUCT_CLASS_dispatch,
      .is_barrier = class == CONSTRUCT_CLASS_barrier || class == CONSTRUCT_CLASS_task_sync,
      .is_depend = class == CONSTRUCT_CLASS_depend,
      .is_target = class == CONSTRUCT_CLASS_target || class == CONSTRUCT_CLASS_kernel,
      .is_reduction = construct == CONSTRUCT_reduction,
      .is_wait_inside = class == CONSTRUCT_CLASS_wait,
      .is_part = class == CONSTRUCT_CLASS_wait || class == CONSTRUCT_CLASS_dispatch ||
                 construct == CONSTRUCT_single_sblock || construct == CONSTRUCT_critical_sblock ||
                 construct == CONSTRUCT_ordered_sblock,
  };
  interest.is_requested = interest.is_loop || interest.is_chunk || interest.is_barrier ||
                          interest.is_depend || interest.is_target || interest.is_reduction;
  return interest;
}

static void learn_regions(struct collector *collector) {
  for (size_t i = 0; i < collector->trace->region_count; i++) {
    enum construct construct = replay_construct(collector->replay, (uint32_t)i);
    const struct trace_region *region = &collector->trace->regions[i];
    collector->interests[i] = interest_in(construct);
    collector->interests[i].is_device_wait = construct_is_device_wait(region);
    collector->interests[i].is_kernel = construct_is_kernel(region);
    collector->interests[i].may_start = construct_may_start(region);
    collector->interests[i].starts_kernel = construct_starts_kernel(region);
    collector->report->regions[i].is_device_call = construct == CONSTRUCT_device_operation;
    collector->report->has_openmp |= construct_is_openmp(construct);
  }
}

static void learn_attributes(struct collector *collector) {
  collector->iterations_attribute = collector_attribute_named(collector, "iterations");
  collector->chunk_size_attribute = collector_attribute_named(collector, "chunk size");
  collector->source_attribute = collector_attribute_named(collector, "source task");
  collector->sink_attribute = collector_attribute_named(collector, "sink task");
  collector->address_attribute = collector_attribute_named(collector, "dependence address");
  collector->matching_attribute = collector_attribute_named(collector, "matching id");
  collector->from_attribute = collector_attribute_named(collector, "source address");
  collector->to_attribute = collector_attribute_named(collector, "destination address");
  collector->memory_attribute = collector_attribute_named(collector, "host memory");
}

static void learn_processes(struct collector *collector) {
  const struct trace *trace = collector->trace;
  for (size_t i = 0; i < PROCESS_COUNT(trace); i++) {
    collector->report->processes[i].first_ticks = UINT64_MAX;
    collector->processes[i].first_location = SIZE_MAX;
  }
}

static void learn_locations(struct collector *collector) {
  const struct trace *trace = collector->trace;
  for (size_t i = 0; i < trace->location_count; i++) {
    const struct trace_location_group *group = trace_location_group(trace, trace->locations[i].group);
    collector->report->threads[i].process =
        group ? (size_t)(group - trace->location_groups) : trace->location_group_count;
    collector->locations[i].wait_region = REPLAY_NONE;
    collector->locations[i].charged_ticks = collector->report->from_ticks;
    collector->report->threads[i].is_device = trace_location_is_device(&trace->locations[i]);
    collector->report->threads[i].is_runtimes = trace->locations[i].is_runtimes;
    if (trace->locations[i].is_runtimes)
      collector->report->threads[i].process = PROCESS_OF_RUNTIMES(trace);
    collector->report->devices[i].is_timed = group && device_is_timed(trace, group);
  }
}

void learn_definitions(struct collector *collector) {
  learn_regions(collector);
  learn_attributes(collector);
  learn_processes(collector);
  learn_locations(collector);
}
