/* The anchor file of an archive, looked at before OTF2 does: that reads all of it into memory, whatever its
 * size, and makes room for as many properties as it claims to have. */
#ifndef STAVE_TRACE_ANCHOR_H
#define STAVE_TRACE_ANCHOR_H

#include <stdbool.h>

/* Whether OTF2 can be given the file. What it refuses by itself, such as other versions, it may be given. */
bool anchor_is_sound(const char *path);

#endif
