/* `stave report --compare`: what changed from the old runs to the new ones. */
#ifndef STAVE_CLI_REPORT_COMPARE_H
#define STAVE_CLI_REPORT_COMPARE_H

#include "cli/common/json.h"
#include "cli/report/compare_pairs.h"
#include "cli/report/fail_condition.h"
#include "cli/report/rank.h"

#include <stdbool.h>
#include <stddef.h>

/* Chances that a difference is noise above this one count as noise. */
#define COMPARE_LEVEL 0.05
/* Three runs and three have no smaller chance; where that is all there is, it is enough. */
#define COMPARE_FEW_LEVEL 0.1

/* Of the processors' time: what others use above it may be the cause of a change. */
#define COMPARE_BUSY_SHARE 0.05

enum { COMPARE_CONDITIONS_MAX = 16 }; /* of one comparison */

enum compare_kind {
  COMPARE_RUN,      /* of the entire run */
  COMPARE_CAUSE,    /* what the findings of a cause could save */
  COMPARE_ACTIVITY, /* time of all threads */
  COMPARE_PARALLEL, /* a parallel region's wall time */
  COMPARE_REGION,   /* another construct's time of all threads */
};

/* Something that was measured in each run, in seconds; 0 where it did not occur. */
struct compare_row {
  enum compare_kind kind;
  char *name;
  double values[RANK_VALUES_MAX];  /* the old runs', then the new ones' */
  double squares[RANK_VALUES_MAX]; /* of the uncertainties that findings have in each run; 0: unknown */
  double old_median, new_median, p;
};

/* UNKNOWN: too few runs to determine it. */
enum compare_verdict { COMPARE_CHANGED, COMPARE_NOISE, COMPARE_UNKNOWN };

struct compare {
  const char *const *paths;
  size_t old_count, count; /* runs */
  double least_p;          /* that so many runs can have */
  struct pairs pairs;      /* until compare_finish */
  struct compare_row *rows;
  size_t row_count; /* what changed most comes first */
  size_t busy_runs; /* in which other programs used more than COMPARE_BUSY_SHARE */
  double busiest;   /* the largest share of the processors' time that they used */
};

/* Adds the object that `report --json` makes of run number `run`. */
void compare_add(struct compare *compare, size_t run, const json_t *report);

/* When all runs are there: medians, tests, the order. */
void compare_finish(struct compare *compare);

void compare_free(struct compare *compare);

enum compare_verdict compare_verdict(const struct compare *compare, const struct compare_row *row);

/* Of a row's value in runs `first` to `first + count`, as findings show it: the median; 0: unknown. */
double compare_uncertainty(const struct compare_row *row, size_t first, size_t count);

enum { COMPARE_NOISE_BYTES = 256 };

/* How likely a change is none, with so many runs, and how many would be enough. Returns text. */
const char *compare_noise_text(char text[COMPARE_NOISE_BYTES], const struct compare *compare);

enum { COMPARE_BUSY_BYTES = 160 };

/* That other programs used the processors meanwhile, and in how many runs. NULL: they did not. */
const char *compare_busy_text(char text[COMPARE_BUSY_BYTES], const struct compare *compare);

/* The smallest number of runs on each side that COMPARE_LEVEL can be satisfied with. */
size_t compare_deciding_runs(void);

/* Constant memory. */
const char *compare_kind_name(enum compare_kind kind);
const char *compare_verdict_name(enum compare_verdict verdict);

/* Words for whoever has written a condition that is none. */
extern const char compare_condition_words[];

/* Reads "WHAT > NUMBER UNIT". False if it is none. fail_condition_free if true. */
bool compare_condition_read(struct fail_condition *ret, const char *text);

/* Whether it holds: 1, then *ret is the row by which it does; or 0; -1 if it names what is in no run. */
int compare_condition_holds(const struct compare *compare, struct fail_condition *condition,
                            const struct compare_row **ret);

enum { COMPARE_GROWTH_BYTES = 512 };

/* "wall +34.4 %": by how much a row has grown, in the unit of the condition. */
void compare_condition_growth(char text[COMPARE_GROWTH_BYTES], const struct compare *compare,
                              const struct fail_condition *condition, const struct compare_row *row);

/* On stdout; at most `top` rows of text. brief: at most 11 lines. */
void compare_print_brief(const struct compare *compare);
void compare_print_markdown(const struct compare *compare, size_t top);
void compare_print_text(const struct compare *compare, size_t top);
void compare_print_json(const struct compare *compare, const struct fail_condition *conditions,
                        const int *holds, size_t condition_count);

#endif
