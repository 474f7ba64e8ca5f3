/* A scaling as text. */
#include "cli/report/scaling.h"

#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "trace/label.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Of the wall time: parts that lose less are left out. */
#define SHOWN_SHARE 0.01

enum { CELL_BYTES = 96, CELLS_MAX = TABLE_COLUMNS_MAX };

struct text_row {
  char texts[CELLS_MAX][CELL_BYTES];
  const char *cells[CELLS_MAX];
  size_t count;
};

static void add_text(struct text_row *row, const char *text) {
  snprintf(row->texts[row->count], CELL_BYTES, "%s", text);
  row->cells[row->count] = row->texts[row->count];
  row->count++;
}

static void add_number(struct text_row *row, const char *format, double value)
    __attribute__((format(printf, 2, 0)));

static void add_number(struct text_row *row, const char *format, double value) {
  if (isnan(value) || isinf(value))
    row->texts[row->count][0] = '\0';
  else
    snprintf(row->texts[row->count], CELL_BYTES, format, value);
  row->cells[row->count] = row->texts[row->count];
  row->count++;
}

static void add_share(struct text_row *row, double share) {
  add_number(row, "%.1f %%", 100 * share);
}

static void add_step(struct text_row *row, const struct scaling_step *step) {
  char text[SCALING_TEXT_BYTES];
  scaling_step_text(text, step);
  if (step->is_crowded)
    strcat(text, "*");
  add_text(row, text);
}

/* -- the run -- */

static void print_times(const struct scaling *scaling, const struct scaling_part *part) {
  struct table table;
  table_begin(&table);
  table_column(&table, "threads", TABLE_NUMBER);
  table_column(&table, "wall s", TABLE_NUMBER);
  table_column(&table, "speed-up", TABLE_NUMBER);
  table_column(&table, "efficiency", TABLE_NUMBER);
  table_column(&table, "runs", TABLE_NUMBER);
  table_column(&table, "from", TABLE_NUMBER);
  table_column(&table, "to", TABLE_NUMBER);
  for (size_t i = 0; i < scaling->step_count; i++) {
    const struct scaling_point *point = &part->points[i];
    struct text_row row = {.count = 0};
    add_step(&row, &scaling->steps[i]);
    add_number(&row, "%.6f", point->wall_s);
    add_number(&row, "%.2f", point->speedup);
    add_share(&row, point->efficiency);
    add_number(&row, "%.0f", (double)scaling->steps[i].run_count);
    add_number(&row, "%.6f", point->least_s);
    add_number(&row, "%.6f", point->most_s);
    table_row(&table, row.cells);
  }
  table_print(&table);
}

/* Of any step. */
static bool is_known(const struct scaling *scaling, const struct scaling_part *part,
                     enum scaling_factor factor) {
  for (size_t i = 0; i < scaling->step_count; i++)
    if (part->points[i].is_there && !isnan(part->points[i].factors[factor]))
      return true;
  return false;
}

static size_t known_factors(const struct scaling *scaling, const struct scaling_part *part,
                            enum scaling_factor ret[FACTOR_COUNT]) {
  size_t count = 0;
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    if (is_known(scaling, part, i))
      ret[count++] = i;
  return count;
}

