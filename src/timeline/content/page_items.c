#include "timeline/content/page_items.h"

#include "base/integer.h"
#include "timeline/content/page_form.h"

_Static_assert(ACTIVITY_COUNT <= 1 << PAGE_BITS(slice, activity), "an activity has room");

static uint64_t span_ns(const struct trace *trace, float ticks) {
  return trace_span_ns(trace, integer_truncate((double)ticks));
}

static unsigned mask_of(const struct mix *mix) {
  unsigned mask = 0;
  for (int i = 0; i < ACTIVITY_COUNT; i++)
    if (mix->ticks[i] > 0)
      mask |= 1u << i;
  return mask;
}

uint64_t page_put_mix(struct bytes *bytes, const struct trace *trace, const struct mix *mix, uint64_t last) {
  uint64_t begin = trace_ns(trace, mix->begin), end = trace_ns(trace, mix->end);
  unsigned mask = mask_of(mix);
  bool is_pure = (mask & (mask - 1)) == 0;
  struct page_activity_head head = {!is_pure, mask};
  if (is_pure)
    head.kinds = mask ? (unsigned)__builtin_ctz(mask) : 0;
  page_put_activity(bytes, &(struct page_activity){begin - last, page_activity_head(&head), end - begin});
  for (int i = 0; !is_pure && i < ACTIVITY_COUNT; i++)
    if (mask >> i & 1)
      bytes_number(bytes, span_ns(trace, mix->ticks[i]));
  return end;
}

static void put_attributes(struct bytes *bytes, const uint64_t *words) {
  page_put_attributes(bytes, &(struct page_attributes){words[0]});
  for (uint64_t i = 1; i <= 2 * words[0]; i++)
    bytes_number(bytes, words[i]);
}

uint64_t page_put_region(struct bytes *bytes, const struct trace *trace, const struct slice *slice,
                         uint32_t region, const uint64_t *attributes, uint64_t last) {
  struct page_times times = page_times(last, trace_ns(trace, slice->begin), trace_ns(trace, slice->end));
  const struct page_slice_head head = {.is_merged = slice->count > 1,
                                       .has_attributes = attributes != NULL,
                                       .activity = slice->activity,
                                       .region = region};
  page_put_slice(bytes, &(struct page_slice){times.since, times.length, page_slice_head(&head)});
  if (head.is_merged)
    page_put_merged_slice(bytes, &(struct page_merged_slice){slice->count, span_ns(trace, slice->busy),
                                                             span_ns(trace, slice->longest)});
  if (head.has_attributes)
    put_attributes(bytes, attributes);
  return times.end;
}
