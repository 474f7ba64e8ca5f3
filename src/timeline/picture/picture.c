#include "timeline/picture/picture.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/integer.h"
#include "base/plural.h"
#include "timeline/picture/picture_draw.h"

enum {
  PIXELS_PER_POINT = 2,
  MAX_NAME_WIDTH = 150,
  MAX_HEIGHT = 1000 /* of a picture with many rows */
};

bool picture_can_draw(void) {
  struct cairo_functions functions;
  return picture_load_cairo(&functions);
}

/* -- where things go -- */

static double widest_name(const struct picture *picture) {
  const struct timeline *timeline = picture->timeline;
  double widest = 30;
  picture->draw->set_font_size(picture->cairo, 10);
  for (size_t i = 0; i < picture_row_count(picture); i++)
    widest = fmax(widest, picture_text_width(picture, timeline->trace->locations[timeline->order[i]].name));
  return fmin(widest, MAX_NAME_WIDTH);
}

static void add_up(struct picture *picture) {
  for (size_t i = 0; i < picture->timeline->trace->location_count; i++) {
    const struct activity_track *track = &picture->timeline->rows[i].activity;
    for (size_t k = 0; k < track->count; k++)
      for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
        picture->totals[activity] += (double)track->mixes[k].ticks[activity];
  }
}

static void measure(struct picture *picture, unsigned width) {
  picture->width = width;
  picture->left = PICTURE_MARGIN + widest_name(picture) + 8;
  picture->right = fmax(width - PICTURE_MARGIN, picture->left + 10);
  picture->rows_top = picture->rows_bottom = PICTURE_MARGIN + PICTURE_TITLE;
  double below = PICTURE_AXIS + picture_legend_height(picture) + PICTURE_MARGIN;
  picture_choose_rows(picture, MAX_HEIGHT - below - picture->rows_top);
  for (size_t i = 0; i < picture_row_count(picture); i++)
    picture->rows_bottom += picture_row_height(picture, picture->timeline->order[i]);
  if (picture->low > 0) /* not what so many rounded numbers add up to */
    picture->rows_bottom = MAX_HEIGHT - below;
  picture->height = picture->rows_bottom + below;
}

/* What is narrower than can be seen becomes one with what is beside it. */
static void merge_narrow(const struct picture *picture) {
  struct timeline *timeline = picture->timeline;
  double per_point = (double)(timeline->to - timeline->from) / (picture->right - picture->left);
  for (size_t i = 0; i < timeline->trace->location_count; i++) {
    activity_track_coarsen(&timeline->rows[i].activity, integer_truncate(per_point / 2));
    for (uint32_t depth = 0; depth < timeline->rows[i].depth_count; depth++)
      slice_track_coarsen(&timeline->rows[i].depths[depth], integer_truncate(per_point * 1.5));
  }
}

/* -- drawing -- */

static void draw_title(const struct picture *picture, const char *title) {
  const struct timeline *timeline = picture->timeline;
  size_t rows = picture_row_count(picture);
  char text[128];
  double room = picture->width - 2 * PICTURE_MARGIN;
  picture->draw->set_font_size(picture->cairo, 15);
  picture_set_colour(picture, 0);
  picture_text(picture, PICTURE_MARGIN, PICTURE_MARGIN + 14, room, title);
  picture->draw->set_font_size(picture->cairo, 10);
  picture_set_colour(picture, 0x5c6670);
  snprintf(text, sizeof text, "%zu row%s, %" PRIu64 " event%s", rows, plural(rows), timeline->events,
           plural(timeline->events));
  picture_text(picture, PICTURE_MARGIN, PICTURE_MARGIN + 29, room, text);
}

static void draw(struct picture *picture, const struct picture_request *request) {
  picture->draw->set_source_rgb(picture->cairo, 1, 1, 1);
  picture->draw->paint(picture->cairo);
  merge_narrow(picture);
  draw_title(picture, request->title);
  picture_draw_grid(picture);
  picture_draw_rows(picture);
  picture_draw_messages(picture);
  picture_draw_axis(picture);
  picture_draw_legend(picture, picture->rows_bottom + PICTURE_AXIS);
}

static cairo_status_t write_to_file(void *file, const unsigned char *data, unsigned length) {
  return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *make_surface(const struct picture *picture, enum picture_format format, FILE *file) {
  switch (format) {
  case PICTURE_SVG:
    return picture->draw->svg_surface_create_for_stream(write_to_file, file, picture->width, picture->height);
  case PICTURE_PDF:
    return picture->draw->pdf_surface_create_for_stream(write_to_file, file, picture->width, picture->height);
  case PICTURE_PNG:
    return picture->draw->image_surface_create(CAIRO_FORMAT_RGB24, (int)(PIXELS_PER_POINT * picture->width),
                                               (int)ceil(PIXELS_PER_POINT * picture->height));
  }
  return NULL;
}

static int error_of(cairo_status_t status) {
  switch ((int)status) {
  case CAIRO_STATUS_SUCCESS:
    return 0;
  case CAIRO_STATUS_NO_MEMORY:
    return -ENOMEM;
  case CAIRO_STATUS_INVALID_SIZE:
    return -EFBIG;
  default:
    return -EIO;
  }
}

/* Sizes depend on the widths of texts, which need something to be drawn on. */
static void measure_first(struct picture *picture, unsigned width) {
  cairo_surface_t *surface = picture->draw->recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
  picture->cairo = picture->draw->create(surface);
  picture->draw->select_font_face(picture->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                  CAIRO_FONT_WEIGHT_NORMAL);
  measure(picture, width);
  picture->draw->destroy(picture->cairo);
  picture->draw->surface_destroy(surface);
}

int picture_write(FILE *file, struct timeline *timeline, const struct picture_request *request) {
  struct cairo_functions functions;
  if (!picture_load_cairo(&functions))
    return -ENOTSUP;
  struct picture picture = {.draw = &functions, .timeline = timeline};
  add_up(&picture);
  measure_first(&picture, request->width);
  cairo_surface_t *surface = make_surface(&picture, request->format, file);
  picture.cairo = picture.draw->create(surface);
  picture.draw->select_font_face(picture.cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                                 CAIRO_FONT_WEIGHT_NORMAL);
  if (request->format == PICTURE_PNG)
    picture.draw->scale(picture.cairo, PIXELS_PER_POINT, PIXELS_PER_POINT);
  draw(&picture, request);
  int result = error_of(picture.draw->status(picture.cairo));
  picture.draw->destroy(picture.cairo);
  if (result == 0 && request->format == PICTURE_PNG)
    result = error_of(picture.draw->surface_write_to_png_stream(surface, write_to_file, file));
  picture.draw->surface_finish(surface);
  if (result == 0)
    result = error_of(picture.draw->surface_status(surface));
  picture.draw->surface_destroy(surface);
  return result;
}
