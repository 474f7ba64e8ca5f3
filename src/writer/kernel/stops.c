#include "writer/kernel/stops.h"

#include "session/process_stat.h"

/* And not t: who traces it lets it stop for moments. */
static bool is_stopped(pid_t pid) {
  return process_state(pid) == 'T';
}

uint64_t stops_since(struct stops *stops, uint64_t passed_us, uint64_t busy_us) {
  bool was_stopped = stops->was_stopped, may_be = busy_us < passed_us - passed_us / 10;
  stops->was_stopped = may_be && is_stopped(stops->pid); /* who works all the time needs no question */
  if (!may_be || !(was_stopped || stops->was_stopped))
    return 0;
  return passed_us - busy_us;
}