/* A row a factor, a column a number of threads: the largest if there are too many. */
static void print_factors(const struct scaling *scaling, const struct scaling_part *part) {
  enum { STEPS_MAX = CELLS_MAX - 1 };
  enum scaling_factor factors[FACTOR_COUNT];
  char heads[STEPS_MAX][CELL_BYTES], step[SCALING_TEXT_BYTES];
  size_t count = known_factors(scaling, part, factors);
  size_t skipped = scaling->step_count > STEPS_MAX ? scaling->step_count - STEPS_MAX : 0;
  struct table table;
  table_begin(&table);
  table_column(&table, "factor", TABLE_NAME);
  for (size_t i = skipped; i < scaling->step_count; i++) {
    snprintf(heads[i - skipped], CELL_BYTES, "%.*s", CELL_BYTES - 1,
             scaling_step_text(step, &scaling->steps[i]));
    table_column(&table, heads[i - skipped], TABLE_NUMBER);
  }
  for (size_t i = 0; i <= count; i++) {
    struct text_row row = {.count = 0};
    bool is_part = i < count && factor_parent(factors[i]) != FACTOR_none;
    snprintf(row.texts[0], CELL_BYTES, "%s%s", is_part ? "  " : "",
             i < count ? factor_name(factors[i]) : "product");
    row.cells[row.count++] = row.texts[0];
    for (size_t j = skipped; j < scaling->step_count; j++)
      add_share(&row,
                i < count ? part->points[j].factors[factors[i]] : factors_product(part->points[j].factors));
    table_row(&table, row.cells);
  }
  table_print(&table);
}

/* Those that have lost most come first; what the largest runs do not have has lost nothing. */
static size_t shown_parts(const struct scaling *scaling) {
  double least_s = SHOWN_SHARE * scaling->parts[0].points[scaling->step_count - 1].wall_s;
  size_t count = 0;
  while (count + 1 < scaling->part_count && scaling->parts[count + 1].lost_s > least_s)
    count++;
  return count;
}

/* -- laws -- */

/* "0.0512 +- 0.0003". */
static void add_with_error(struct text_row *row, int digits, double value, double error) {
  snprintf(row->texts[row->count], CELL_BYTES, "%.*f +- %.*f", digits, value, digits, error);
  row->cells[row->count] = row->texts[row->count];
  row->count++;
}

static const char *part_label(char label[LABEL_BYTES], const struct scaling_part *part) {
  if (part->kind == SCALING_RUN)
    return "the run";
  return part->kind == SCALING_SERIAL ? "outside of parallel regions" : label_construct(label, part->name);
}

static void add_law(struct table *table, const struct scaling *scaling, const struct scaling_part *part,
                    const struct fit *fit) {
  char label[LABEL_BYTES];
  struct text_row row = {.count = 0};
  double interval, far = 2 * fit->most_threads;
  add_text(&row, part_label(label, part));
  add_text(&row, fit_law_name(fit->law));
  add_with_error(&row, 4, fit->serial, fit->serial_error);
  if (fit->law == FIT_UNIVERSAL)
    add_with_error(&row, 6, fit->coherence, fit->coherence_error);
  else
    add_text(&row, "");
  add_number(&row, "%.0f", scaling_useful_threads(fit));
  double seconds = scaling_predicted(scaling, fit, far, &interval);
  snprintf(row.texts[row.count], CELL_BYTES, "%.6f +- %.6f (%.0f)", seconds, interval, far);
  row.cells[row.count] = row.texts[row.count];
  row.count++;
  add_share(&row, fit->residual);
  table_row(table, row.cells);
}

static void print_refused(const struct fit *fit) {
  if (fit->state != FIT_DONE)
    prose_printf(0, "The run follows %s law: refused, %s.",
                 fit->law == FIT_AMDAHL ? "Amdahl's" : "the universal", fit_state_reason(fit->state));
}

/* Of the run both, of the first parts the better one. */
static bool is_shown(const struct scaling *scaling, size_t number, const struct fit *fit) {
  const struct scaling_part *part = &scaling->parts[number];
  return fit->state == FIT_DONE && (number == 0 || fit == scaling_best_fit(part));
}

