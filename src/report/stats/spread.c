#include "report/stats/spread.h"

void spread_add(struct spread *spread, uint64_t ticks) {
  spread->min = spread->count == 0 || ticks < spread->min ? ticks : spread->min;
  spread->max = ticks > spread->max ? ticks : spread->max;
  spread->sum += ticks;
  spread->count++;
}

void spread_merge(struct spread *spread, const struct spread *other) {
  if (other->count == 0)
    return;
  spread->min = spread->count == 0 || other->min < spread->min ? other->min : spread->min;
  spread->max = other->max > spread->max ? other->max : spread->max;
  spread->sum += other->sum;
  spread->count += other->count;
}

double spread_mean(const struct spread *spread) {
  return spread->count ? (double)spread->sum / (double)spread->count : 0;
}
