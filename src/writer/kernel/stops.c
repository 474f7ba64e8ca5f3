#include "writer/kernel/stops.h"

#include "session/process_stat.h"

enum { LATE_US = 100000 }; /* timers are late by less, also where there is no processor */

/* And not t: who traces it lets it stop for moments. */
static bool is_stopped(pid_t pid) {
  return process_state(pid) == 'T';
}

/* A stop is within one nap, and many naps that are a bit late are none. */
void stops_overslept(struct stops *stops, uint64_t late_us) {
  if (late_us > LATE_US)
    stops->late_us += late_us;
}

/* Who was stopped together with this process is not seen to be. */
static uint64_t both_stopped_us(struct stops *stops, uint64_t ready_us) {
  uint64_t late_us = stops->late_us;
  stops->late_us = 0;
  return late_us > ready_us + LATE_US ? late_us - ready_us : 0;
}

uint64_t stops_since(struct stops *stops, uint64_t passed_us, uint64_t busy_us, uint64_t ready_us) {
  bool was_stopped = stops->was_stopped, may_be = busy_us < passed_us - passed_us / 10;
  uint64_t both_us = both_stopped_us(stops, ready_us);
  stops->was_stopped = may_be && is_stopped(stops->pid); /* who works all the time needs no question */
  if (!may_be)
    return 0;
  uint64_t idle_us = passed_us - busy_us;
  return was_stopped || stops->was_stopped || both_us > idle_us ? idle_us : both_us;
}