static void print_laws(const struct scaling *scaling, size_t top) {
  struct table table;
  size_t rows = 0;
  table_begin(&table);
  table_column(&table, "part", TABLE_PLACE);
  table_column(&table, "law", TABLE_NAME);
  table_column(&table, "serial share", TABLE_NUMBER);
  table_column(&table, "coherence", TABLE_NUMBER);
  table_column(&table, "of use", TABLE_NUMBER);
  table_column(&table, "wall s (threads)", TABLE_NUMBER);
  table_column(&table, "off by", TABLE_NUMBER);
  for (size_t i = 0; i <= shown_parts(scaling) && i <= top; i++)
    for (enum fit_law law = 0; law < FIT_LAWS; law++)
      if (is_shown(scaling, i, &scaling->parts[i].fits[law])) {
        add_law(&table, scaling, &scaling->parts[i], &scaling->parts[i].fits[law]);
        rows++;
      }
  table_heading("Laws (standard errors; predicted with the interval of 95 %)");
  if (rows > 0)
    table_print(&table);
  for (enum fit_law law = 0; law < FIT_LAWS; law++)
    print_refused(&scaling->parts[0].fits[law]);
}

/* -- parts -- */

static void add_part(struct table *table, const struct scaling *scaling, const struct scaling_part *part) {
  char label[LABEL_BYTES], text[SCALING_TEXT_BYTES];
  const struct scaling_point *last = &part->points[part->last];
  struct text_row row = {.count = 0};
  add_text(&row, part_label(label, part));
  add_number(&row, "%.6f", part->lost_s);
  add_share(&row, part->lost_s / scaling->parts[0].points[scaling->step_count - 1].wall_s);
  add_number(&row, "%.2f", last->speedup);
  add_share(&row, last->efficiency);
  add_text(&row, part->stops == SCALING_NO_STEP ? "" : scaling_step_text(text, &scaling->steps[part->stops]));
  if (part->worst == FACTOR_none)
    add_text(&row, "");
  else {
    snprintf(row.texts[row.count], CELL_BYTES, "%s -%.0f %%", factor_name(part->worst),
             100 * part->worst_share);
    row.cells[row.count] = row.texts[row.count];
    row.count++;
  }
  add_number(&row, "%.6f", part->points[part->first].wall_s);
  add_number(&row, "%.6f", last->wall_s);
  table_row(table, row.cells);
}

static void print_parts(const struct scaling *scaling, size_t top) {
  struct table table;
  size_t count = shown_parts(scaling);
  if (count == 0)
    return;
  table_heading("Regions and loops, by the wall time that they lose with most threads");
  table_begin(&table);
  table_column(&table, "part", TABLE_PLACE);
  table_column(&table, "lost s", TABLE_NUMBER);
  table_column(&table, "of wall", TABLE_NUMBER);
  table_column(&table, "speed-up", TABLE_NUMBER);
  table_column(&table, "efficiency", TABLE_NUMBER);
  table_column(&table, "scales to", TABLE_NUMBER);
  table_column(&table, "by", TABLE_NAME);
  table_column(&table, "wall s with fewest", TABLE_NUMBER);
  table_column(&table, "with most", TABLE_NUMBER);
  for (size_t i = 1; i <= count && i <= top; i++)
    add_part(&table, scaling, &scaling->parts[i]);
  table_print_first(&table, count, top);
}

static void print_sentences(const struct scaling *scaling) {
  char text[SCALING_TEXT_BYTES];
  for (size_t i = 0; scaling_note(text, scaling, i);
       i++) /* first: the factors may not be the program's own */
    prose_printf(0, "Note: %s.", text);
  if (*scaling_limit_text(text, scaling, &scaling->parts[0]))
    prose_print(0, 0, text);
  if (*scaling_threads_text(text, scaling, &scaling->parts[0]))
    prose_print(0, 0, text);
  if (*scaling_predicted_text(text, scaling, &scaling->parts[0]))
    prose_print(0, 0, text);
}

void scaling_print_text(const struct scaling *scaling, size_t top) {
  printf("%s scaling, %zu runs\n\n", scaling->is_weak ? "Weak" : "Strong", scaling->run_count);
  print_times(scaling, &scaling->parts[0]);
  printf("\n");
  print_sentences(scaling);
  table_heading("Factors of the efficiency");
  print_factors(scaling, &scaling->parts[0]);
  print_parts(scaling, top);
  print_laws(scaling, top);
}
