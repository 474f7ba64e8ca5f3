/* A comparison in a few lines, and in Markdown: the wall time first, then what has changed most. */
#include "cli/report/compare.h"

#include "cli/common/markdown.h"
#include "cli/common/prose.h"
#include "trace/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BRIEF_ROWS = 8, SHORT_BYTES = 48 };

static bool is_wall(const struct compare_row *row) {
  return row->kind == COMPARE_RUN && strcmp(row->name, "wall") == 0;
}

/* Rows of which nothing can be known for lack of runs are as good as changed. */
static bool is_worth_a_line(const struct compare *compare, const struct compare_row *row) {
  return !is_wall(row) && row->new_median != row->old_median &&
         compare_verdict(compare, row) != COMPARE_NOISE;
}

static const char *seconds(char text[SHORT_BYTES], double value) {
  if (value >= 1)
    snprintf(text, SHORT_BYTES, "%.3f s", value);
  else if (value >= 1e-3)
    snprintf(text, SHORT_BYTES, "%.3f ms", value * 1e3);
  else
    snprintf(text, SHORT_BYTES, "%.3f us", value * 1e6);
  return text;
}

/* "+10.0 %"; of what was not there: "new". */
static const char *change(char text[SHORT_BYTES], const struct compare_row *row) {
  double difference = row->new_median - row->old_median;
  if (row->old_median > 0)
    snprintf(text, SHORT_BYTES, "%+.1f %%", round(1000 * difference / row->old_median) / 10 + 0);
  else
    snprintf(text, SHORT_BYTES, "%s", difference > 0 ? "new" : "+0.0 %");
  return text;
}

static const char *verdict(char text[SHORT_BYTES], const struct compare *compare,
                           const struct compare_row *row) {
  const char *name = compare_verdict_name(compare_verdict(compare, row));
  if (compare_verdict(compare, row) == COMPARE_UNKNOWN)
    snprintf(text, SHORT_BYTES, "%s", name);
  else
    snprintf(text, SHORT_BYTES, "%s (p %.3f)", name, row->p);
  return text;
}

/* -- text -- */

static void print_line(const struct compare *compare, const struct compare_row *row) {
  char line[512], label[LABEL_BYTES], old[SHORT_BYTES], new[SHORT_BYTES], by[SHORT_BYTES], sure[SHORT_BYTES];
  snprintf(line, sizeof line, "%s %s: %s -> %s, %s: %s", compare_kind_name(row->kind),
           label_construct(label, row->name), seconds(old, row->old_median), seconds(new, row->new_median),
           change(by, row), verdict(sure, compare, row));
  prose_print_within(SIZE_MAX, 0, 0, line);
}

/* Of each kind of row by itself: what changed most comes first. */
static size_t for_changed(const struct compare *compare, size_t most,
                          void (*print)(const struct compare *, const struct compare_row *)) {
  size_t count = 0;
  for (size_t i = 0; i < compare->row_count; i++)
    if (is_wall(&compare->rows[i]))
      print(compare, &compare->rows[i]);
  for (size_t i = 0; i < compare->row_count; i++)
    if (is_worth_a_line(compare, &compare->rows[i]) && count++ < most)
      print(compare, &compare->rows[i]);
  return count;
}

void compare_print_brief(const struct compare *compare) {
  char noise[COMPARE_NOISE_BYTES], busy[COMPARE_BUSY_BYTES];
  if (compare_busy_text(busy, compare))
    prose_print_within(SIZE_MAX, 0, 0, busy);
  size_t count = for_changed(compare, BRIEF_ROWS, print_line);
  if (count > BRIEF_ROWS)
    printf("%zu more have changed\n", count - BRIEF_ROWS);
  printf("runs: %zu old, %zu new; %s\n", compare->old_count, compare->count - compare->old_count,
         compare_noise_text(noise, compare));
}

/* -- Markdown -- */

static void print_markdown_row(const struct compare *compare, const struct compare_row *row) {
  char label[LABEL_BYTES], old[SHORT_BYTES], new[SHORT_BYTES], by[SHORT_BYTES], sure[SHORT_BYTES];
  printf("| %s | ", compare_kind_name(row->kind));
  markdown_print_code(label_construct(label, row->name));
  printf(" | %s | %s | %s | %s |\n", seconds(old, row->old_median), seconds(new, row->new_median),
         change(by, row), verdict(sure, compare, row));
}

static void print_markdown_heading(const struct compare *compare) {
  for (size_t i = 0; i < compare->row_count; i++) {
    const struct compare_row *row = &compare->rows[i];
    char old[SHORT_BYTES], new[SHORT_BYTES], by[SHORT_BYTES], sure[SHORT_BYTES];
    if (is_wall(row))
      printf("### Wall time %s -> %s, %s: %s\n\n", seconds(old, row->old_median),
             seconds(new, row->new_median), change(by, row), verdict(sure, compare, row));
  }
}

void compare_print_markdown(const struct compare *compare, size_t top) {
  char noise[COMPARE_NOISE_BYTES], busy[COMPARE_BUSY_BYTES];
  print_markdown_heading(compare);
  if (compare_busy_text(busy, compare)) {
    markdown_print(busy);
    printf("\n\n");
  }
  printf("| of | what | old | new | change | verdict |\n|---|---|---:|---:|---:|---|\n");
  size_t count = for_changed(compare, top, print_markdown_row);
  if (count > top)
    printf("\n%zu more have changed.\n", count - top);
  printf("\nRuns: %zu old, %zu new; ", compare->old_count, compare->count - compare->old_count);
  markdown_print(compare_noise_text(noise, compare));
  putchar('\n');
}
