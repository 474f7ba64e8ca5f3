#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/palette.h"
#include "timeline/picture/picture_draw.h"

enum { LABEL_FROM = 28, ROWS_WITH_BARS = 16, MAX_BARS = 5, NAME_HEIGHT = 10 };

static const double MIN_LINE = 1, GAP_FROM = 4, GAP_SHARE = 0.2;

double picture_row_height(const struct picture *picture, size_t location) {
  if (picture->low > 0)
    return picture->low;
  uint32_t depths = picture->timeline->rows[location].depth_count;
  return PICTURE_BAND + PICTURE_GAP + PICTURE_BAR * (depths < picture->bars ? depths : picture->bars);
}

size_t picture_row_count(const struct picture *picture) {
  return picture->timeline->trace->location_count;
}

static double natural_height(const struct picture *picture) {
  double height = 0;
  for (size_t i = 0; i < picture_row_count(picture); i++)
    height += picture_row_height(picture, i);
  return height;
}

/* Regions go first; then rows are lower than letters; then neighbours share a line. */
void picture_choose_rows(struct picture *picture, double room) {
  size_t rows = picture_row_count(picture);
  picture->bars = rows <= ROWS_WITH_BARS ? MAX_BARS : 1;
  picture->band = PICTURE_BAND;
  picture->share = 1;
  if (rows <= ROWS_WITH_BARS || natural_height(picture) <= room)
    return;
  picture->bars = 0;
  if (natural_height(picture) <= room)
    return;
  picture->low = room / (double)rows;
  picture->share = (size_t)ceil(MIN_LINE / picture->low);
  double line = picture->low * (double)picture->share;
  picture->band = line >= GAP_FROM ? line * (1 - GAP_SHARE) : line;
}

/* -- activities: columns of a point's width, each filled in proportion to what was done in it -- */

struct columns {
  size_t count, rows; /* rows: how many have been added up */
  double (*ticks)[ACTIVITY_COUNT];
};

static void spread_mix(struct columns *columns, const struct mix *mix, double from, double width) {
  double begin = (double)mix->begin - from, end = (double)mix->end - from, length = end - begin;
  if (length <= 0 || end <= 0)
    return;
  for (size_t i = begin > 0 ? (size_t)(begin / width) : 0; i < columns->count && (double)i * width < end;
       i++) {
    double share = (fmin(end, (double)(i + 1) * width) - fmax(begin, (double)i * width)) / length;
    for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
      columns->ticks[i][activity] += share * (double)mix->ticks[activity];
  }
}

static double column_width(const struct picture *picture, const struct columns *columns) {
  return (double)(picture->timeline->to - picture->timeline->from) / (double)columns->count;
}

static void spread(const struct picture *picture, const struct activity_track *track,
                   struct columns *columns) {
  double width = column_width(picture, columns);
  for (size_t i = 0; width > 0 && i < track->count; i++)
    spread_mix(columns, &track->mixes[i], (double)picture->timeline->from, width);
}

/* Where an activity's part of a column begins, from below, as a share of the height. */
static double below(const double ticks[ACTIVITY_COUNT], int activity, double full) {
  double sum = 0;
  for (int i = 0; i < activity; i++)
    sum += ticks[i];
  return fmin(1, sum / full);
}

static bool is_alike(double one, double other) {
  return fabs(one - other) < 0.01;
}

/* One rectangle for neighbours that look alike. */
static void add_activity(const struct picture *picture, const struct columns *columns, int activity,
                         double y) {
  double full = column_width(picture, columns) * (double)columns->rows,
         step = (picture->right - picture->left) / (double)columns->count;
  for (size_t i = 0, next; i < columns->count; i = next) {
    const double *here = columns->ticks[i];
    double low = below(here, activity, full), share = here[activity] / full;
    for (next = i + 1; next < columns->count; next++)
      if (!is_alike(columns->ticks[next][activity] / full, share) ||
          !is_alike(below(columns->ticks[next], activity, full), low))
        break;
    if (share > 0.005)
      picture->draw->rectangle(picture->cairo, picture->left + (double)i * step,
                               y + picture->band * (1 - low - share), (double)(next - i) * step,
                               picture->band * share);
  }
}

/* The activities of the rows from one position on that make a line. */
static void draw_band(const struct picture *picture, size_t position, double y, struct columns *columns) {
  const struct timeline *timeline = picture->timeline;
  memset(columns->ticks, 0, columns->count * sizeof *columns->ticks);
  columns->rows = 0;
  for (size_t i = position; i < picture_row_count(picture) && columns->rows < picture->share; i++) {
    spread(picture, &timeline->rows[timeline->order[i]].activity, columns);
    columns->rows++;
  }
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
    add_activity(picture, columns, activity, y);
    picture_fill(picture, (enum activity)activity);
  }
}

