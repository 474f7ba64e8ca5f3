#include "fake_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/call_path.h"
#include "tool/counters.h"
#include "tool/deferred_begins.h"
#include "tool/sampler.h"
#include "tool/thread.h"

static _Atomic unsigned times_given_up;

bool tool_follow_fork(void) {
  return true;
}

void tool_give_up(void) {
  atomic_store(&tool.recording, RECORDING_OFF);
  atomic_fetch_add(&times_given_up, 1);
}

void deferred_replay(uint64_t ticks) {
  (void)ticks;
}

/* Never called: the events of these tests have no code address. */
void thread_publish_module(uint64_t codeptr, uint64_t ticks) {
  (void)codeptr, (void)ticks;
  abort();
}

/* These tests have no timers. */
void counters_attach(struct thread *thread) {
  (void)thread;
}

void counters_detach(struct thread *thread) {
  (void)thread;
}

void sampler_attach(struct thread *thread) {
  (void)thread;
}

void call_path_prepare(struct thread *thread, uint64_t ticks) {
  (void)thread, (void)ticks;
}

void sampler_detach(struct thread *thread) {
  (void)thread;
}

unsigned fake_tool_gave_up(void) {
  return atomic_load(&times_given_up);
}

static size_t threads_bytes(void) {
  return tool.session->constants.slots_max * sizeof *tool.threads;
}

void fake_tool_start(uint64_t ring_bytes, enum overflow_policy overflow, int *ret_fd) {
  int error = session_create(ring_bytes, SESSION_SLOTS_MAX, &tool.session, ret_fd);
  if (error) {
    fprintf(stderr, "session_create: %s\n", strerror(-error));
    exit(1);
  }
  struct stat status;
  tool.first_rings.large = 16;
  tool.session_fd = dup(*ret_fd);
  if (fstat(*ret_fd, &status) == 0) {
    tool.session_device = status.st_dev;
    tool.session_inode = status.st_ino;
  }
  tool.threads =
      mmap(NULL, threads_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (tool.threads == MAP_FAILED) {
    perror("mmap");
    exit(1);
  }
  tool.attach = thread_attach;
  tool.clock = clock_choose();
  tool.constants.config.overflow = overflow;
  tool.constants.config.timeout = 20;
  atomic_store(&tool.slots_since_look, 0);
  atomic_store(&tool.recording, RECORDING_ON);
}

void fake_tool_stop(void) {
  atomic_store(&tool.recording, RECORDING_OFF);
  munmap(tool.threads, threads_bytes());
  session_unmap(tool.session, tool.session->constants.bytes);
  close(tool.session_fd);
  tool.session = NULL;
}

void fake_tool_start_ring_at(uint64_t position) {
  struct thread_slot *slot = session_slot(tool.session, 0);
  atomic_store(&slot->head, position);
  atomic_store(&slot->tail, position);
  atomic_store(&slot->prepared, tool.session->constants.ring_bytes / RECORD_BYTES);
}
