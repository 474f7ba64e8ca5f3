#include "writer_thread.h"

#include <pthread.h>
#include <string.h>

#include "session/session.h"
#include "tool/writer_process.h"
#include "writer/pipeline/ring_merge.h"

enum { SLEEP_NS = 2000000, BACKLOG_BYTES = 4 << 20 };

static struct writer {
  pthread_t thread;
  struct session_header *session;
  struct merge *merge;
  uint64_t next[SPEAKERS_MAX];
  struct writer_result result;
} writer;

static void check_work(const struct record *record) {
  if (record->c >= SPEAKERS_MAX)
    writer.result.problem = "a damaged record";
  else if (record->a < writer.next[record->c])
    writer.result.problem = "a number came again";
  else {
    writer.next[record->c] = record->a + 1;
    writer.result.arrived[record->c]++;
  }
}

static void receive(void *data, uint32_t slot, uint64_t id, const struct record *record,
                    const uint64_t *words) {
  (void)data, (void)slot, (void)id, (void)words;
  writer.result.records++;
  writer.result.samples += record->type == RECORD_sample;
  if (record->type == RECORD_TYPE_NONE || record->type >= RECORD_TYPE_COUNT)
    writer.result.problem = "a record that nobody wrote";
  if (record->type == RECORD_work)
    check_work(record);
}

static bool has_ended(void) {
  uint32_t state = atomic_load(&writer.session->shared.tool_state);
  return state == TOOL_FINISHED || state == TOOL_ENDED;
}

static int can_sleep(void *data) {
  (void)data;
  return merge_can_wait(writer.merge) && !has_ended();
}

/* As writer.c's drain. After CLOSED the session is the tool's to unmap. */
static void *drain(void *data) {
  for (bool is_over = false;;) {
    is_over = is_over || has_ended();
    uint64_t taken = merge_pass(writer.merge);
    atomic_fetch_add(&writer.session->shared.progress, 1);
    if (is_over && taken == 0)
      break;
    if (!is_over)
      session_writer_sleep(writer.session, SLEEP_NS, can_sleep, NULL);
  }
  writer.result.lost = merge_figures(writer.merge).lost;
  writer.result.stalls = merge_figures(writer.merge).stalls;
  merge_destroy(writer.merge);
  atomic_store(&writer.session->shared.writer_state, WRITER_CLOSED);
  return data;
}

bool runs_on_valgrind(void) {
  return false;
}

int writer_process_find(const char *configured, char *path, unsigned size) {
  (void)configured, (void)size;
  *path = '\0';
  return 0;
}

const char *writer_process_waits(const struct session_header *session) {
  (void)session;
  return "";
}

int writer_process_start(struct writer_process *process) {
  memset(&writer, 0, sizeof writer);
  writer.session = process->session;
  writer.merge = merge_create(writer.session, BACKLOG_BYTES, receive, NULL, NULL);
  process->pidfd = -1;
  atomic_store(&writer.session->shared.writer_state, WRITER_READY);
  return -pthread_create(&writer.thread, NULL, drain, NULL);
}

void writer_thread_join(struct writer_result *ret_result) {
  pthread_join(writer.thread, NULL);
  *ret_result = writer.result;
}
