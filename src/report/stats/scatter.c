#include "report/stats/scatter.h"

#include <math.h>
#include <stddef.h>

void scatter_add(struct scatter *scatter, double ticks) {
  scatter_add_beside(scatter, ticks, scatter->count > 0 ? &scatter->last : NULL);
}

void scatter_add_beside(struct scatter *scatter, double ticks, const double *neighbour) {
  double difference = neighbour ? ticks - *neighbour : 0;
  scatter->pairs += neighbour != NULL;
  scatter->squares += difference * difference;
  scatter->count++;
  scatter->sum += ticks;
  scatter->last = ticks;
}

bool scatter_share(const struct scatter *scatter, double *ret) {
  if (scatter->pairs == 0 || scatter->sum <= 0)
    return false;
  double variance = scatter->squares / (double)scatter->pairs / 2;
  *ret = sqrt(variance * (double)scatter->count) / scatter->sum;
  return true;
}
