/* cairo, loaded when a picture is to be drawn. It brings some twenty libraries (X11, fonts, ...): linked with
 * the `stave` command they would cost each start of it, `stave record` included, more than all the rest of a
 * start. */
#ifndef STAVE_TIMELINE_PICTURE_PICTURE_CAIRO_H
#define STAVE_TIMELINE_PICTURE_PICTURE_CAIRO_H

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <stdbool.h>

struct cairo_functions {
#define CAIRO_FUNCTION(name) __typeof__(cairo_##name) *name;
#include "timeline/picture/picture_cairo.def"
#undef CAIRO_FUNCTION
};

/* Loads cairo, which stays loaded, and fills the table. Returns false where it, or one of the functions, is
 * not there. */
bool picture_load_cairo(struct cairo_functions *functions);

#endif
