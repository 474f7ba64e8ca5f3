/* `stave report` for people: devices, what they computed, and how long threads waited for them. */
#include "cli/report/report_print.h"

#include "cli/common/prose.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "report/text.h"
#include "trace/label.h"

#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_BYTES = 32 };

static double ratio(double part, double total) {
  return total > 0 ? part / total : 0;
}

/* -- streams -- */

static void device_row(struct table *table, const struct report *report, size_t index) {
  const struct report_device *device = &report->devices[index];
  const struct trace *trace = report->trace;
  double per_second = (double)trace->clock.ticks_per_second;
  char to[NUMBER_BYTES], from[NUMBER_BYTES], to_rate[NUMBER_BYTES], from_rate[NUMBER_BYTES],
      kernels[NUMBER_BYTES], kernel_time[TEXT_TIME_BYTES], transfer_time[TEXT_TIME_BYTES],
      idle[TEXT_TIME_BYTES], waited[TEXT_TIME_BYTES];
  snprintf(to_rate, sizeof to_rate, "%.3f",
           ratio((double)device->to_bytes * per_second / 1e9, (double)device->to.sum));
  snprintf(from_rate, sizeof from_rate, "%.3f",
           ratio((double)device->from_bytes * per_second / 1e9, (double)device->from.sum));
  const char *const cells[] = {trace->locations[index].name,
                               summary_number(to, device->to_bytes),
                               to_rate,
                               summary_number(from, device->from_bytes),
                               from_rate,
                               text_time(transfer_time, trace, (double)(device->to.sum + device->from.sum)),
                               summary_number(kernels, device->kernels.count),
                               text_time(kernel_time, trace, (double)device->kernels.sum),
                               text_time(idle, trace, (double)report->threads[index].activity[ACTIVITY_IDLE]),
                               device->waited ? text_time(waited, trace, (double)device->waited) : ""};
  table_row(table, cells);
}

static bool is_used(const struct report_device *device) {
  return device->to.count + device->from.count + device->kernels.count + device->others.count > 0;
}

/* The host's times: no rates, since what it waits for in a transfer may be a kernel before that. */
static void untimed_row(struct table *table, const struct report *report, size_t index) {
  const struct report_device *device = &report->devices[index];
  char to[NUMBER_BYTES], from[NUMBER_BYTES], kernels[NUMBER_BYTES], sent[TEXT_TIME_BYTES],
      back[TEXT_TIME_BYTES], submission[TEXT_TIME_BYTES];
  const char *const cells[] = {report->trace->locations[index].name,
                               summary_number(to, device->to_bytes),
                               text_time(sent, report->trace, (double)device->to.sum),
                               summary_number(from, device->from_bytes),
                               text_time(back, report->trace, (double)device->from.sum),
                               summary_number(kernels, device->kernels.count),
                               text_time(submission, report->trace, (double)device->kernels.sum)};
  table_row(table, cells);
}

/* Those whose times are the device's, or the others. */
static void print_streams(const struct report *report, bool are_timed, const char *heading,
                          const char *const *columns,
                          void (*row)(struct table *table, const struct report *report, size_t index)) {
  struct table table;
  size_t used = 0;
  for (size_t i = 0; i < report->trace->location_count; i++)
    used += is_used(&report->devices[i]) && report->devices[i].is_timed == are_timed;
  if (used == 0)
    return;
  table_heading(heading);
  table_begin(&table);
  table_column(&table, "stream", TABLE_TEXT);
  for (; *columns; columns++)
    table_column(&table, *columns, TABLE_NUMBER);
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (is_used(&report->devices[i]) && report->devices[i].is_timed == are_timed)
      row(&table, report, i);
  table_print(&table);
  if (!are_timed)
    prose_printf(2,
                 "what the devices did themselves, and when, was not recorded: these are the host's calls, "
                 "and until data "
                 "are back it may wait for kernels");
}

static void print_all_streams(const struct report *report) {
  static const char *const timed[] = {"bytes to", "GB/s",       "bytes from", "GB/s",        "transfers",
                                      "kernels",  "their time", "idle",       "for streams", NULL};
  static const char *const untimed[] = {"bytes to",  "until sent", "bytes from", "until back",
                                        "submitted", "submission", NULL};
  print_streams(report, true, "Devices", timed, device_row);
  print_streams(report, false, "Devices, as the host saw them", untimed, untimed_row);
}

/* -- entire devices -- */

enum { USE_PARTS = 6 };

