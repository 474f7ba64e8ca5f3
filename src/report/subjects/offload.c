/* Devices: data that are moved again and again, and kernels that are shorter than their start. */
#include <inttypes.h>
#include <string.h>

#include "report/collect/analyser.h"
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
  if (offload->needless)
    finding_append(finding->evidence,
                   "; %" PRIu64 " of them brought back what nothing on the device can have changed since the "
                   "last time",
                   offload->needless);
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

/* -- kernels that no target construct starts -- */

/* The calls that start kernels. */
static double launch_cost(const struct report *report) {
  double all = 0, count = 0;
  for (uint32_t i = 0; i < report->trace->region_count; i++)
    if (report->regions[i].is_device_call && strstr(report->trace->regions[i].name, "Launch")) {
      all += (double)report->regions[i].inclusive;
      count += (double)report->regions[i].visits;
    }
  return count > 0 ? all / count : 0;
}

/* The thread that starts them keeps them from following each other: at most as long as the devices had
 * nothing that ran. */
static double most_idle(const struct report *report) {
  const struct report_accelerator *devices = report->device_use.accelerators;
  double idle = 0;
  for (size_t i = 0; devices && i < report->trace->location_group_count; i++)
    idle += (double)(devices[i].idle + devices[i].late);
  return idle;
}

static void find_small_kernels(struct report *report) {
  double cost = launch_cost(report), idle = most_idle(report);
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    const struct report_region *base = &report->regions[i];
    struct finding_texts texts = {.report = report};
    double mean = spread_mean(&base->kernels), count = (double)base->kernels.count;
    bool is_of_construct = construct_of_region(&report->trace->regions[i]) == CONSTRUCT_target_kernel;
    if (!base->is_on_device || is_of_construct || base->kernels.count < MANY_LAUNCHES || mean >= cost)
      continue;
    double gain = cost * (count - 1);
    struct report_finding *finding = finding_add(report, CAUSE_LAUNCHES, i, gain < idle ? gain : idle);
    if (!finding)
      continue;
    finding_printf(finding->what, "kernels %s are shorter than what it takes to start them",
                   finding_label(&texts, i));
    finding_printf(finding->evidence,
                   "%" PRIu64 " kernels ran %s each on average; a call that starts one took %s",
                   base->kernels.count, finding_time(&texts, mean), finding_time(&texts, cost));
    finding_printf(finding->advice,
                   "more work in a kernel, several kernels as one graph (cudaGraphLaunch), or the "
                   "host for what is so small");
  }
}

/* -- copies and kernels side by side -- */

struct copying {
  double kernels, most, all, pageable; /* ticks; most: of a stream's copies; bytes */
  uint32_t stream;                     /* which has most copies; REPLAY_NONE: there are none */
  size_t streams;                      /* that did anything */
};

static struct copying add_up(const struct report *report) {
  struct copying sums = {.stream = REPLAY_NONE};
  for (uint32_t i = 0; i < report->trace->location_count; i++) {
    const struct report_device *device = &report->devices[i];
    double sum = (double)(device->to.sum + device->from.sum);
    if (!device->is_timed)
      continue;
    sums.streams += sum + (double)device->kernels.sum > 0;
    sums.kernels += (double)device->kernels.sum;
    sums.all += (double)(device->to_bytes + device->from_bytes);
    sums.pageable += (double)device->pageable_bytes;
    if (sum > sums.most) {
      sums.most = sum;
      sums.stream = i;
    }
  }
  return sums;
}

/* What keeps them apart. */
static void explain_copying(struct report_finding *finding, const struct copying *sums) {
  if (sums->streams == 1)
    finding_append(finding->evidence, "; all of it was on one stream, where nothing overlaps");
  if (sums->all > 0 && sums->pageable > 0)
    finding_append(finding->evidence,
                   "; %.0f %% of the bytes were copied from or to pageable memory of the host, for which the "
                   "calling thread waits",
                   100 * sums->pageable / sums->all);
}

static const char *overlap_advice(const struct copying *sums) {
  return sums->pageable > sums->all / 2
             ? "overlap transfers with kernels: pinned memory (omp_alloc with the trait pinned, "
               "cudaMallocHost), "
               "the data in parts, and streams or nowait and depend"
             : "overlap transfers with kernels: cut the data into parts, nowait and depend";
}

/* What has to be moved once could overlap with kernels at best. */
static void find_not_overlapped(struct report *report) {
  struct finding_texts texts = {.report = report};
  const struct copying sums = add_up(report);
  double gain = (double)report->moved_once < sums.kernels ? (double)report->moved_once : sums.kernels;
  struct report_finding *finding = finding_add(report, CAUSE_TRANSFERS, REPLAY_NONE, gain);
  if (!finding)
    return;
  finding->location = sums.stream;
  finding_printf(finding->what, "data are moved for %s while no kernel runs",
                 finding_time(&texts, (double)report->moved_once));
  finding_printf(finding->evidence, "kernels took %s; most transfers were on %s (%s)",
                 finding_time(&texts, sums.kernels),
                 sums.stream == REPLAY_NONE ? "no stream" : report->trace->locations[sums.stream].name,
                 finding_time(&texts, sums.most));
  explain_copying(finding, &sums);
  finding_printf(finding->advice, "%s", overlap_advice(&sums));
}

static void find(struct collector *collector) {
  struct report *report = collector->report;
  for (uint32_t i = 0; i < report->trace->region_count; i++) {
    if (!report->regions[i].offload)
      continue;
    find_moved_again(report, i);
    find_launches(report, i);
  }
  find_small_kernels(report);
  find_not_overlapped(report);
}

const struct analyser offload_analyser = {.find = find};
