#include "recover/remake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "writer/archive/archive.h"
#include "writer/pipeline/encoders.h"
#include "writer/pipeline/ring_merge.h"

enum { PROGRESS_RECORDS = 1 << 18 };

/* Room for what lies between two marks, and what waits for more; only what is needed is ever touched. */
static const uint64_t backlog_bytes = UINT64_C(16) << 30;

/* By slot: where the log begins and ends. */
struct extents {
  struct {
    uint64_t begin, end;
  } * all;
  size_t count, capacity;
};

/* False: it does not follow those before it. */
static bool add_block(struct extents *extents, const struct record_log_head *head, uint32_t slots_max) {
  if (head->records == 0)
    return true;
  if (head->slot >= slots_max)
    return false;
  array_reserve_zeroed(&extents->all, &extents->capacity, head->slot + (size_t)1, sizeof *extents->all);
  extents->count = head->slot + 1u > extents->count ? head->slot + 1u : extents->count;
  uint64_t *begin = &extents->all[head->slot].begin, *end = &extents->all[head->slot].end;
  if (*begin == *end)
    *begin = *end = head->position;
  if (*end != head->position)
    return false;
  *end += head->records;
  return true;
}

static uint64_t records_in(const struct extents *extents) {
  uint64_t sum = 0;
  for (size_t i = 0; i < extents->count; i++)
    sum += extents->all[i].end - extents->all[i].begin;
  return sum;
}

/* What a ring has given back was in the log before. */
static bool reaches_rings(const struct extents *extents, struct session_header *session) {
  uint32_t used = atomic_load(&session->shared.slots_used);
  for (uint32_t i = 0; i < used && i < session->constants.slots_max; i++) {
    uint64_t end = i < extents->count ? extents->all[i].end : 0;
    if ((int64_t)(end - atomic_load(&session_slot(session, i)->tail)) < 0)
      return false;
  }
  return true;
}

static uint64_t records_encoded(const struct recovery_state *state) {
  uint64_t sum = 0;
  for (size_t i = 0; i < RECORD_TYPE_COUNT; i++)
    sum += state->records[i];
  return sum;
}

/* Whether the archive can be made of it. After a power loss, or of a damaged disk, it may lack what the rest
 * does not. */
static bool is_of_use(struct remake *remake, const struct salvage *salvage, uint32_t slots_max) {
  struct extents extents = {0};
  while (record_log_reader_next(&remake->reader) && add_block(&extents, &remake->reader.head, slots_max))
    remake->blocks++;
  uint64_t encoded = records_encoded(&salvage->header.state);
  remake->records = records_in(&extents);
  remake->is_cut = remake->surviving.has_rings && !reaches_rings(&extents, remake->surviving.session);
  free(extents.all);
  if (remake->surviving.has_rings && !remake->is_cut)
    return true;
  return remake->records >= encoded && encoded > 0 &&
         (!remake->is_cut || surviving_leave_rings(&remake->surviving));
}

bool remake_open(struct remake *remake, const struct salvage *salvage,
                 const struct session_constants *constants) {
  *remake = (struct remake){0};
  if (!surviving_open(&remake->surviving, salvage, constants))
    return false;
  int error = -record_log_reader_open(&remake->reader, salvage->directory);
  remake->has_file = error != ENOENT; /* a log that has ended is removed: else the recovery file is damaged */
  remake->log_error = remake->has_file || atomic_load(&salvage->header.has_log) ? error : 0;
  return error == 0 && is_of_use(remake, salvage, constants->slots_max);
}

void remake_close(struct remake *remake) {
  if (remake->merge) {
    cuda_free(&remake->correlator);
    correlator_close(&remake->correlator);
    emitter_close(&remake->emitter);
  }
  merge_destroy(remake->merge);
  record_log_reader_close(&remake->reader);
  surviving_close(&remake->surviving);
}

static void report_progress(struct remake *remake) {
  remake->reported = remake->correlator.records;
  remake->progress(remake->reported);
}

/* A merge_sink. */
static void on_record(void *data, uint32_t slot, uint64_t id, const struct record *record,
                      const uint64_t *words) {
  struct remake *remake = data;
  correlate(&remake->correlator, slot, id, record, words);
  if (remake->correlator.records - remake->reported >= PROGRESS_RECORDS)
    report_progress(remake);
}

/* A merge_run_sink. */
static uint64_t on_run(void *data, uint32_t slot, uint64_t id, const struct record *records, uint64_t n) {
  struct remake *remake = data;
  uint64_t done = correlate_run(&remake->correlator, slot, id, records, n);
  if (remake->correlator.records - remake->reported >= PROGRESS_RECORDS)
    report_progress(remake);
  return done;
}

/* The run's constants have the runtime already. */
static void on_runtime(void *data) {
  (void)data;
}