static void use_row(struct table *table, const struct report *report, size_t index) {
  const struct report_accelerator *device = &report->device_use.accelerators[index];
  double all = (double)(device->last_ticks - device->first_ticks);
  const uint64_t parts[USE_PARTS] = {device->computing, device->copying, device->kernels_wait,
                                     device->both,      device->late,    device->idle};
  char length[TEXT_TIME_BYTES], shares[USE_PARTS][TEXT_TIME_BYTES];
  const char *cells[2 + USE_PARTS] = {report->trace->location_groups[index].name,
                                      text_time(length, report->trace, all)};
  for (int i = 0; i < USE_PARTS; i++)
    cells[i + 2] = text_percent(shares[i], ratio((double)parts[i], all));
  table_row(table, cells);
}

static void gap_row(struct table *table, const struct report *report, const struct report_accelerator *device,
                    const struct report_device_gap *gap) {
  char label[LABEL_BYTES], place[LABEL_BYTES + 32], time[TEXT_TIME_BYTES], share[TEXT_TIME_BYTES];
  uint32_t region = gap->region == REPLAY_NONE ? gap->last : gap->region;
  const char *name = region == REPLAY_NONE ? "the program" : label_region(label, report->trace, region);
  snprintf(place, sizeof place, "%s%s", gap->region == REPLAY_NONE && region != REPLAY_NONE ? "after " : "",
           name);
  const char *const cells[] = {report->trace->location_groups[device - report->device_use.accelerators].name,
                               place, text_time(time, report->trace, (double)gap->ticks),
                               text_percent(share, ratio((double)gap->ticks, (double)device->idle))};
  table_row(table, cells);
}

static void print_gaps(const struct report_print *print) {
  const struct report *report = print->report;
  const struct report_accelerator *devices = report->device_use.accelerators;
  struct table table;
  size_t all = 0;
  for (size_t i = 0; i < report->trace->location_group_count; i++)
    all += devices[i].gap_count;
  if (all == 0)
    return;
  table_heading("Nothing submitted to devices: where the host was");
  table_begin(&table);
  table_column(&table, "device", TABLE_TEXT);
  table_column(&table, "host", TABLE_TEXT);
  table_column(&table, "time", TABLE_NUMBER);
  table_column(&table, "share", TABLE_NUMBER);
  for (size_t i = 0; i < report->trace->location_group_count; i++)
    for (size_t j = 0; j < devices[i].gap_count && j < print->top; j++)
      gap_row(&table, report, &devices[i], &devices[i].gaps[j]);
  table_print_first(&table, all, print->top);
}

/* From the first operation to the last. */
static void print_use(const struct report_print *print) {
  static const char *const columns[1 + USE_PARTS] = {"in use", "computing",   "copying",      "kernels wait",
                                                     "both",   "not started", "nothing to do"};
  const struct report *report = print->report;
  const struct report_accelerator *devices = report->device_use.accelerators;
  struct table table;
  size_t used = 0;
  for (size_t i = 0; devices && i < report->trace->location_group_count; i++)
    used += devices[i].is_used;
  if (used == 0)
    return;
  table_heading("Use of devices");
  table_begin(&table);
  table_column(&table, "device", TABLE_TEXT);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    table_column(&table, columns[i], TABLE_NUMBER);
  for (size_t i = 0; i < report->trace->location_group_count; i++)
    if (devices[i].is_used)
      use_row(&table, report, i);
  table_print(&table);
  print_gaps(print);
}

static void print_start(const struct report *report) {
  const struct report_device_use *use = &report->device_use;
  char time[TEXT_TIME_BYTES];
  if (use->start_end > use->start_begin)
    prose_printf(2,
                 "from the first target construct or call for devices to the first operation: %s, once a run",
                 text_time(time, report->trace, (double)(use->start_end - use->start_begin)));
}

static bool are_submissions(const struct report *report) {
  for (size_t i = 0; i < report->trace->location_count; i++)
    if (report->devices[i].kernels.count > 0 && report->devices[i].is_timed)
      return false;
  return true;
}

/* -- kernels, and calls of the libraries for devices -- */

static bool is_kernel(const struct report_region *base) {
  return base->kernels.count > 0;
}

static double kernel_weight(const struct report_region *base) {
  return (double)base->kernels.sum;
}

static void kernel_row(struct table *table, const struct report *report, uint32_t region) {
  const struct spread *kernels = &report->regions[region].kernels;
  char label[LABEL_BYTES], count[NUMBER_BYTES], all[TEXT_TIME_BYTES], mean[TEXT_TIME_BYTES],
      longest[TEXT_TIME_BYTES];
  const char *const cells[] = {label_region(label, report->trace, region),
                               summary_number(count, kernels->count),
                               text_time(all, report->trace, (double)kernels->sum),
                               text_time(mean, report->trace, spread_mean(kernels)),
                               text_time(longest, report->trace, (double)kernels->max)};
  table_row(table, cells);
}

static bool is_call(const struct report_region *base) {
  return base->is_device_call && !base->is_on_device && base->visits > 0;
}

static double call_weight(const struct report_region *base) {
  return (double)base->inclusive;
}

