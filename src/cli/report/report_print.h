/* Printing a report, as text, JSON or Markdown. */
#ifndef STAVE_CLI_REPORT_REPORT_PRINT_H
#define STAVE_CLI_REPORT_REPORT_PRINT_H

#include <regex.h>

#include "cli/common/json.h"
#include "report/report.h"
#include "trace/label.h"

/* What the "schema_version" of the JSON is: raised when a member changes its meaning or goes. */
enum { REPORT_SCHEMA_VERSION = 1 };

struct report_print {
  const struct report *report;
  const char *path;    /* the archive, as it was requested */
  const char *anchor;  /* its file */
  size_t top;          /* rows of a table at most */
  const regex_t *only; /* of which regions; NULL: all */
};

/* True if tables are to have this region: its name or its source file and line. */
bool report_print_includes(const struct report_print *print, uint32_t region);

enum { GAIN_BYTES = 96 };

/* The line that is printed where there is no finding. */
const char *report_print_nothing(const struct report *report);

/* What one run cannot show where nothing was found, and what does. NULL: there are no findings missing, or no
 * teams. */
const char *report_print_scaling(const struct report *report);

enum { COUNT_BYTES = 64, ACCOUNT_BYTES = 512 };

/* "4 at a time, 122 in all", or "4" if that is the same; after the 4 what is counted (" threads", ""). */
char *report_print_threads(char text[COUNT_BYTES], const struct report *report, const char *noun);

/* "ran 50 %, preempted 49 % (because of each other, by binding 49 %), blocked 1 %": of the
 * threads' time, where that is known. */
char *report_print_account(char text[ACCOUNT_BYTES], const struct report *report);

/* What more threads than processors should do first. */
char *report_print_crowd(char text[ACCOUNT_BYTES], const struct report *report);

/* Thread time in which threads were kept from running. */
double report_lost_by_others(const struct report_account *account);

/* The same of each parallel region, where threads were preempted, or stopped. */
void report_print_processors(const struct report_print *print);

/* "12.3 ms +- 0.4 ms (1.2 %)": what a finding could save; the deviation only where it is known. */
char *report_print_gain(char text[GAIN_BYTES], const struct report *report,
                        const struct report_finding *finding);

/* The regions that are requested and for which `is_in` holds, those with the greatest `weight` first. Returns
 * how many, in *ret, which the caller frees. */
size_t report_print_order(const struct report_print *print, bool (*is_in)(const struct report_region *),
                          double (*weight)(const struct report_region *), uint32_t **ret);

/* Text for people on stdout. */
void report_print_text(const struct report_print *print);

/* How the run ended, and where each thread was then; nothing if it ended in order. */
void report_print_ending(const struct report_print *print);

/* What disturbs the numbers; nothing if nothing does. */
void report_print_caveats(const struct report *report);

enum { DEADLOCK_BYTES = 512 };

/* "Master thread -> OMP thread 1 -> Master thread". False: no threads waited for each other in a circle. */
bool report_deadlock_text(char *text, size_t bytes, const struct report *report);

enum { WAIT_BYTES = 2 * LABEL_BYTES + 256 };

/* "Master thread waits for OMP thread 1, which holds the lock since omp_set_lock @a.c:7". */
void report_wait_text(char text[WAIT_BYTES], const struct report *report, size_t location,
                      const struct report_wait *wait);

/* A deadlock, and a run that did not end in order, as a page lists them beside what stave check finds: the
 * caller's to release. */
json_t *report_problems_json(const struct report *report);

/* The same for report_print_json, with the ending: the caller's to release. */
json_t *report_ending_json(const struct report *report);

/* Who called parallel regions, as a tree; nothing where no archive reports. One of them as a short text for a
 * row. The same for report_print_json: the caller's to release. */
void report_print_callers(const struct report_print *print);
void report_caller_text(char *text, size_t size, const struct report *report,
                        const struct report_parallel *parallel);
json_t *report_callers_json(const struct report *report, const struct report_parallel *parallel);

/* What lies between parallel regions, and the functions that run there. */
void report_print_serial(const struct report_print *print);

/* Hot functions and the runtime's states; nothing without samples. The same for report_print_json, and what a
 * finding has of it, null if nothing: the caller's to release. report_sampled_json adds those of one place to
 * an object. */
void report_print_samples(const struct report_print *print);
json_t *report_samples_json(const struct report_print *print);
void report_sampled_json(json_t *object, const struct report *report, const struct report_sampled *place);
json_t *report_finding_samples_json(const struct report *report, const struct report_finding *finding);

/* Whether threads had processors, by region and thread; nothing, or null, where the archive does not have it.
 */
void report_print_running(const struct report_print *print);
/* Of report_print_account; null: not known. */
json_t *report_account_json(const struct report *report);

json_t *report_running_json(const struct report_print *print);

/* What processors and the kernel have counted, by region and thread; nothing, or null, where the archive does
 * not show. */
void report_print_counters(const struct report_print *print);
json_t *report_counters_json(const struct report_print *print);

/* Devices, their kernels, and calls for them; nothing without devices. */
void report_print_devices(const struct report_print *print);

/* Messages from process to process, calls of MPI, collective operations; nothing without MPI. */
void report_print_mpi(const struct report_print *print);

/* "paused", or what else shows nothing of threads. */
const char *report_print_unknown(const struct report *report);

enum { CAVEAT_BYTES = 192 };

/* The gravest of what disturbs the numbers, in a line; NULL: nothing does. */
const char *report_print_caveat(char text[CAVEAT_BYTES], const struct report *report);

/* The answer in Markdown. */
void report_print_markdown(const struct report_print *print);

/* The answer in at most 20 lines. */
void report_print_brief(const struct report_print *print);

/* The tables of regions: parallel regions, worksharing, locks, waiting, tasks, the critical path. */
void report_print_tables(const struct report_print *print);

/* Where threads wait: one of these tables. */
void report_print_waiting(const struct report_print *print);

/* The findings as the JSON object has them, in the report's order: the caller's to release. */
json_t *report_findings_json(const struct report *report);

/* What a page shows of the report (struct page_request): the caller's to release. */
json_t *report_panel_json(const struct report *report);

/* The report as one JSON object, which the caller lets go. */
json_t *report_print_object(const struct report_print *print);

/* One JSON object on stdout. */
void report_print_json(const struct report_print *print);

#endif
