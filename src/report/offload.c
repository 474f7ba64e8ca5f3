/* Devices: data that are moved again and again, and kernels that are shorter than what it takes to start
 * them. */
#include <inttypes.h>

#include "report/analyser.h"
#include "report/finding.h"

enum { MANY_LAUNCHES = 10 };

/* In a team any thread could have gone on meanwhile. */
static double gain_of(const struct report *report, const struct report_offload *offload, double ticks) {
  return offload->is_in_team ? ticks / finding_team(report) : ticks;
}

static void find_moved_again(struct report *report, uint32_t region) {
  const struct report_offload *offload = report->regions[region].offload;
  struct finding_texts texts = {.report = report};
  double gain = gain_of(report, offload, (double)offload->again.sum);
  struct report_finding *finding = finding_add(report, CAUSE_TRANSFERS, region, gain);
  if (!finding)
    return;
  finding_scatter(finding, &offload->agains);
  finding_printf(finding->what, "%s moves the same data again and again", finding_label(&texts, region));
  if (!offload->is_timed)
    finding_printf(finding->evidence,
                   "%" PRIu64 " of its %" PRIu64 " transfers have the direction and the host's address of an "
                   "earlier one; the host was in those to the "
                   "device for %s (in the others it may have waited for kernels)",
                   offload->again.count, offload->transfers.count,
                   finding_time(&texts, (double)offload->again.sum));
  else
    finding_printf(
        finding->evidence,
        "%" PRIu64 " of its %" PRIu64
        " transfers have the direction and the host's address of an earlier one: %s of %s in which no kernel "
        "ran; its kernels took %s",
        offload->again.count, offload->transfers.count, finding_time(&texts, (double)offload->again.sum),
        finding_time(&texts, (double)offload->transfers.sum),
        finding_time(&texts, (double)offload->kernels.sum));
}

static void find_launches(struct report *report, uint32_t region) {
  const struct report_region *base = &report->regions[region];
  const struct report_offload *offload = base->offload;
  struct finding_texts texts = {.report = report};
  double rest = (double)base->inclusive - (double)offload->kernels.sum - (double)offload->transfers.sum;
  double count = (double)offload->kernels.count;
  if (!offload->is_timed || offload->kernels.count < MANY_LAUNCHES || rest < (double)offload->kernels.sum)
    return;
  double gain = gain_of(report, offload, rest * (1 - 1 / count));
  struct report_finding *finding = finding_add(report, CAUSE_LAUNCHES, region, gain);
  if (!finding)
    return;
  finding_printf(finding->what, "kernels of %s are shorter than what it takes to start them",
                 finding_label(&texts, region));
  finding_printf(finding->evidence,
                 "%" PRIu64
                 " kernels ran %s each on average; the host needed %s more for each, besides transfers",
                 offload->kernels.count, finding_time(&texts, spread_mean(&offload->kernels)),
                 finding_time(&texts, rest / count));
}

/* What has to be moved once could overlap with kernels at best. */
static void find_not_overlapped(struct report *report) {
  struct finding_texts texts = {.report = report};
  double kernels = 0, transfers = 0;
  uint32_t most = REPLAY_NONE;
  for (uint32_t i = 0; i < report->trace->location_count; i++) {
    const struct report_device *device = &report->devices[i];
    double sum = (double)(device->to.sum + device->from.sum);
    if (!device->is_timed)
      continue;
    kernels += (double)device->kernels.sum;
    if (sum > transfers) {
      transfers = sum;
      most = i;
    }
  }
  double gain = (double)report->moved_once < kernels ? (double)report->moved_once : kernels;
  struct report_finding *finding = finding_add(report, CAUSE_TRANSFERS, REPLAY_NONE, gain);
  if (!finding)
    return;
  finding->location = most;
  finding_printf(finding->what, "data are moved for %s while no kernel runs",
                 finding_time(&texts, (double)report->moved_once));
  finding_printf(finding->evidence, "kernels took %s; most transfers were on %s (%s)",
                 finding_time(&texts, kernels),
                 most == REPLAY_NONE ? "no stream" : report->trace->locations[most].name,
                 finding_time(&texts, transfers));
  finding_printf(finding->advice,
                 "overlap transfers with kernels: cut the data into parts, nowait and depend");
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    if (!report->regions[i].offload)
      continue;
    find_moved_again(report, i);
    find_launches(report, i);
  }
  find_not_overlapped(report);
}

const struct analyser offload_analyser = {.find = find};
