/* A timeline as a picture for papers: title, a row for each location, time axis, legend. */
#ifndef STAVE_TIMELINE_PICTURE_PICTURE_H
#define STAVE_TIMELINE_PICTURE_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "timeline/timeline.h"

enum picture_format {
  PICTURE_SVG,
  PICTURE_PDF,
  PICTURE_PNG, /* two pixels for a point of the others */
};

struct picture_request {
  enum picture_format format;
  const char *title;
  unsigned width; /* points */
};

/* Whether pictures can be drawn at all: not where Stave is built without cairo. */
bool picture_can_draw(void);

/* Writes the picture. What is too narrow to be seen is merged in the timeline. Returns 0, -ENOMEM, -EFBIG if
 * it would be larger than cairo can draw, -EIO if the file cannot be written or a font is missing, or
 * -ENOTSUP without cairo. */
int picture_write(FILE *file, struct timeline *timeline, const struct picture_request *request);

#endif
