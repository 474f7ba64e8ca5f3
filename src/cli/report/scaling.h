/* `stave report --scaling`: how the wall time of runs with several numbers of threads follows that number, of
 * the run and of each of its parts, and which factors of the efficiency fall. */
#ifndef STAVE_CLI_REPORT_SCALING_H
#define STAVE_CLI_REPORT_SCALING_H

#include "cli/common/json.h"
#include "cli/report/compare_pairs.h"
#include "cli/report/rank.h"
#include "scaling/factors.h"
#include "scaling/fit.h"

#include <stdbool.h>
#include <stddef.h>

enum { SCALING_RUNS_MAX = RANK_VALUES_MAX, SCALING_SCHEMA_VERSION = 1 };

/* One run, an archive. */
struct scaling_run {
  const char *path;
  json_t *report;            /* the object of report --json; NULL from scaling_finish on */
  size_t threads, processes; /* threads: of all processes, that were in teams or worked */
  size_t processors;         /* that it may use; 0: not known */
  bool is_crowded;           /* more threads than processors: it is in no fit */
  size_t lost_events;
  double others; /* share of the processors' time that other programs used; 0: not known */
};

/* Runs of one number of processes and threads. */
struct scaling_step {
  size_t threads, processes;
  size_t runs[SCALING_RUNS_MAX], run_count;
  bool is_crowded;
};

enum scaling_kind { SCALING_RUN, SCALING_SERIAL, SCALING_PARALLEL, SCALING_LOOP };

/* What has been measured of a part in one run. */
struct scaling_measure {
  bool is_there;
  double wall_s; /* of processes the mean */
  struct computation computation;
  double factors[FACTOR_COUNT];
};

/* The same of a step: of the run with the median of the wall times, of an even number the shorter of two. */
struct scaling_point {
  bool is_there;
  double wall_s, least_s, most_s;
  double speedup, efficiency; /* against the first step that has the part */
  double factors[FACTOR_COUNT];
  double miss_growth; /* of misses an instruction; NAN: not known */
};

enum { SCALING_NO_STEP = -1 };

/* The run, or a part of it. */
struct scaling_part {
  enum scaling_kind kind;
  char *name;
  struct scaling_measure measures[SCALING_RUNS_MAX];
  struct scaling_point points[SCALING_RUNS_MAX]; /* by step */
  int first, last;                               /* the steps that have it: the least and the most threads */
  double lost_s;             /* wall time of the last step beyond what ideal scaling had left */
  int stops;                 /* the step from which on more threads bring less than half; SCALING_NO_STEP */
  enum scaling_factor worst; /* that has fallen most from the first step to the last; FACTOR_none */
  double worst_share;        /* by so much of itself */
  struct fit fits[FIT_LAWS];
};

struct scaling {
  bool is_weak;     /* the work grows with the threads */
  uint64_t predict; /* a number of threads whose wall time is requested; 0: none */
  struct scaling_run runs[SCALING_RUNS_MAX];
  size_t run_count;
  struct scaling_step steps[SCALING_RUNS_MAX]; /* the fewest threads first */
  size_t step_count;
  struct pairs pairs;         /* until scaling_finish */
  struct scaling_part *parts; /* the run, then those that have lost most at the largest step */
  size_t part_count;
};

/* Adds a run's report, which scaling owns from now on. */
void scaling_add(struct scaling *scaling, const char *path, json_t *report);

/* When all runs are there: finds out everything. */
void scaling_finish(struct scaling *scaling);
void scaling_free(struct scaling *scaling);

/* -- scaling_read.c -- */

/* Of a run and its parts, from its report. */
void scaling_read_run(struct scaling *scaling, size_t run);
void scaling_read_parts(struct scaling *scaling, size_t run);

/* -- scaling_words.c -- */

/* "run", "serial", "parallel", "loop": constant memory. */
const char *scaling_kind_name(enum scaling_kind kind);

/* The law that describes the run best: the universal one if it is determined and its k is above its error.
 * NULL: neither is determined. */
const struct fit *scaling_best_fit(const struct scaling_part *part);

/* The law's wall time for so many threads, and how far a run lies from it, in seconds. */
double scaling_predicted(const struct scaling *scaling, const struct fit *fit, double threads,
                         double *ret_interval);

/* From how many threads on more are of no use by this law; INFINITY: there is no such number. */
double scaling_useful_threads(const struct fit *fit);

enum { SCALING_TEXT_BYTES = 512 };

/* Sentences: what limits a part at the largest step; how many threads are of use. Empty: none. */
char *scaling_limit_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                         const struct scaling_part *part);
char *scaling_threads_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                           const struct scaling_part *part);

/* The wall time with as many threads as was requested, by the run's best law. */
char *scaling_predicted_text(char text[SCALING_TEXT_BYTES], const struct scaling *scaling,
                             const struct scaling_part *part);

/* "8", of several processes "4 x 2". */
char *scaling_step_text(char text[SCALING_TEXT_BYTES], const struct scaling_step *step);

/* What has to be known of these runs besides; false: there is no such note. */
bool scaling_note(char text[SCALING_TEXT_BYTES], const struct scaling *scaling, size_t number);

/* -- how it is printed -- */

void scaling_print_text(const struct scaling *scaling, size_t top);
json_t *scaling_object(const struct scaling *scaling);

/* -- scaling_condition.c -- */

enum { SCALING_CONDITION_BYTES = 256 };

/* "WHAT at N < NUMBER %". */
struct scaling_condition {
  const char *text;
  char what[SCALING_CONDITION_BYTES];
  size_t threads; /* 0: the largest step */
  bool is_less;
  double limit;
};

extern const char scaling_condition_words[];

bool scaling_condition_read(struct scaling_condition *ret, const char *text);

/* 1 if it holds, 0 if not, below 0 if what it names is not in these runs; the value in *ret. */
int scaling_condition_holds(const struct scaling_condition *condition, const struct scaling *scaling,
                            double *ret);

#endif
