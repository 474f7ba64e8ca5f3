/* The writer of these tests is a thread: it and the tool use one mapping of the session, or the thread
 * sanitizer would see two memories. Linked with --wrap in front of session.c's functions. */
#include "session/session.h"

int __wrap_session_create_without_rings(uint64_t ring_bytes, uint32_t slots_most, bool survives,
                                        struct session_header **ret_header, int *ret_fd);
struct record *__wrap_session_map_ring(int fd, const struct session_header *header, uint32_t index,
                                       uint64_t bytes);

int __wrap_session_create_without_rings(uint64_t ring_bytes, uint32_t slots_most, bool survives,
                                        struct session_header **ret_header, int *ret_fd) {
  (void)survives;
  return session_create(ring_bytes, slots_most, ret_header, ret_fd);
}

struct record *__wrap_session_map_ring(int fd, const struct session_header *header, uint32_t index,
                                       uint64_t bytes) {
  (void)fd, (void)bytes;
  return session_ring((struct session_header *)(uintptr_t)header, header->constants.slots_max,
                      header->constants.ring_bytes, index);
}
