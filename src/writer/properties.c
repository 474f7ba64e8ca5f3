#include "writer/properties.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ompt/names.h"
#include "stave/names.h"
#include "writer/runtimes.h"

static void set_number(struct archive *archive, const char *name, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, number);
  archive_set_property(archive, name, text);
}

enum figure_shown { LOSS, ALWAYS, IF_ANY, SAMPLING, COUNTERS, SYSTEM };

static void set_figures(struct archive *archive, const struct figures *figures, enum figure_shown requested) {
  const struct {
    enum figure_shown shown;
    const char *property;
    uint64_t number;
  } rows[] = {
#define FIGURE(name, counted_by, shown, property, label, text)                                               \
  {shown, STAVE_PROPERTY_##property, figures->name},
#include "session/figures.def"
#undef FIGURE
  };
  bool is_optional = requested == LOSS || requested == IF_ANY;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].shown == requested && (rows[i].number || !is_optional))
      set_number(archive, rows[i].property, rows[i].number);
}

static uint64_t losses(const struct figures *figures) {
  uint64_t sum = 0;
#define FIGURE(name, counted_by, shown, property, label, text) sum += (shown) == LOSS ? figures->name : 0;
#include "session/figures.def"
#undef FIGURE
  return sum;
}

/* Not where records made no sense, or OTF2 refused events: nobody knows when these were. */
static void set_lost_after(struct archive *archive, const struct summary *summary) {
  const struct figures *figures = &summary->figures;
  if (!summary->is_recovered && figures->lost && !figures->damaged && !figures->refused &&
      summary->complete_until)
    set_number(archive, STAVE_PROPERTY_LOST_AFTER, summary->complete_until);
}

/* OTF2 readers interpret these as whether analyses that need every event may be run. */
static void set_completeness(struct archive *archive, const struct summary *summary) {
  static const char *const names[] = {
      "OTF2::MPI_COMMUNICATION_COMPLETE", "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE",
      "OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", "OTF2::THREAD_LOCK_EVENT_COMPLETE"};
  bool is_complete = losses(&summary->figures) == 0 && !summary->is_recovered;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    archive_set_property(archive, names[i], is_complete ? "true" : "false");
}

static void set_recovery(struct archive *archive, const struct summary *summary) {
  if (!summary->is_recovered)
    return;
  archive_set_property(archive, STAVE_PROPERTY_RECOVERED, "true");
  set_number(archive, STAVE_PROPERTY_LOST_AFTER, summary->complete_until);
}

/* Prefix and number = the runtime's name for it. OTF2 allows no minus in a property's name. */
static void set_names(struct archive *archive, const char *prefix, const struct session_name *names) {
  for (int i = 0; i < SESSION_NAMES && names[i].name[0]; i++) {
    char property[64], value[SESSION_NAME_BYTES + 1];
    bool is_negative = names[i].value < 0;
    snprintf(property, sizeof property, "%s%s%u", prefix, is_negative ? "MINUS_" : "",
             is_negative ? 0u - (unsigned)names[i].value : (unsigned)names[i].value);
    snprintf(value, sizeof value, "%.*s", SESSION_NAME_BYTES, names[i].name);
    for (char *c = value; *c; c++)
      *c = isprint((unsigned char)*c) ? *c : '?';
    archive_set_property(archive, property, value);
  }
}

static void set_not_registered(struct archive *archive, const int32_t *results) {
  static const struct {
    unsigned number;
    const char *reason;
  } rows[] = {
#define HARMFUL(name, class, reason)                                                                         \
  {OMPT_CALLBACK_##name, reason ": STAVE_EVENTS=all," #class " registers it"},
#include "session/harmful.def"
#undef HARMFUL
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char property[64];
    snprintf(property, sizeof property, STAVE_PROPERTY_NOT_ASKED "%u", rows[i].number);
    if (results[rows[i].number] == SESSION_NOT_REGISTERED)
      archive_set_property(archive, property, rows[i].reason);
  }
}

static void set_results(struct archive *archive, const int32_t *results) {
  for (int i = 0; i < SESSION_CALLBACKS; i++) {
    char property[64];
    if (results[i] < 0)
      continue;
    snprintf(property, sizeof property, STAVE_PROPERTY_SET_CALLBACK "%d", i);
    const char *word = ompt_name(OMPT_SET_RESULT, (uint32_t)results[i]);
    archive_set_property(archive, property, word ? word : "unknown");
  }
}

static void set_records(struct archive *archive, const uint64_t *records) {
  for (unsigned type = RECORD_TYPE_NONE + 1; type < RECORD_TYPE_COUNT; type++) {
    char property[64];
    snprintf(property, sizeof property, STAVE_PROPERTY_RECORDS "%s", record_name(type));
    if (records[type])
      set_number(archive, property, records[type]);
  }
}

static void set_sampling(struct archive *archive, uint32_t hz, const struct figures *figures) {
  if (hz == 0)
    return;
  set_number(archive, STAVE_PROPERTY_SAMPLING_HZ, hz);
  set_figures(archive, figures, SAMPLING);
}

static void set_counters(struct archive *archive, const struct session_constants *constants,
                         const struct figures *figures) {
  char names[COUNTERS_MAX * COUNTER_NAME_BYTES] = "";
  if (!*constants->config.counters)
    return;
  for (uint32_t i = 0; i < constants->counter_count; i++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used ? "," : "", constants->counters[i].name);
  }
  archive_set_property(archive, STAVE_PROPERTY_COUNTERS, *names ? names : "none");
  if (*constants->counters_refused)
    archive_set_property(archive, STAVE_PROPERTY_COUNTERS_REFUSED, constants->counters_refused);
  set_figures(archive, figures, COUNTERS);
}

