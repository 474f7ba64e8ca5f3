/* The critical path, by the replay's links. */
#include <stdlib.h>

#include "base/memory.h"
#include "replay/critical_path.h"
#include "tables/tabulate.h"

enum { LINKS_MAX = 1 << 18 };

void tabulate_path_open(struct tabulator *tabulator) {
  if (!tabulator->writer->is_requested[TABLE_critical_path])
    return;
  tabulator->path = memory_get(1, sizeof *tabulator->path);
  critical_path_begin(tabulator->path, tabulator->trace, LINKS_MAX, 0, UINT64_MAX);
}

void tabulate_path_interval(struct tabulator *tabulator, const struct replay_interval *interval) {
  if (tabulator->path)
    critical_path_interval(tabulator->path, interval);
}

void tabulate_path_link(struct tabulator *tabulator, const struct replay_link *link) {
  if (tabulator->path)
    critical_path_link(tabulator->path, link);
}

void tabulate_path_event(struct tabulator *tabulator, const struct trace_event *event) {
  if (tabulator->path)
    critical_path_event(tabulator->path, event);
}

static const char *cause_name(enum replay_link_kind cause) {
#define LINK(id, name, text) [REPLAY_LINK_##id] = (name),
  static const char *const names[] = {
#include "replay/links.def"
  };
  return names[cause];
}

static void write_segment(struct tabulator *tabulator, size_t step, const struct critical_segment *segment) {
  ROW(critical_path);
  critical_path[COLUMN_critical_path_run] = tabulate_run(tabulator);
  critical_path[COLUMN_critical_path_step] = cell_number(step);
  critical_path[COLUMN_critical_path_thread] = tabulate_id(tabulator, TABLE_threads, segment->location);
  critical_path[COLUMN_critical_path_cause] = cell_text(cause_name(segment->cause));
  critical_path[COLUMN_critical_path_begin_ns] = tabulate_ns(tabulator, segment->begin);
  critical_path[COLUMN_critical_path_end_ns] = tabulate_ns(tabulator, segment->end);
  row_write(tabulator->writer, TABLE_critical_path, critical_path);
}

void tabulate_path_finish(struct tabulator *tabulator) {
  if (!tabulator->path)
    return;
  struct critical_path *path = tabulator->path;
  critical_path_finish(path);
  for (size_t i = 0; i < path->count; i++)
    write_segment(tabulator, i + 1, &path->segments[i]);
}

void tabulate_path_close(struct tabulator *tabulator) {
  if (!tabulator->path)
    return;
  critical_path_free(tabulator->path);
  free(tabulator->path);
}
