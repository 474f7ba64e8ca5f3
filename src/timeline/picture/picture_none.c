/* In place of picture*.c where Stave is built without cairo. */
#include "timeline/picture/picture.h"

#include <errno.h>

bool picture_can_draw(void) {
  return false;
}

int picture_write(FILE *file, struct timeline *timeline, const struct picture_request *request) {
  (void)file, (void)timeline, (void)request;
  return -ENOTSUP;
}
