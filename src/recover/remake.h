/* The archive of a run made anew, of all its records, by what the writer makes of them: where a log of them
 * (record_log_file.h) is there, with the rings that its writer had not read, nothing is missing. */
#ifndef STAVE_RECOVER_REMAKE_H
#define STAVE_RECOVER_REMAKE_H

#include "recover/journal.h"
#include "recover/record_log_reader.h"
#include "recover/surviving.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"

struct merge;

struct remake {
  struct record_log_reader reader;
  size_t blocks;        /* of the log, up to where it is damaged, or to its end */
  uint64_t records;     /* in them */
  bool is_cut;          /* it does not reach the rings: these are of no use */
  bool has_file;        /* there is a file of its name */
  int log_error;        /* it cannot be read: errno */
  uint64_t whole_until; /* what returned from a callback before is in them */
  struct surviving surviving;
  struct merge *merge;
  struct archive *archive;
  uint64_t reported; /* records */
  struct emitter emitter;
  struct correlator correlator;
  void (*progress)(uint64_t events);
};

/* Whether there is a log that has at least what the dead writer had encoded. After that it may be damaged:
 * then the rings, which go on after its end, are left alone. Constants: as the journal has them. remake_close
 * in every case. */
bool remake_open(struct remake *remake, const struct salvage *salvage,
                 const struct session_constants *constants);
void remake_close(struct remake *remake);

/* Makes all events in the archive, that of journal->definitions, of which only the run has been read. What is
 * open ends at end_ticks or with the last record. False: there is not the memory for it. */
bool remake_run(struct remake *remake, struct journal *journal, struct archive *archive, uint64_t end_ticks,
                void (*progress)(uint64_t events));

/* Until when all is in the archive. Of a log without rings that goes on after what was encoded nobody knows
 * whether its end is missing. */
uint64_t remake_whole_until(const struct remake *remake, const struct recovery_state *left);

/* What threads and the way to the archive have counted; `left`: as the dead writer had it. */
struct figures remake_figures(const struct remake *remake, const struct figures *left);

#endif
