#include "cli/report/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double rank_median(const double *values, size_t count) {
  double sorted[RANK_VALUES_MAX];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, ascending);
  return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* Twice the mean rank, an integer also of ties. */
static size_t doubled_rank(const double *values, size_t count, size_t index) {
  size_t rank = 1;
  for (size_t i = 0; i < count; i++)
    rank += values[i] < values[index] ? 2 : values[i] == values[index];
  return rank;
}

/* choices[k * (most + 1) + s]: how many choices of k values have ranks of the sum s. */
static double *count_choices(const double *values, size_t chosen, size_t count, size_t most) {
  double *choices = memory_get((chosen + 1) * (most + 1), sizeof *choices);
  choices[0] = 1;
  for (size_t i = 0; i < count; i++) {
    size_t rank = doubled_rank(values, count, i);
    for (size_t k = chosen; k > 0; k--)
      for (size_t s = rank; s <= most; s++)
        choices[k * (most + 1) + s] += choices[(k - 1) * (most + 1) + s - rank];
  }
  return choices;
}

static size_t distance(size_t a, size_t b) {
  return a > b ? a - b : b - a;
}

double rank_test(const double *values, size_t old_count, size_t count) {
  size_t most = count * (count + 1), expected = old_count * (count + 1), seen = 0;
  double *choices = count_choices(values, old_count, count, most), all = 0, extreme = 0;
  for (size_t i = 0; i < old_count; i++)
    seen += doubled_rank(values, count, i);
  for (size_t s = 0; s <= most; s++) {
    double number = choices[old_count * (most + 1) + s];
    all += number;
    extreme += distance(s, expected) >= distance(seen, expected) ? number : 0;
  }
  free(choices);
  return extreme / all;
}