/* Nobody else has need of the processors that recovery may use. */
static unsigned may_encode(void *data) {
  struct remake *remake = data;
  if (remake->correlator.records - remake->reported >= PROGRESS_RECORDS)
    report_progress(remake);
  return remake->correlator.has_ended ? 0 : ENCODERS_ALL;
}

/* As the writer's (drain.c). */
static void on_rounds(void *data, bool begin) {
  struct remake *remake = data;
  archive_rest_beside(remake->archive, begin);
}

static bool on_wait(void *data) {
  struct remake *remake = data;
  return archive_help_beside(remake->archive);
}

static unsigned encoders_requested(void) {
  enum { JOBS_MAX = 64 };
  const char *text = getenv("STAVE_JOBS");
  unsigned jobs = 0;
  return text && sscanf(text, "%9u", &jobs) == 1 && jobs <= JOBS_MAX ? jobs : 0;
}

static void open_model(struct remake *remake, struct journal *journal) {
  struct correlator *c = &remake->correlator;
  const struct session_constants *constants = &journal->constants;
  emitter_open(&remake->emitter, journal->definitions, journal->regions, journal->contexts);
  correlator_open(c, &remake->emitter, journal->definitions, journal->regions, journal->modules,
                  journal->contexts, constants->states);
  c->call_sites = journal->call_sites;
  c->lock_names = journal->lock_names;
  c->on_runtime = on_runtime;
  c->counters = constants->counters;
  c->counter_count = constants->counter_count < COUNTERS_MAX ? constants->counter_count : COUNTERS_MAX;
  c->command_line = journal->command_line;
  c->command_line_bytes = journal->command_line_bytes;
  c->starts_paused = constants->config.start == START_paused;
  remake->merge = merge_create(remake->surviving.session, backlog_bytes, on_record, NULL, remake);
  merge_set_run_sink(remake->merge, on_run);
}

/* What is handed on now was committed before the mark in front of this one, what is not in the log after it.
 */
static void pass_loaded(struct remake *remake) {
  merge_pass_loaded(remake->merge);
  remake->whole_until = remake->correlator.last_ticks;
}

static bool load_all(struct remake *remake) {
  struct record_log_reader *reader = &remake->reader;
  record_log_reader_rewind(reader);
  merge_begin_loading(remake->merge);
  for (size_t i = 0; i < remake->blocks && record_log_reader_next(reader); i++) {
    if (reader->head.records == 0)
      pass_loaded(remake);
    else if (!record_log_reader_unpack(reader) ||
             !merge_load(remake->merge, reader->head.slot, reader->head.position, reader->records,
                         reader->head.records))
      return false;
  }
  merge_end_loading(remake->merge, remake->surviving.has_rings);
  return true;
}

static bool merge_all(struct remake *remake) {
  struct encoders_caller caller = {
      .may_encode = may_encode, .on_rounds = on_rounds, .on_wait = on_wait, .data = remake};
  struct encoders *encoders =
      encoders_create(remake->merge, &remake->correlator, encoders_requested(), caller);
  bool is_loaded = load_all(remake);
  while (is_loaded && merge_pass(remake->merge) > 0) {
  }
  encoders_destroy(encoders);
  return is_loaded;
}

bool remake_run(struct remake *remake, struct journal *journal, struct archive *archive, uint64_t end_ticks,
                void (*progress)(uint64_t events)) {
  remake->progress = progress;
  remake->archive = archive;
  archive_write_beside(archive, encoders_requested() != 1);
  open_model(remake, journal);
  if (!merge_all(remake))
    return false;
  remake->correlator.died_ticks = end_ticks;
  cuda_end(&remake->correlator);
  correlate_end(&remake->correlator, OTF2_UNDEFINED_INT64);
  return true;
}

uint64_t remake_whole_until(const struct remake *remake, const struct recovery_state *left) {
  uint64_t encoded_until = atomic_load(&left->complete_until);
  if (remake->surviving.has_rings)
    return remake->correlator.last_ticks;
  bool has_more = remake->records > records_encoded(left);
  return has_more || encoded_until < remake->whole_until ? remake->whole_until : encoded_until;
}

struct figures remake_figures(const struct remake *remake, const struct figures *left) {
  struct figures figures = *left;
  const struct figures *made = &remake->correlator.figures;
  if (remake->surviving.has_rings) {
    figures = merge_figures(remake->merge);
    figures_add(&figures, made);
    figures.backlog_records = left->backlog_records;
    figures.backlog_most = left->backlog_most;
    figures.backlog_waited_ms = left->backlog_waited_ms;
  }
  figures.closed_by_writer = made->closed_by_writer;
  figures.encoded_beside = made->encoded_beside;
  figures.refused += remake->emitter.failed;
  return figures;
}