/* What was requested of the kernel. */
static void set_system(struct archive *archive, const struct session_constants *constants,
                       const struct summary *summary) {
  set_counters(archive, constants, &summary->figures);
  if (constants->config.system == SYSTEM_off)
    return;
  archive_set_property(archive, STAVE_PROPERTY_SYSTEM,
                       summary->system_error ? strerror(summary->system_error) : "on");
  set_figures(archive, &summary->figures, SYSTEM);
}

static void set_keeping(struct archive *archive, const struct keeping *keeping) {
  if (!keeping)
    return;
  archive_set_property(archive, STAVE_PROPERTY_KEPT, keeping->limits);
  archive_set_property(archive, STAVE_PROPERTY_KEPT_WHY, keeping->why);
  set_number(archive, STAVE_PROPERTY_KEPT_BEFORE_NS, keeping->before_ns);
  set_number(archive, STAVE_PROPERTY_KEPT_RECORDS_BEFORE, keeping->records_before);
}

static void set_runtimes(struct archive *archive, const char *paths) {
  char path[RUNTIMES_BYTES];
  bool is_detour;
  for (unsigned i = 0; runtimes_next(&paths, path, &is_detour);) {
    char property[64];
    snprintf(property, sizeof property, STAVE_PROPERTY_RUNTIME_FILE "%u", i);
    archive_set_property(archive, is_detour ? STAVE_PROPERTY_RUNTIME_INSTEAD_OF : property,
                         is_detour ? "libgomp" : path);
    i += !is_detour;
  }
}

static void set_processors(struct archive *archive, const struct summary *summary) {
  const struct processor_time *time = &summary->processor_time;
  if (summary->processors)
    set_number(archive, STAVE_PROPERTY_PROCESSORS, summary->processors);
  if (!time->is_known)
    return;
  set_number(archive, STAVE_PROPERTY_PROCESSORS_OWN_NS, time->own_ns);
  set_number(archive, STAVE_PROPERTY_PROCESSORS_WRITER_NS, time->writer_ns);
  set_number(archive, STAVE_PROPERTY_PROCESSORS_BUSY_NS, time->busy_ns);
  set_number(archive, STAVE_PROPERTY_PROCESSORS_IDLE_NS, time->idle_ns);
  set_number(archive, STAVE_PROPERTY_PROCESSORS_STOLEN_NS, time->stolen_ns);
}

static void set_recording(struct archive *archive, const struct summary *summary) {
  if (*summary->stopped)
    archive_set_property(archive, STAVE_PROPERTY_STOPPED, summary->stopped);
  if (summary->record_log)
    archive_set_property(archive, STAVE_PROPERTY_RECORD_LOG, summary->record_log);
}

void properties_write(struct archive *archive, const struct session_constants *constants,
                      const struct summary *summary, const char *host) {
  char description[SESSION_TEXT_BYTES + 32];
  snprintf(description, sizeof description, "OpenMP trace of %s", constants->program);
  archive_describe(archive, "Stave " STAVE_VERSION, host, description);
  set_completeness(archive, summary);
  set_recording(archive, summary);
  if (constants->config.otf2 == OTF2_WORDS_3_1)
    archive_set_property(archive, STAVE_PROPERTY_OTF2, "3.1");
  set_figures(archive, &summary->figures, LOSS); /* their names alone state a loss */
  set_lost_after(archive, summary);
  set_recovery(archive, summary);
  set_keeping(archive, summary->keeping);
  archive_set_property(archive, STAVE_PROPERTY_ENDING, summary->ending);
  set_figures(archive, &summary->figures, ALWAYS);
  set_figures(archive, &summary->figures, IF_ANY);
  archive_set_property(archive, STAVE_PROPERTY_PROGRAM, constants->program);
  if (*summary->arguments)
    archive_set_property(archive, STAVE_PROPERTY_ARGUMENTS, summary->arguments);
  set_number(archive, STAVE_PROPERTY_PROCESS_ID, (uint32_t)constants->pid);
  set_processors(archive, summary);
  if (summary->mpi_rank >= 0)
    set_number(archive, STAVE_PROPERTY_MPI_RANK, (uint64_t)summary->mpi_rank);
  if (summary->mpi_rank >= 0 && summary->mpi_size > 0)
    set_number(archive, STAVE_PROPERTY_MPI_SIZE, (uint64_t)summary->mpi_size);
  if (*summary->clock_domain)
    archive_set_property(archive, STAVE_PROPERTY_CLOCK_DOMAIN, summary->clock_domain);
  if (*constants->runtime_version)
    archive_set_property(archive, STAVE_PROPERTY_RUNTIME, constants->runtime_version);
  set_runtimes(archive, summary->runtimes);
  if (constants->omp_version)
    set_number(archive, STAVE_PROPERTY_OMP_VERSION, (uint32_t)constants->omp_version);
  set_names(archive, STAVE_PROPERTY_STATE, constants->states);
  set_names(archive, STAVE_PROPERTY_MUTEX_IMPLEMENTATION, constants->mutex_implementations);
  set_results(archive, constants->set_callback_results);
  set_not_registered(archive, constants->set_callback_results);
  set_records(archive, summary->records);
  set_sampling(archive, constants->config.sample_hz, &summary->figures);
  set_system(archive, constants, summary);
}
