#include <math.h>
#include <stdio.h>

#include "timeline/palette.h"
#include "timeline/picture/picture_draw.h"

enum { LABEL_GAP = 110, LEGEND_ENTRY = 150, MARKS_MAX = 1000 };

static const struct unit {
  const char *name;
  double ns;
} units[] = {{"s", 1e9}, {"ms", 1e6}, {"\xc2\xb5s", 1e3}, {"ns", 1}};

/* The times of the marks. */
struct marks {
  double first, step; /* ns since the beginning of the trace */
  int count;
  const struct unit *unit; /* of all labels */
  int digits;
};

static double nice_step(double rough) {
  static const double factors[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(fmax(rough, 1))));
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (factors[i] * power >= rough)
      return factors[i] * power;
  return 10 * power;
}

static struct marks marks_of(const struct picture *picture) {
  const struct timeline *timeline = picture->timeline;
  double from = (double)trace_ns(timeline->trace, timeline->from),
         to = (double)trace_ns(timeline->trace, timeline->to);
  double count = fmax(1, (picture->right - picture->left) / LABEL_GAP);
  struct marks marks = {.step = nice_step((to - from) / count), .unit = units};
  marks.first = ceil(from / marks.step) * marks.step;
  /* Counted, since a step may be too small to change a time that is large. */
  marks.count = (int)fmin(fmax(floor((to - marks.first) / marks.step) + 1, 0), MARKS_MAX);
  while (marks.unit->ns > fmax(to, 1))
    marks.unit++;
  marks.digits = (int)fmax(0, ceil(log10(marks.unit->ns / marks.step) - 1e-9));
  return marks;
}

static double mark_x(const struct picture *picture, double ns) {
  const struct timeline *timeline = picture->timeline;
  double from = (double)trace_ns(timeline->trace, timeline->from),
         to = (double)trace_ns(timeline->trace, timeline->to);
  return picture->left + (to > from ? (ns - from) / (to - from) : 0) * (picture->right - picture->left);
}

void picture_draw_grid(const struct picture *picture) {
  struct marks marks = marks_of(picture);
  for (int i = 0; i < marks.count; i++)
    picture->draw->rectangle(picture->cairo, mark_x(picture, marks.first + i * marks.step) - 0.25,
                             picture->rows_top, 0.5, picture->rows_bottom - picture->rows_top);
  picture_set_colour(picture, 0xd5dae0);
  picture->draw->fill(picture->cairo);
}

static void draw_mark(const struct picture *picture, const struct marks *marks, double ns) {
  char label[64];
  snprintf(label, sizeof label, "%.*f %s", marks->digits, ns / marks->unit->ns, marks->unit->name);
  double x = mark_x(picture, ns), width = picture_text_width(picture, label);
  picture->draw->rectangle(picture->cairo, x - 0.4, picture->rows_bottom, 0.8, 5);
  picture->draw->fill(picture->cairo);
  double left = fmin(fmax(x - width / 2, picture->left), picture->right - width);
  picture_text(picture, left, picture->rows_bottom + 16, width + 1, label);
}

void picture_draw_axis(const struct picture *picture) {
  struct marks marks = marks_of(picture);
  picture_set_colour(picture, 0x3c444d);
  picture->draw->rectangle(picture->cairo, picture->left, picture->rows_bottom,
                           picture->right - picture->left, 0.8);
  picture->draw->fill(picture->cairo);
  picture->draw->set_font_size(picture->cairo, 10);
  picture_text(picture, PICTURE_MARGIN, picture->rows_bottom + 16, picture->left - PICTURE_MARGIN, "time");
  for (int i = 0; i < marks.count; i++)
    draw_mark(picture, &marks, marks.first + i * marks.step);
}

/* -- legend -- */

static bool is_present(const struct picture *picture, int activity) {
  return picture->totals[activity] > 0;
}

static size_t entries_in_line(const struct picture *picture) {
  return (size_t)fmax(1, floor((picture->width - 2 * PICTURE_MARGIN) / LEGEND_ENTRY));
}

double picture_legend_height(const struct picture *picture) {
  size_t in_line = entries_in_line(picture), entries = 0;
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
    entries += is_present(picture, activity);
  return PICTURE_LEGEND_LINE * (double)((entries + in_line - 1) / in_line);
}

static void draw_entry(const struct picture *picture, int activity, double x, double y, double all) {
  char text[64];
  snprintf(text, sizeof text, "%s %.1f %%", activity_name((enum activity)activity),
           picture->totals[activity] / all * 100);
  picture->draw->rectangle(picture->cairo, x, y, 20, 11);
  picture_fill(picture, (enum activity)activity);
  picture_set_colour(picture, 0x16191d);
  picture_text(picture, x + 25, y + 9.5, LEGEND_ENTRY - 28, text);
}

void picture_draw_legend(const struct picture *picture, double top) {
  double all = 0;
  size_t place = 0, in_line = entries_in_line(picture);
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++)
    all += picture->totals[activity];
  picture->draw->set_font_size(picture->cairo, 10);
  for (int activity = 0; activity < ACTIVITY_COUNT; activity++) {
    if (!is_present(picture, activity))
      continue;
    draw_entry(picture, activity, PICTURE_MARGIN + LEGEND_ENTRY * (double)(place % in_line),
               top + PICTURE_LEGEND_LINE * (double)(place / in_line), all);
    place++;
  }
}
