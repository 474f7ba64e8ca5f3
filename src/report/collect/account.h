/* What became of the threads' time, from what the kernel reported of it some ten times a second. */
#ifndef STAVE_REPORT_COLLECT_ACCOUNT_H
#define STAVE_REPORT_COLLECT_ACCOUNT_H

#include "report/collect/account_lines.h"
#include "report/report.h"

/* The processors that threads may use ("0-3,8"), and who has the same. */
struct account_mask {
  const char *text;
  size_t threads; /* that have it */
  double processors;
  double demand; /* in this interval: by its threads, that ran or were preempted */
};

struct account_masks {
  struct account_mask *masks;
  size_t count;
  unsigned char *used; /* by processor: somebody may use it */
  size_t used_bytes;
  double processors; /* that anybody may use */
};

/* The number of a mask, of which there is one more thread. */
size_t account_mask_add(struct account_masks *masks, const char *text);
void account_masks_free(struct account_masks *masks);

/* By how much the threads demanded more in `ticks` than there is, of those that may use the same and of
 * all. */
double account_masks_excess(const struct account_masks *masks, double ticks);

/* Fills report->account, where the archive has it. */
void account_find(struct report *report, const struct account_lines *lines);

/* Whether threads share fewer processors than the machine has. */
bool account_is_bound(const struct report_account *account);

#endif
