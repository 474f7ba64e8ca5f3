/* What the page of stave timeline has beside the picture: the findings of stave report, the violations of
 * stave check. */
#ifndef STAVE_CLI_TIMELINE_PANEL_H
#define STAVE_CLI_TIMELINE_PANEL_H

#include "cli/common/archive_job.h"
#include "cli/common/json.h"

/* Reads the archive twice. The findings are those of the interval, in ticks; the violations those that began
 * in it. NULL with one line in `error`; else the caller's to release (struct page_request). */
json_t *panel_read(const struct archive_job *job, uint64_t from, uint64_t to, char error[TRACE_ERROR_BYTES]);

#endif
