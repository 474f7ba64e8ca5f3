/* A timeline as a picture for papers: title, a row for each location, time axis, legend. */
#ifndef STAVE_TIMELINE_PICTURE_H
#define STAVE_TIMELINE_PICTURE_H

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

/* Writes the picture. What is too narrow to be seen is merged in the timeline. Returns 0, -ENOMEM, -EFBIG if
 * it would be larger than cairo can draw, or -EIO if the file cannot be written or a font is missing. */
int picture_write(FILE *file, struct timeline *timeline, const struct picture_request *request);

#endif
