/* What stave-writer consists of: writer.c opens it, drain.c is what it does then, finish.c closes the
 * archive, whose place is directory.c's; with STAVE_KEEP dump.c makes archives while it goes on. */
#ifndef STAVE_WRITER_WRITER_H
#define STAVE_WRITER_WRITER_H

#include <sys/utsname.h>

#include "session/session.h"
#include "writer/address_query.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/flight/flight_buffer.h"
#include "writer/flight/slowest.h"
#include "writer/kernel/application.h"
#include "writer/kernel/pace.h"
#include "writer/kernel/processors.h"
#include "writer/kernel/run_states.h"
#include "writer/kernel/run_times.h"
#include "writer/notify.h"
#include "writer/output.h"
#include "writer/pipeline/record_log.h"
#include "writer/pipeline/ring_merge.h"
#include "writer/properties.h"
#include "writer/recovery/recovery.h"
#include "writer/runtimes.h"

/* For whom an archive is written. */
struct dump_cause {
  bool is_slowest; /* only for that trigger, of an instance with this duration */
  uint32_t trigger;
  uint64_t ticks;
};

/* What drain.c alone knows. */
struct draining {
  struct pace pace;
  uint64_t merged_until; /* ticks of the last record */
  uint64_t waited_ms;    /* the most that a record did in the backlog, while the program ran */
  uint64_t waiting_ns;   /* CLOCK_MONOTONIC: when something waited in the backlog last */
  unsigned encoders;     /* that may work side by side while the program runs; 0: there is one */
  bool has_seen_limits, limits_leave_helpers;
  bool is_over;     /* the program has ended, or the recording */
  uint64_t over_ns; /* when the end of the program was seen */
};

/* What dump.c alone knows. */
struct dumping {
  pid_t process;                  /* the copy of this process that writes an archive; 0: none */
  uint32_t before;                /* session->shared.dumps_done when that began */
  uint32_t requested;             /* by `stave dump`, noted so far */
  uint32_t seen;                  /* of these, answered by what is written now */
  unsigned triggered;             /* archives */
  bool is_due;                    /* for keeping.why, as soon as the process has ended */
  struct dump_cause due, written; /* whom that is for; and what is written now */
};

struct writer {
  struct session_header *session;
  struct session_constants constants; /* copied: the application can write over the shared ones */
  struct notifier report;
  struct application application;
  struct recovery *recovery;
  struct archive *archive;
  struct definitions *definitions;
  struct modules *modules;
  struct symbols *symbols;
  struct regions *regions;
  struct contexts *contexts;
  struct call_sites *call_sites;
  struct lock_names *lock_names;
  struct emitter emitter;
  struct correlator correlator;
  struct merge *merge;
  struct encoders *encoders;             /* or NULL: there is one */
  struct record_log *record_log;         /* STAVE_LOG; or NULL */
  const char *no_record_log;             /* why not, though it was requested; or NULL */
  char session_file[SESSION_FILE_BYTES]; /* the rings' name, should they have one */
  struct draining drain;
  uint64_t pass_begin; /* ticks */
  struct utsname machine;
  struct output_names names; /* for the archive's directory */
  char run[LAUNCHER_RUN_BYTES];
  char directory[SESSION_TEXT_BYTES];
  bool is_ready; /* the tool may have been notified */
  int64_t exit_status;
  struct flight_buffer *kept; /* STAVE_KEEP; or NULL: everything is written */
  struct dumping dump;
  struct keeping keeping;                 /* what the archive reports of that */
  struct trigger *triggers[TRIGGERS_MAX]; /* STAVE_TRIGGER */
  struct slowest slowest[TRIGGERS_MAX];   /* of those that need these */
  struct address_query address_query;     /* of places for them */
  bool has_ended_badly;
  struct processors processors;
  struct run_states *run_states; /* or NULL */
  int system_error;              /* why not */
  struct run_times *run_times;   /* or NULL: of what is kept only in part (STAVE_KEEP) */
  char clock_domain[CLOCK_DOMAIN_BYTES];
  /* of the closed archive */
  uint64_t event_bytes;
  struct figures figures;
  size_t command_line_bytes;
  char stopped[128]; /* why recording was stopped before the end; empty: it was not */
  char ending[128];
  char command_line[8192], arguments[8192], runtimes[RUNTIMES_BYTES];
};

/* Drains all records until the program has ended and none is left. writer->ending states how it ended. */
void drain(struct writer *writer);

/* Whether the session never began and no archive is requested. */
bool drain_is_cancelled(const struct writer *writer);

/* While the program runs: at its end nobody may be left who knows which run it is part of. */
void writer_read_launcher(struct writer *writer);

/* Makes the directory of an archive, writer->directory. False: `failure` states why not. `notice` (of `size`
 * bytes, as failure) states if it got another name than was requested. is_trial: an empty one, to see whether
 * it can be made; not one for the ranks of a job, which leaves more than rmdir can remove. */
bool writer_make_directory(struct writer *writer, char *failure, char *notice, size_t size, bool is_trial);

/* The same for the first of a session; what fails is reported. */
bool writer_make_first_directory(struct writer *writer, char *notice, size_t size, bool is_trial);

/* Removes an archive that has only what OTF2 makes in it at first. */
void writer_remove_archive(struct writer *writer);

/* Ends all that is open and closes the archive. Returns as archive_close. */
int writer_close_archive(struct writer *writer);

/* Of the entire session so far. */
struct figures writer_figures(const struct writer *writer);

/* Of the closed archive: what notify_closed shows. */
void writer_figures_text(struct writer *writer, char *text, size_t size);

/* Closes the archive and reports it. */
void writer_close(struct writer *writer);

/* How many encoders may work: all where the program has left its processors, else as many as are free. */
unsigned drain_may_encode(void *writer);

/* They begin, or have done what they could and leave the processors but for one; one of them waits. */
void drain_on_rounds(void *writer, bool begin);
bool drain_on_wait(void *writer);

/* A merge_sink, a merge_run_sink and a merge_pause, whose data is the writer. */
void drain_record(void *data, uint32_t slot, uint64_t id, const struct record *record, const uint64_t *words);
uint64_t drain_run(void *data, uint32_t slot, uint64_t id, const struct record *records, uint64_t n);
void drain_yield_cpu(void *data);

#endif
