#include "trace/own_threads.h"

#include <string.h>

#include "stave/names.h"

static struct trace_location *member_of(const struct trace *trace, const struct trace_comm *comm,
                                        uint32_t thread) {
  uint64_t ref = trace_comm_member(trace, comm->ref, thread);
  uint32_t position = ref == TRACE_NO_REF ? TRACE_NO_POSITION : trace_location_position(trace, ref);
  return position == TRACE_NO_POSITION ? NULL : &trace->locations[position];
}

static bool is_helper(const struct trace_location *location) {
  return strncmp(location->bare_name, STAVE_LOCATION_HELPER, strlen(STAVE_LOCATION_HELPER)) == 0;
}

/* Its first thread may be one that waits, or the first of the helpers. */
static bool is_team_of_helpers(const struct trace *trace, const struct trace_comm *comm, uint32_t size) {
  for (uint32_t i = 1; i < size; i++) {
    const struct trace_location *member = member_of(trace, comm, i);
    if (!member || !is_helper(member))
      return false;
  }
  return size > 1;
}

void own_threads_mark(struct trace *trace) {
  for (size_t i = 0; i < trace->comm_count; i++) {
    struct trace_comm *comm = &trace->comms[i];
    const struct trace_group *group = trace_group(trace, comm->group);
    uint32_t size = group ? group->member_count : 0;
    comm->is_runtimes = is_team_of_helpers(trace, comm, size);
    for (uint32_t thread = 0; comm->is_runtimes && thread < size; thread++) {
      struct trace_location *member = member_of(trace, comm, thread);
      if (member)
        member->is_runtimes = true;
    }
  }
}
