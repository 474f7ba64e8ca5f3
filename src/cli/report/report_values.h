/* Pieces of what `stave report --json` prints, which are the same wherever they are: times in seconds, names.
 * What is returned is the caller's to release. */
#ifndef STAVE_CLI_REPORT_REPORT_VALUES_H
#define STAVE_CLI_REPORT_REPORT_VALUES_H

#include "cli/common/json.h"
#include "report/report.h"

json_t *report_seconds_json(const struct report *report, double ticks);
void report_put_seconds(json_t *object, const char *name, const struct report *report, double ticks);

/* Of times; and of what is no time. */
json_t *report_spread_json(const struct report *report, const struct spread *from);
json_t *report_range_json(const struct spread *from);

/* Seconds by activity; seconds by thread, of those that have some. */
json_t *report_activities_json(const struct report *report, const uint64_t *activity);
json_t *report_by_location_json(const struct report *report, const uint64_t *ticks);

/* Names of a thread and of a region; null: none. */
json_t *report_location_json(const struct report *report, uint32_t location);
json_t *report_region_json(const struct report *report, uint32_t region);

/* The function that a region is in. */
json_t *report_function_json(const struct trace_region *region);

/* Where a finding is. */
void report_put_place(json_t *object, const struct report *report, uint32_t region);

/* Where a function of MPI is called; null: not known, or none. */
json_t *report_call_site_json(const struct report *report, uint64_t site);

/* -- parts of the object -- */

/* Of regions that are requested. */
struct report_print;
json_t *report_regions_json(const struct report_print *print);

/* Streams of devices; and of devices as such how they were used. */
json_t *report_devices_json(const struct report *report);
json_t *report_device_use_json(const struct report *report);
json_t *report_offload_json(const struct report *report, const struct report_offload *offload);

/* What report_print_mpi prints, of each process; null without MPI. */
json_t *report_mpi_json(const struct report *report);

#endif
