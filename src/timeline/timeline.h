/* What a timeline shows of a trace, read in one pass, in memory that does not grow with the trace: what is
 * short is merged with what is beside it as soon as there is too much (activity_track.h, slice_track.h).
 * Times are in ticks. */
#ifndef STAVE_TIMELINE_TIMELINE_H
#define STAVE_TIMELINE_TIMELINE_H

#include "replay/critical_path.h"
#include "replay/replay.h"
#include "replay/traffic.h"
#include "timeline/content/activity_track.h"
#include "timeline/content/attribute_lists.h"
#include "timeline/content/condition_table.h"
#include "timeline/content/counter_table.h"
#include "timeline/content/dependence_table.h"
#include "timeline/content/detail.h"
#include "timeline/content/launch_table.h"
#include "timeline/content/lock_table.h"
#include "timeline/content/message_table.h"
#include "timeline/content/sample_table.h"
#include "timeline/content/slice_track.h"
#include "timeline/content/task_table.h"
#include "timeline/content/transfer_table.h"

enum { TIMELINE_MAX_DEPTH = 48 };

/* How much is kept, over all rows. */
struct timeline_limits {
  size_t mixes, slices, tasks, messages, values, conditions, locks, samples, links, transfers;
  struct detail_writer *all; /* gets every activity and region besides (detail.h); NULL: nobody does */
};

/* With so many regions, of the rest what goes with them. */
struct timeline_limits timeline_limits(size_t regions);

/* The attributes of the Enter of an open region. */
struct timeline_open {
  uint32_t attributes;
  uint8_t activity;
};

/* One location. */
struct timeline_row {
  struct activity_track activity;
  struct slice_track depths[TIMELINE_MAX_DEPTH]; /* regions and tasks by depth of nesting */
  uint32_t depth_count;
  uint64_t too_deep; /* slices deeper than that, which are left out */
  struct timeline_open open[TIMELINE_MAX_DEPTH];
};

/* What is known of a region of the trace. */
struct timeline_region {
  uint64_t count, ticks;  /* how often it was entered and how long it was open, in the window */
  enum activity activity; /* what was done in it when it was entered first */
  bool is_known;          /* the activity */
};

struct timeline {
  const struct trace *trace;
  uint64_t from, to;         /* the window, cut to the events that there are */
  struct timeline_row *rows; /* as the trace's locations */
  /* locations from top to bottom (row_order.h); the position of each location, and how deeply it is nested */
  size_t *order, *positions;
  uint32_t *levels;
  /* as the trace's regions, and one more for those that it does not define */
  struct timeline_region *regions;
  struct task_table tasks;
  struct message_table messages;
  struct traffic traffic;
  struct lock_table locks;
  struct counter_table counters;
  struct condition_table conditions;
  struct sample_table samples;
  struct transfer_table transfers;
  struct launch_table launches;
  struct dependence_table dependences;
  struct critical_path path;
  struct attribute_lists attributes;
  struct timeline_limits limits;
  size_t mix_count, slice_count;             /* over all rows */
  uint64_t mix_resolution, slice_resolution; /* what is shorter may be merged; 0: nothing is */
  uint64_t events;                           /* in the window */
  struct replay_anomalies anomalies;
};

/* Reads the events of a window; 0 and UINT64_MAX are everything. Returns 0, or -EIO with one line in
 * `error`. timeline_free in every case; the trace has to live as long. */
int timeline_read(struct timeline *ret, struct trace *trace, uint64_t from_ticks, uint64_t to_ticks,
                  const struct timeline_limits *limits, char error[TRACE_ERROR_BYTES]);

/* Frees what it owns. */
void timeline_free(struct timeline *timeline);

#endif