/* -- regions -- */

static void add_bar(const struct picture *picture, const struct slice *slice, double y) {
  double left = picture_x(picture, slice->begin), right = picture_x(picture, slice->end);
  double height = slice->count == 1 ? PICTURE_BAR - 1 : PICTURE_BAR - 4;
  double width = fmax(right - left - (right - left > 2 ? 0.4 : 0), 0.7);
  picture->draw->rectangle(picture->cairo, left, y + PICTURE_BAR - 1 - height, width, height);
}

/* "for @file.c:12", or "for:12" where there is less room. */
static const char *label_of(const struct picture *picture, const struct slice *slice, double room,
                            char shorter[64]) {
  const struct trace *trace = picture->timeline->trace;
  if (slice->region >= trace->region_count)
    return "";
  const struct trace_region *region = &trace->regions[slice->region];
  const char *name = strncmp(region->name, "!$omp ", 6) == 0 ? region->name + 6 : region->name;
  const char *place = strstr(name, " @");
  if (!place || region->begin_line == 0 || picture_text_width(picture, name) <= room)
    return name;
  snprintf(shorter, 64, "%.*s:%u", (int)(place - name), name, (unsigned)region->begin_line);
  return shorter;
}

/* No pattern after letters. */
static void draw_label(const struct picture *picture, const struct slice *slice, double y) {
  double left = picture_x(picture, slice->begin), room = picture_x(picture, slice->end) - left - 6;
  uint32_t rgb = palette_paint((enum activity)slice->activity)->light;
  if (slice->count > 1 || room + 6 < LABEL_FROM)
    return;
  char shorter[64];
  const char *label = label_of(picture, slice, room, shorter);
  double width = fmin(picture_text_width(picture, label), room);
  picture->draw->rectangle(picture->cairo, left + 1.5, y + 1, width + 3, PICTURE_BAR - 3);
  picture_set_colour(picture, rgb);
  picture->draw->fill(picture->cairo);
  double bright = 0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255);
  picture_set_colour(picture, bright > 140 ? 0 : 0xffffff);
  picture_text(picture, left + 3, y + PICTURE_BAR - 3.5, room, label);
}

static void draw_bars(const struct picture *picture, const struct slice_track *track, double y) {
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
    for (size_t i = 0; i < track->count; i++)
      if (track->slices[i].activity == activity)
        add_bar(picture, &track->slices[i], y);
    picture_fill(picture, (enum activity)activity);
  }
  picture->draw->set_font_size(picture->cairo, 8.5);
  for (size_t i = 0; i < track->count; i++)
    draw_label(picture, &track->slices[i], y);
}

/* -- rows -- */

static void draw_name(const struct picture *picture, size_t index, double y) {
  double below = picture->band < PICTURE_BAND ? picture->band / 2 + 3.5 : PICTURE_BAND - 4;
  picture->draw->set_font_size(picture->cairo, 10);
  picture_set_colour(picture, 0x16191d);
  picture_text(picture, PICTURE_MARGIN, y + below, picture->left - PICTURE_MARGIN - 6,
               picture->timeline->trace->locations[index].name);
}

/* A row, or as many as are one line. */
static void draw_row(const struct picture *picture, size_t position, double y, struct columns *columns) {
  size_t index = picture->timeline->order[position];
  const struct timeline_row *row = &picture->timeline->rows[index];
  draw_band(picture, position, y, columns);
  for (uint32_t depth = 0; depth < row->depth_count && depth < picture->bars; depth++)
    draw_bars(picture, &row->depths[depth], y + PICTURE_BAND + 1 + PICTURE_BAR * depth);
}

void picture_draw_rows(const struct picture *picture) {
  struct columns columns = {.count = (size_t)(picture->right - picture->left)};
  columns.ticks = memory_get(columns.count, sizeof *columns.ticks);
  double y = picture->rows_top, named_from = y;
  for (size_t i = 0; i < picture_row_count(picture); i++) {
    if (i % picture->share == 0)
      draw_row(picture, i, y, &columns);
    if (i % picture->share == 0 && y >= named_from) {
      draw_name(picture, picture->timeline->order[i], y);
      named_from = y + NAME_HEIGHT;
    }
    y += picture_row_height(picture, picture->timeline->order[i]);
  }
  free(columns.ticks);
}
