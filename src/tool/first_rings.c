#include "tool/first_rings.h"

#include <stdlib.h>
#include <unistd.h>

#include "session/session.h"
#include "tool/thread.h"

/* With more threads than processors each one fills its ring the slower, and 256 KiB for each of a thousand
 * threads take longer than all else that the tool does at the beginning of a thread, and again at the end of
 * the process. Where it is known beforehand that there will be so many, only the first one begins large. */
void first_rings_expect(void) {
  enum { LARGE_RINGS_LEAST = 16 };
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t most = 2 * processors > LARGE_RINGS_LEAST ? (uint32_t)(2 * processors) : LARGE_RINGS_LEAST;
  const char *wanted = getenv("OMP_NUM_THREADS");
  unsigned long threads = wanted ? strtoul(wanted, NULL, 10) : 0;
  uint32_t slots = tool.session->constants.slots_max;
  tool.large_rings = threads > most ? 1 : most;
  tool.rings_expected = threads < slots ? (uint32_t)threads : slots;
  tool.rings_populated = 0;
}

uint64_t first_ring_bytes(uint32_t index) {
  uint64_t most = tool.session->constants.ring_bytes;
  uint64_t wanted = index < tool.large_rings ? RING_START_BYTES : RING_START_SMALL_BYTES;
  return wanted < most ? wanted : most;
}

struct record *first_ring(uint32_t index) {
  const struct session_constants *constants = &tool.session->constants;
  return session_ring(tool.session, constants->slots_max, constants->ring_bytes, index);
}

bool first_ring_populate(uint32_t index) {
  return index < tool.rings_populated ||
         (session_populate(session_slot(tool.session, index), sizeof(struct thread_slot)) &&
          session_populate(first_ring(index), first_ring_bytes(index)));
}

void first_rings_populate_while(const _Atomic uint32_t *state, uint32_t while_it_is) {
  while (tool.rings_populated < tool.rings_expected && atomic_load(state) == while_it_is &&
         first_ring_populate(tool.rings_populated))
    tool.rings_populated++;
}