static void call_row(struct table *table, const struct report *report, uint32_t region) {
  const struct report_region *base = &report->regions[region];
  char label[LABEL_BYTES], count[NUMBER_BYTES], all[TEXT_TIME_BYTES], mean[TEXT_TIME_BYTES],
      wait[TEXT_TIME_BYTES];
  const char *const cells[] = {
      label_region(label, report->trace, region), summary_number(count, base->visits),
      text_time(all, report->trace, (double)base->inclusive),
      text_time(mean, report->trace, ratio((double)base->inclusive, (double)base->visits)),
      base->wait > 0 ? text_time(wait, report->trace, (double)base->wait) : ""};
  table_row(table, cells);
}

static bool is_copying(const struct report_region *base) {
  return base->offload && base->offload->is_timed &&
         base->offload->copies[COPIES_TO].time.count + base->offload->copies[COPIES_FROM].time.count > 0;
}

static double copying_weight(const struct report_region *base) {
  return (double)(base->offload->copies[COPIES_TO].time.sum + base->offload->copies[COPIES_FROM].time.sum);
}

static void copying_row(struct table *table, const struct report *report, uint32_t region) {
  const struct report_copies *copies = report->regions[region].offload->copies;
  double per_second = (double)report->trace->clock.ticks_per_second, bytes = 0, pageable = 0;
  char label[LABEL_BYTES], sizes[2][NUMBER_BYTES], rates[2][NUMBER_BYTES], share[TEXT_TIME_BYTES];
  for (int i = 0; i < COPIES_DIRECTIONS; i++) {
    summary_number(sizes[i], copies[i].bytes);
    snprintf(rates[i], sizeof rates[i], "%.3f",
             ratio((double)copies[i].bytes * per_second / 1e9, (double)copies[i].time.sum));
    bytes += (double)copies[i].bytes;
    pageable += (double)copies[i].pageable_bytes;
  }
  const char *const cells[] = {
      label_region(label, report->trace, region),          sizes[COPIES_TO],
      copies[COPIES_TO].bytes ? rates[COPIES_TO] : "",     sizes[COPIES_FROM],
      copies[COPIES_FROM].bytes ? rates[COPIES_FROM] : "", text_percent(share, ratio(pageable, bytes))};
  table_row(table, cells);
}

static void print_regions(const struct report_print *print, const char *heading,
                          bool (*is_in)(const struct report_region *),
                          double (*weight)(const struct report_region *),
                          void (*row)(struct table *table, const struct report *report, uint32_t region),
                          const char *const *columns) {
  uint32_t *order;
  struct table table;
  size_t count = report_print_order(print, is_in, weight, &order);
  if (count > 0) {
    table_heading(heading);
    table_begin(&table);
    for (int i = 0; columns[i]; i++)
      table_column(&table, columns[i], i ? TABLE_NUMBER : TABLE_TEXT);
    for (size_t i = 0; i < count && i < print->top; i++)
      row(&table, print->report, order[i]);
    table_print_first(&table, count, print->top);
  }
  free(order);
}

void report_print_devices(const struct report_print *print) {
  static const char *const kernels[] = {"kernel", "times", "time", "mean", "longest", NULL};
  static const char *const submissions[] = {"kernel", "submitted", "time", "mean", "longest", NULL};
  static const char *const calls[] = {"call", "entered", "time", "each", "waiting for devices", NULL};
  static const char *const copies[] = {"construct", "bytes to",           "GB/s", "bytes from",
                                       "GB/s",      "of pageable memory", NULL};
  const struct report *report = print->report;
  char all[TEXT_TIME_BYTES], wait[TEXT_TIME_BYTES];
  print_use(print);
  print_start(report);
  print_all_streams(report);
  if (are_submissions(report))
    print_regions(print, "Submissions of kernels", is_kernel, kernel_weight, kernel_row, submissions);
  else
    print_regions(print, "Kernels", is_kernel, kernel_weight, kernel_row, kernels);
  print_regions(print, "Copies by construct", is_copying, copying_weight, copying_row, copies);
  print_regions(print, "Calls of libraries for devices, by the host", is_call, call_weight, call_row, calls);
  char busy[TEXT_TIME_BYTES];
  uint64_t waited = report->device_use.waited;
  if (report->activity[ACTIVITY_DEVICE] > 0)
    prose_printf(2, "threads were in %s for %s%s%s%s%s",
                 report->has_openmp ? "target constructs and calls for devices" : "calls for devices",
                 text_time(all, report->trace, (double)report->activity[ACTIVITY_DEVICE]),
                 waited ? ", while a device was busy for " : "",
                 waited ? text_time(busy, report->trace, (double)waited) : "",
                 report->device_wait ? ", in which they waited for devices for at least " : "",
                 report->device_wait ? text_time(wait, report->trace, (double)report->device_wait) : "");
}
