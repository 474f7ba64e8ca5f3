/* Making and mapping the session memory (layout.h), and its pool of slots. */
#ifndef STAVE_SESSION_SESSION_H
#define STAVE_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "session/layout.h"

enum {
  SESSION_SLOTS_MAX = 16384, /* threads that are alive at the same time */
  /* what all rings together may grow by, unless eight of the largest size are more: many threads share one
     writer, and gain nothing by rings that it cannot keep empty */
  RING_GROWTH_BYTES = 256 << 20,
  /* a ring of this size has room for what comes between two looks of a writer that empties it */
  RING_ENOUGH_BYTES = 2 << 20,
  RING_START_BYTES = 256 << 10, /* what a thread's first event populates; 0.15 ms */
  /* the same, where there are more threads than processors to fill their rings */
  RING_START_SMALL_BYTES = 16 << 10,
};

/* The descriptors that a stave-writer is started with, under these numbers: of the session memory, and of the
 * program's process (a pidfd; closed where the kernel has none). */
enum { WRITER_FD_SESSION = 3, WRITER_FD_APPLICATION = 4 };

/* Creates the memory for at most `slots_most` rings of at most `ring_bytes` (a power of two) and maps it. All
 * of it is zero but constants.magic, bytes, ring_bytes and slots_max, and shared.growth_left. It has room for
 * as many threads as the limits of the process allow, at least one. A limit on the size of files makes the
 * rings smaller, down to 64 KiB, where there would be fewer than 64 otherwise, and one on address space
 * (share.h) down to 16 KiB, or a page. Returns 0, *ret_header (unmap with session_unmap) and *ret_fd (the
 * caller's to close); or a negative errno of memfd_create, ftruncate, mmap, fcntl (the seals) or madvise (the
 * memory of the header). */
int session_create(uint64_t ring_bytes, uint32_t slots_most, struct session_header **ret_header, int *ret_fd);

/* The same without the rings, which the application maps one by one: its addresses are of the order of what
 * is used, and a limit on them may come later than its threads. session_unmap is not
 * for what it maps; munmap of session_bytes_before_rings is. survives: as a file of SESSION_FOLDER without a
 * name, which the writer may give one, so that what is stored outlives all processes; where that has too
 * little room, or cannot be had, as before. */
int session_create_without_rings(uint64_t ring_bytes, uint32_t slots_most, bool survives,
                                 struct session_header **ret_header, int *ret_fd);

/* Maps an existing session memory; checks that its constants fit its size, so that all slots lie inside.
 * Returns 0 and *ret_header; -EINVAL if it is no session; -EPERM if it could be shrunk under its readers
 * (SIGBUS); or a negative errno of fstat or mmap. */
int session_map(int fd, struct session_header **ret_header);

/* The same of the first SESSION_HEADER_BYTES alone, without slots and rings: for whom limits on address space
 * may be smaller than the program's. */
int session_map_header(int fd, struct session_header **ret_header);

/* As many bytes as are mapped: constants.bytes, or SESSION_HEADER_BYTES. */
void session_unmap(struct session_header *header, uint64_t bytes);

/* Bytes up to the first ring. */
uint64_t session_bytes_before_rings(const struct session_header *header);

/* Maps the ring of slot `index`, `bytes` of it, of the memory that fd is; NULL: it is not to be had, errno
 * gives the reason. Forked children have no part of it, as they have none of the session. */
struct record *session_map_ring(int fd, const struct session_header *header, uint32_t index, uint64_t bytes);

/* Acquires a slot for the calling thread, whose id is kernel_tid: a returned one, else a new one. Lock-free.
 * Returns NULL when all are in use; *ret_index is its number. */
struct thread_slot *session_get_slot(struct session_header *header, int32_t kernel_tid, uint32_t *ret_index);

/* The slot's thread has written its last record; the writer gives the slot back once all are read. Its owner
 * only, or who has found that dead (tool/slots.c). */
void session_end_slot(struct session_header *header, struct thread_slot *slot);

/* Returns a slot for others to acquire: the writer returns a slot that has ended and is drained, the tool one
 * that its thread no longer uses. The ring stays as it is, with the records that are not read yet. */
void session_return_slot(struct session_header *header, uint32_t index);

/* Makes sure that storing to these bytes cannot fail: a page that is not to be had would be a SIGBUS at the
 * store. Kernels before 5.14 lack the call: there each page is touched, and the risk taken. False: the memory
 * is not to be had. */
bool session_populate(void *memory, size_t bytes);

/* Gets the memory for a ring of `capacity` records, which lie at `records`, to grow to twice as many. False:
 * there is none to be had, or all rings together have had their share, of which RING_START_BYTES a ring are
 * no part. Both sides may call it at the same time. It takes 0.2 to 0.7 ms a MiB: `between`, unless it is
 * NULL, is called now and then meanwhile. */
bool session_grow(struct session_header *header, const struct record *records, uint64_t capacity,
                  void (*between)(void *data), void *data);

/* An event of this time is lost, which its thread, or who does it for it, counts. */
void session_note_lost(struct session_header *header, uint64_t ticks);

/* Wakes the writer if it has announced that it sleeps. One system call, or none. */
void session_wake_writer(struct session_header *header);

/* Sleeps until woken or `timeout_ns` has passed. Writer only: sets `asleep`, then calls `may_sleep(data)`
 * once more, because before that nobody has woken it; then waits. */
void session_writer_sleep(struct session_header *header, uint64_t timeout_ns, int (*may_sleep)(void *),
                          void *data);

/* Makes the kernel note the calling thread's end, however it comes, where session_writer_is_dead looks. The
 * thread may hold no other robust mutex. Writer only. */
void session_writer_lives(struct session_header *header);

/* Whether the writer has ended. Needs no descriptor, which the application might have closed. False before
 * session_writer_lives. */
bool session_writer_is_dead(const struct session_header *header);

#endif
