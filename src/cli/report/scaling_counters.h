/* What processors have counted in parts of a run, from the object of `report --json`. */
#ifndef STAVE_CLI_REPORT_SCALING_COUNTERS_H
#define STAVE_CLI_REPORT_SCALING_COUNTERS_H

#include "cli/common/json.h"
#include "scaling/factors.h"

/* Adds to `ret` what was counted in all regions but those in which threads wait, who execute instructions,
 * too; in the region of this name. What was not counted becomes NAN. */
void scaling_count_run(struct computation *ret, const json_t *report);
void scaling_count_region(struct computation *ret, const json_t *report, const char *name);

#endif
