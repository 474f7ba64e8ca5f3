#include "report/scatter.h"

#include <math.h>

void scatter_add(struct scatter *scatter, double ticks) {
  double difference = ticks - scatter->last;
  if (scatter->count++ > 0)
    scatter->squares += difference * difference;
  scatter->sum += ticks;
  scatter->last = ticks;
}

bool scatter_share(const struct scatter *scatter, double *ret) {
  if (scatter->count < 2 || scatter->sum <= 0)
    return false;
  double variance = scatter->squares / (double)(scatter->count - 1) / 2;
  *ret = sqrt(variance * (double)scatter->count) / scatter->sum;
  return true;
}
