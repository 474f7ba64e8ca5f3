/* Messages as lines from row to row, collective operations as bands across the rows of their ranks. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "timeline/picture/picture_draw.h"

/* Of more, each so many-th is drawn. */
enum { MESSAGES_DRAWN = 400, OPERATIONS_DRAWN = 100 };

static const uint32_t MESSAGE_COLOUR = 0xb3124b, OPERATION_COLOUR = 0x5c3d99;

/* By location: where its row is; rows that are not drawn are below 0. */
static double *row_tops(const struct picture *picture) {
  size_t rows = picture_row_count(picture);
  double *tops = memory_get(picture->timeline->trace->location_count, sizeof *tops), y = picture->rows_top;
  for (size_t i = 0; i < picture->timeline->trace->location_count; i++) {
    size_t location = picture->timeline->order[i];
    tops[location] = i < rows ? y : -1;
    y += i < rows ? picture_row_height(picture, location) : 0;
  }
  return tops;
}

static double x_within(const struct picture *picture, uint64_t ticks) {
  return fmin(fmax(picture_x(picture, ticks), picture->left), picture->right);
}

static void draw_message(const struct picture *picture, const double *tops,
                         const struct message_record *message) {
  double from = tops[message->from], to = tops[message->to], half = picture->band / 2;
  if (from < 0 || to < 0)
    return;
  picture->draw->move_to(picture->cairo, x_within(picture, message->begin), from + half);
  picture->draw->line_to(picture->cairo, x_within(picture, message->end), to + half);
  picture->draw->stroke(picture->cairo);
  picture->draw->arc(picture->cairo, x_within(picture, message->begin), from + half, 1.2, 0, 7);
  picture->draw->fill(picture->cairo);
}

/* From the band of one rank to that of the next. */
static void draw_operation(const struct picture *picture, const double *tops,
                           const struct operation_record *operation) {
  for (size_t i = 0; i + 1 < operation->part_count; i++) {
    const struct operation_part *one = &operation->parts[i], *next = one + 1;
    double from = tops[one->location] + picture->band, to = tops[next->location];
    if (tops[one->location] < 0 || to < 0)
      continue;
    picture->draw->move_to(picture->cairo, x_within(picture, one->begin), from);
    picture->draw->line_to(picture->cairo, x_within(picture, one->end), from);
    picture->draw->line_to(picture->cairo, x_within(picture, next->end), to);
    picture->draw->line_to(picture->cairo, x_within(picture, next->begin), to);
    picture->draw->close_path(picture->cairo);
    picture->draw->fill_preserve(picture->cairo);
    picture->draw->stroke(picture->cairo);
  }
}

static void set_colour(const struct picture *picture, uint32_t rgb, double alpha) {
  picture->draw->set_source_rgba(picture->cairo, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0,
                                 (rgb & 255) / 255.0, alpha);
}

void picture_draw_messages(const struct picture *picture) {
  const struct message_table *table = &picture->timeline->messages;
  if (table->message_count + table->operation_count == 0)
    return;
  double *tops = row_tops(picture);
  picture->draw->set_line_width(picture->cairo, 0.5);
  set_colour(picture, OPERATION_COLOUR, 0.22);
  size_t step = table->operation_count / OPERATIONS_DRAWN + 1;
  for (size_t i = 0; i < table->operation_count; i += step)
    draw_operation(picture, tops, &table->operations[i]);
  set_colour(picture, MESSAGE_COLOUR, 0.75);
  step = table->message_count / MESSAGES_DRAWN + 1;
  for (size_t i = 0; i < table->message_count; i += step)
    draw_message(picture, tops, &table->messages[i]);
  free(tops);
}
