/* Which threads may use the same processors. */
#include "report/collect/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { PROCESSORS_MAX = 1 << 20 };

static void use(struct account_masks *masks, size_t processor) {
  array_reserve_zeroed(&masks->used, &masks->used_bytes, processor + 1, 1);
  masks->processors += !masks->used[processor];
  masks->used[processor] = 1;
}

static void use_all(struct account_masks *masks, struct account_mask *mask) {
  for (const char *at = mask->text; *at;) {
    char *end;
    unsigned long first = strtoul(at, &end, 10), last = first;
    if (end == at)
      return;
    if (*end == '-')
      last = strtoul(end + 1, &end, 10);
    for (unsigned long i = first; i <= last && i < PROCESSORS_MAX; i++, mask->processors++)
      use(masks, i);
    at = *end ? end + 1 : end;
  }
}

size_t account_mask_add(struct account_masks *masks, const char *text) {
  for (size_t i = 0; i < masks->count; i++)
    if (strcmp(masks->masks[i].text, text) == 0) {
      masks->masks[i].threads++;
      return i;
    }
  struct account_mask *mask = array_add(&masks->masks, &masks->count, sizeof *mask);
  *mask = (struct account_mask){.text = text, .threads = 1};
  use_all(masks, mask);
  return masks->count - 1;
}

void account_masks_free(struct account_masks *masks) {
  free(masks->masks);
  free(masks->used);
  *masks = (struct account_masks){0};
}

double account_masks_excess(const struct account_masks *masks, double ticks) {
  double demand = 0, by_mask = 0, by_all = 0;
  size_t threads = 0;
  for (size_t i = 0; i < masks->count; i++) {
    const struct account_mask *mask = &masks->masks[i];
    demand += mask->demand;
    threads += mask->threads;
    if ((double)mask->threads > mask->processors && mask->demand > mask->processors * ticks)
      by_mask += mask->demand - mask->processors * ticks;
  }
  if ((double)threads > masks->processors && demand > masks->processors * ticks)
    by_all = demand - masks->processors * ticks;
  return by_mask > by_all ? by_mask : by_all;
}
