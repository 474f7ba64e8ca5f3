/* The writer of these tests is a thread: it and the tool use one mapping of the session, or the thread
 * sanitizer would see two memories. Linked with --wrap in front of session.c's functions. */
#include "session/session.h"

void __wrap_session_unmap_rings(struct session_header *header);
struct record *__wrap_session_map_ring(int fd, const struct session_header *header, uint32_t index,
                                       uint64_t bytes);

void __wrap_session_unmap_rings(struct session_header *header) {
  (void)header;
}

struct record *__wrap_session_map_ring(int fd, const struct session_header *header, uint32_t index,
                                       uint64_t bytes) {
  (void)fd, (void)bytes;
  return session_ring((struct session_header *)(uintptr_t)header, header->constants.slots_max,
                      header->constants.ring_bytes, index);
}
