/* What the parts of a picture share. Lengths are in points. */
#ifndef STAVE_TIMELINE_PICTURE_PICTURE_DRAW_H
#define STAVE_TIMELINE_PICTURE_PICTURE_DRAW_H

#include "timeline/picture/picture_cairo.h"
#include "timeline/timeline.h"

enum {
  PICTURE_MARGIN = 14,
  PICTURE_TITLE = 40,
  PICTURE_BAND = 15,
  PICTURE_BAR = 12,
  PICTURE_GAP = 5,
  PICTURE_AXIS = 34,
  PICTURE_LEGEND_LINE = 17,
};

struct picture {
  const struct cairo_functions *draw;
  cairo_t *cairo;
  struct timeline *timeline;
  double width, height;
  double left, right; /* of where time goes from beginning to end */
  double rows_top, rows_bottom;
  uint32_t bars; /* of a row, at most */
  double band;   /* the height of a row's activities */
  double low;    /* where there are many rows, the height of each; 0: as high as what is in it */
  size_t share;  /* how many rows make one line */
  double totals[ACTIVITY_COUNT]; /* ticks, over all rows */
};

/* The place of a time. */
static inline double picture_x(const struct picture *picture, uint64_t ticks) {
  const struct timeline *timeline = picture->timeline;
  double all = (double)(timeline->to - timeline->from);
  double share = all > 0 ? ((double)ticks - (double)timeline->from) / all : 0;
  return picture->left + share * (picture->right - picture->left);
}

/* How high a location's row is. */
double picture_row_height(const struct picture *picture, size_t location);

/* How many rows there are in it. */
size_t picture_row_count(const struct picture *picture);

/* Chooses how high rows are: all together, where they are many, as high as `room` at most. */
void picture_choose_rows(struct picture *picture, double room);

/* Draws names, activities and regions of all rows. */
void picture_draw_rows(const struct picture *picture);

/* Draws messages and collective operations over the rows. */
void picture_draw_messages(const struct picture *picture);

/* Draws the time axis below the rows, and its lines after them. */
void picture_draw_grid(const struct picture *picture);
void picture_draw_axis(const struct picture *picture);

/* How high the legend is, and draws it. */
double picture_legend_height(const struct picture *picture);
void picture_draw_legend(const struct picture *picture, double top);

void picture_set_colour(const struct picture *picture, uint32_t rgb);

/* Fills the current path with an activity's colour and pattern, and begins a new path. */
void picture_fill(const struct picture *picture, enum activity activity);

/* The width of a text whose bytes may be any. */
double picture_text_width(const struct picture *picture, const char *text);

/* Writes a text whose bytes may be any, its base line beginning at (x, y), cut with an ellipsis if it is
 * wider than `room`. Returns the width that it has taken. */
double picture_text(const struct picture *picture, double x, double y, double room, const char *text);

#endif
