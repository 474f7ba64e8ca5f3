/* Started in place of stave-writer (STAVE_WRITER): writes what the tool records, in the form of recording.h.
 * The value of RECORDING_OUTPUT is the file's name without ".recording"; that of a program's second process
 * has -2 before this, and so on. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "recording.h"
#include "session/futex.h"
#include "session/session.h"
#include "writer/kernel/application.h"
#include "writer/pipeline/ring_merge.h"

enum { FD_SESSION = 3, FD_APPLICATION = 4, PROCESSES_MOST = 10000, NAP_US = 1000 };

struct recorder {
  FILE *file;
  struct session_header *session;
  uint64_t start_ticks;
  struct application application;
};

extern char **environ;

static FILE *open_output(const char *path) {
  for (int i = 1; path && i < PROCESSES_MOST; i++) {
    char name[SESSION_TEXT_BYTES];
    snprintf(name, sizeof name, i == 1 ? "%s.recording" : "%s-%d.recording", path, i);
    FILE *file = fopen(name, "wxe");
    if (file)
      return file;
  }
  return NULL;
}

/* Where it goes shows nothing of what is recorded. */
static bool is_setting(const char *variable) {
  static const char *const others[] = {"STAVE_OUTPUT=", "STAVE_WRITER=", "STAVE_STATUS=", "STAVE_VERBOSE="};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strncmp(variable, others[i], strlen(others[i])))
      return false;
  return !strncmp(variable, "STAVE_", 6) && !strchr(variable, '\n');
}

static void put_names(FILE *file, const char *what, const struct session_name *names) {
  for (int i = 0; i < SESSION_NAMES && *names[i].name; i++)
    fprintf(file, "%s %d %.*s\n", what, names[i].value, SESSION_NAME_BYTES, names[i].name);
}

static void put_constants(const struct recorder *recorder) {
  const struct session_constants *constants = &recorder->session->constants;
  FILE *file = recorder->file;
  fputs(RECORDING_TITLE "\n", file);
  for (char **variable = environ; *variable; variable++)
    if (is_setting(*variable))
      fprintf(file, "set %s\n", *variable);
  fprintf(file, "start %" PRIu64 "\n", constants->start.realtime_ns);
  fprintf(file, "runtime 0x%" PRIx64 " %" PRIu64 " %d\n", constants->runtime_base, constants->runtime_size,
          constants->omp_version);
  fprintf(file, "runtime_version %s\nprogram %s\n", constants->runtime_version, constants->program);
  for (int i = 0; i < SESSION_CALLBACKS; i++)
    if (constants->set_callback_results[i] >= 0)
      fprintf(file, "callback %d %d\n", i, constants->set_callback_results[i]);
  put_names(file, "state", constants->states);
  put_names(file, "mutex", constants->mutex_implementations);
}

/* A merge_sink. */
static void put_record(void *data, uint32_t slot, uint64_t id, const struct record *record,
                       const uint64_t *words) {
  const struct recorder *recorder = data;
  struct recorded recorded = {.slot = slot, .position = id - id_base(slot), .record = *record};
  memcpy(recorded.words, words, record->more * sizeof(struct record_words));
  recording_put(recorder->file, &recorded, recorder->start_ticks);
}

/* NULL: it goes on. */
static const char *ending(struct recorder *recorder) {
  switch (atomic_load(&recorder->session->shared.tool_state)) {
  case TOOL_FINISHED:
    return "finished";
  case TOOL_ENDED:
    return "ended";
  default:
    return application_check(&recorder->application) == APPLICATION_RUNS ? NULL : "died";
  }
}

static void put_end(const struct recorder *recorder, const char *end) {
  struct session_header *session = recorder->session;
  uint32_t used = atomic_load(&session->shared.slots_used);
  for (uint32_t i = 0; i < used && i < session->constants.slots_max; i++) {
    const struct thread_slot *slot = session_slot(session, i);
    fprintf(recorder->file, "slot %" PRIu32 " %" PRIu64 " %" PRIu64 " 0 %" PRIu64 "\n", i,
            atomic_load(&slot->figures.lost), atomic_load(&slot->figures.stalls),
            atomic_load(&slot->figures.samples_left_out));
  }
  fprintf(recorder->file, "shared %" PRIu64 " %" PRIu64 "\nend %s\n",
          atomic_load(&session->shared.figures.lost), atomic_load(&session->shared.figures.threads_unsampled),
          end);
}

static void report_state(const struct recorder *recorder, enum writer_state state) {
  atomic_store(&recorder->session->shared.writer_state, state);
  futex_wake_all(&recorder->session->shared.writer_state);
}

int main(void) {
  struct recorder recorder = {.file = open_output(getenv("RECORDING_OUTPUT"))};
  if (!recorder.file || session_map(FD_SESSION, &recorder.session) < 0)
    return 1;
  flock(fileno(recorder.file), LOCK_EX); /* until it ends: who waits for the recording knows */
  recorder.start_ticks = recorder.session->constants.start.ticks;
  application_open(&recorder.application, recorder.session->constants.pid, FD_APPLICATION, FD_SESSION);
  while (!atomic_load(&recorder.session->shared.is_described))
    futex_wait(&recorder.session->shared.is_described, 0, 10000000);
  put_constants(&recorder);
  struct merge *merge = merge_create(recorder.session, 0, put_record, NULL, &recorder);
  report_state(&recorder, WRITER_READY);
  const char *end = NULL;
  while (!end || merge_pass(merge) > 0) {
    end = end ? end : ending(&recorder); /* read before the pass, which then sees everything */
    if (merge_pass(merge) == 0 && !end)
      usleep(NAP_US);
  }
  put_end(&recorder, end);
  bool is_complete = fclose(recorder.file) == 0;
  report_state(&recorder, is_complete ? WRITER_CLOSED : WRITER_FAILED);
  merge_destroy(merge);
  return !is_complete;
}
