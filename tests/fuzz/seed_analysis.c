/* seed_analysis ARCHIVE/traces.otf2 OUTPUT: an archive as an input of fuzz_analysis, as far as it fits. */
#include <stdio.h>
#include <string.h>

#include "analysis_input.h"
#include "trace/constructs.h"
#include "trace/trace.h"

enum { BYTES_MAX = 12000 };

struct seed {
  FILE *file;
  const struct trace *trace;
  uint64_t ticks;
};

static void put(struct seed *seed, uint64_t number) {
  size_t bytes = number > UINT32_MAX ? 8 : 4;
  if (number < INPUT_WIDE || number == UINT32_MAX || number == UINT64_MAX) {
    putc(number == UINT64_MAX   ? INPUT_UNDEFINED64
         : number == UINT32_MAX ? INPUT_UNDEFINED
                                : (int)number,
         seed->file);
    return;
  }
  putc(bytes == 8 ? INPUT_WIDEST : INPUT_WIDE, seed->file);
  for (size_t i = 0; i < bytes; i++)
    putc((int)(number >> (8 * i) & 0xff), seed->file);
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static void put_comm(struct seed *seed, const struct trace_comm *comm) {
  const struct trace_group *group = trace_group(seed->trace, comm->group);
  size_t members = group ? least(group->member_count, INPUT_LOCATIONS) : 0;
  putc(comm->parent < INPUT_COMMS ? (int)comm->parent + 1 : 0, seed->file);
  putc((int)members, seed->file);
  for (size_t i = 0; i < members; i++)
    putc((int)group->members[i], seed->file);
}

static void put_definitions(struct seed *seed) {
  const struct trace *trace = seed->trace;
  size_t locations = least(trace->location_count, INPUT_LOCATIONS);
  size_t regions = least(trace->region_count, INPUT_REGIONS), comms = least(trace->comm_count, INPUT_COMMS);
  putc(0x7f, seed->file);
  putc(10, seed->file);
  putc((int)locations, seed->file);
  for (size_t i = 0; i < locations; i++)
    putc(trace->locations[i].type, seed->file);
  putc((int)regions, seed->file);
  for (size_t i = 0; i < regions; i++) {
    putc((int)construct_of_region(&trace->regions[i]), seed->file);
    putc(trace->regions[i].role, seed->file);
    putc((int)(trace->regions[i].begin_line & 0xff), seed->file);
  }
  putc((int)comms, seed->file);
  for (size_t i = 0; i < comms; i++)
    put_comm(seed, &trace->comms[i]);
}

static bool put_event(void *data, const struct trace_event *event) {
  struct seed *seed = data;
  size_t fields, attributes = least(trace_event_attribute_count(event), INPUT_ATTRIBUTES);
  const struct trace_field *field = trace_kind_fields(event->kind, &fields);
  putc((int)event->location, seed->file);
  putc((int)event->kind, seed->file);
  put(seed, event->ticks - seed->ticks);
  seed->ticks = event->ticks;
  for (size_t i = 0; i < fields; i++)
    if (!field[i].is_array)
      put(seed, trace_field_value(event, &field[i]));
  putc((int)attributes, seed->file);
  for (uint32_t i = 0; i < attributes; i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    putc((int)(attribute.attribute & 0xff), seed->file);
    put(seed, attribute.number);
  }
  return ftell(seed->file) < BYTES_MAX;
}

int main(int argc, char **argv) {
  char error[TRACE_ERROR_BYTES];
  struct trace *trace;
  if (argc != 3 || trace_open(argv[1], NULL, &trace, error) < 0)
    return 1;
  struct seed seed = {fopen(argv[2], "we"), trace, trace->clock.first_ticks};
  if (!seed.file)
    return 1;
  put_definitions(&seed);
  int result = trace_read_in_order(trace, 0, UINT64_MAX, put_event, &seed, error);
  trace_close(trace);
  return fclose(seed.file) == 0 && result == 0 ? 0 : 1;
}
