#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "timeline/palette.h"
#include "timeline/picture/picture_draw.h"

static const char ellipsis[] = "\xe2\x80\xa6";

void picture_set_colour(const struct picture *picture, uint32_t rgb) {
  picture->draw->set_source_rgb(picture->cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0,
                                (rgb & 255) / 255.0);
}

/* -- patterns: lines, so that they stay lines at every scale -- */

enum { RISING = 1, FALLING = 2, UPRIGHT = 4, LEVEL = 8, DOTTED = 16 };

static unsigned lines_of(const char *pattern) {
  static const struct {
    const char *name;
    unsigned lines;
  } patterns[] = {{"rising", RISING},   {"falling", FALLING}, {"crossed", RISING | FALLING},
                  {"upright", UPRIGHT}, {"level", LEVEL},     {"dotted", DOTTED}};
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (strcmp(patterns[i].name, pattern) == 0)
      return patterns[i].lines;
  return 0;
}

static void add_line(const struct picture *picture, double x0, double y0, double x1, double y1) {
  picture->draw->move_to(picture->cairo, x0, y0);
  picture->draw->line_to(picture->cairo, x1, y1);
}

/* Over the box that the clip leaves. */
static void add_lines(const struct picture *picture, unsigned lines) {
  double left, top, right, bottom;
  picture->draw->clip_extents(picture->cairo, &left, &top, &right, &bottom);
  double height = bottom - top;
  for (double x = left - height; lines & (RISING | FALLING) && x < right + height; x += 5) {
    if (lines & RISING)
      add_line(picture, x, bottom, x + height, top);
    if (lines & FALLING)
      add_line(picture, x, top, x + height, bottom);
  }
  for (double x = left; lines & (UPRIGHT | DOTTED) && x < right; x += 4)
    add_line(picture, x, top, x, bottom);
  for (double y = top; lines & LEVEL && y < bottom; y += 3)
    add_line(picture, left, y, right, y);
}

static void stroke_pattern(const struct picture *picture, unsigned lines) {
  static const double dots[] = {1.2, 2.4};
  const struct cairo_functions *draw = picture->draw;
  cairo_t *cairo = picture->cairo;
  draw->save(cairo);
  draw->clip(cairo);
  add_lines(picture, lines);
  if (lines & DOTTED)
    draw->set_dash(cairo, dots, 2, 0);
  draw->set_line_width(cairo, lines & DOTTED ? 1.2 : 0.7);
  draw->set_source_rgba(cairo, 0, 0, 0, 0.35);
  draw->stroke(cairo);
  draw->restore(cairo);
}

void picture_fill(const struct picture *picture, enum activity activity) {
  const struct paint *paint = palette_paint(activity);
  unsigned lines = lines_of(paint->pattern);
  picture_set_colour(picture, paint->light);
  if (lines) {
    picture->draw->fill_preserve(picture->cairo);
    stroke_pattern(picture, lines);
  } else {
    picture->draw->fill(picture->cairo);
  }
}

/* -- texts -- */

/* A copy that cairo accepts and that stays on its line. */
static char *drawable(const char *text) {
  char *clean = utf8_clean(text);
  for (char *c = clean; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7f)
      *c = ' ';
  return clean;
}

static double width_of(const struct picture *picture, const char *text) {
  cairo_text_extents_t extents;
  picture->draw->text_extents(picture->cairo, text, &extents);
  return extents.x_advance;
}

/* Removes the last character. */
static void shorten(char *text) {
  size_t length = strlen(text);
  while (length > 0 && ((unsigned char)text[--length] & 0xc0) == 0x80)
    ;
  text[length] = '\0';
}

/* Removes the second half. False: it has to stay, as the first has room. */
static bool halve(const struct picture *picture, char *text, double room) {
  size_t half = strlen(text) / 2;
  while (half > 0 && ((unsigned char)text[half] & 0xc0) == 0x80)
    half--;
  char first = text[half];
  text[half] = '\0';
  bool is_still_too_wide = half > 0 && width_of(picture, text) > room;
  if (!is_still_too_wide)
    text[half] = first;
  return is_still_too_wide;
}

/* Halves first: the cost of a measurement grows with the text's length. */
static void cut(const struct picture *picture, char *text, double room) {
  double dots = width_of(picture, ellipsis);
  while (halve(picture, text, room - dots))
    ;
  while (*text && width_of(picture, text) + dots > room)
    shorten(text);
}

double picture_text_width(const struct picture *picture, const char *text) {
  char *clean = drawable(text);
  double width = width_of(picture, clean);
  free(clean);
  return width;
}

double picture_text(const struct picture *picture, double x, double y, double room, const char *text) {
  char *clean = drawable(text);
  bool is_cut = width_of(picture, clean) > room;
  if (is_cut)
    cut(picture, clean, room);
  double width = *clean ? width_of(picture, clean) : 0;
  picture->draw->move_to(picture->cairo, x, y);
  picture->draw->show_text(picture->cairo, clean);
  if (is_cut && *clean) {
    width += width_of(picture, ellipsis);
    picture->draw->show_text(picture->cairo, ellipsis);
  }
  picture->draw->new_path(picture->cairo);
  free(clean);
  return width;
}
