#include "report/stats/variation.h"

enum { MIN_INSTANCES = 8 };

static const double MAX_OF_IT = 0.9;

static void merge_pairs(struct variation *variation) {
  struct variation_bucket *buckets = variation->buckets;
  for (int i = 0; i < VARIATION_BUCKETS / 2; i++)
    buckets[i] = (struct variation_bucket){buckets[2 * i].ticks + buckets[2 * i + 1].ticks,
                                           buckets[2 * i].begin_ticks, buckets[2 * i + 1].end_ticks};
  for (int i = VARIATION_BUCKETS / 2; i < VARIATION_BUCKETS; i++)
    buckets[i] = (struct variation_bucket){0};
  variation->width *= 2;
}

void variation_add(struct variation *variation, double ticks, uint64_t begin_ticks, uint64_t end_ticks) {
  if (variation->width == 0)
    variation->width = 1;
  if (variation->count == VARIATION_BUCKETS * variation->width)
    merge_pairs(variation);
  struct variation_bucket *bucket = &variation->buckets[variation->count / variation->width];
  if (variation->count % variation->width == 0)
    bucket->begin_ticks = begin_ticks;
  bucket->ticks += ticks;
  bucket->end_ticks = end_ticks;
  variation->count++;
}

/* The shortest row of buckets from `*first` on that makes up `sum`; 0: none. */
static uint64_t shortest(const struct variation *variation, uint64_t used, double sum, uint64_t *first) {
  uint64_t begin = 0, best = 0;
  double inside = 0;
  for (uint64_t end = 0; end < used; end++) {
    inside += variation->buckets[end].ticks;
    while (begin < end && inside - variation->buckets[begin].ticks >= sum)
      inside -= variation->buckets[begin++].ticks;
    if (inside < sum || (best && end + 1 - begin >= best))
      continue;
    best = end + 1 - begin;
    *first = begin;
  }
  return best;
}

/* The row goes on at both ends with what is as costly. */
static uint64_t grow(const struct variation *variation, uint64_t used, uint64_t *first, uint64_t length) {
  const struct variation_bucket *buckets = variation->buckets;
  double inside = 0;
  for (uint64_t i = *first; i < *first + length; i++)
    inside += buckets[i].ticks;
  double least = inside / (double)length / 2;
  for (; *first + length < used && buckets[*first + length].ticks > least; length++)
    ;
  for (; *first > 0 && buckets[*first - 1].ticks > least; length++)
    --*first;
  return length;
}

bool variation_peak(const struct variation *variation, struct variation_peak *ret) {
  if (!variation || variation->count < MIN_INSTANCES)
    return false;
  uint64_t used = (variation->count + variation->width - 1) / variation->width, first = 0;
  double all = 0, inside = 0;
  for (uint64_t i = 0; i < used; i++)
    all += variation->buckets[i].ticks;
  uint64_t length = shortest(variation, used, MAX_OF_IT * all, &first);
  length = length ? grow(variation, used, &first, length) : 0;
  uint64_t last = (first + length) * variation->width;
  last = last < variation->count ? last : variation->count;
  uint64_t begin = first * variation->width + 1;
  if (all <= 0 || length == 0 || (last - begin + 1) * 2 > variation->count)
    return false;
  for (uint64_t i = first; i < first + length; i++)
    inside += variation->buckets[i].ticks;
  *ret = (struct variation_peak){begin,
                                 last,
                                 variation->count,
                                 variation->buckets[first].begin_ticks,
                                 variation->buckets[first + length - 1].end_ticks,
                                 inside / all};
  return true;
}
