/* The functions of libgomp that this library has, too: what a program calls. */
#ifndef STAVE_LIBGOMP_EXPORTS_H
#define STAVE_LIBGOMP_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT(version, result, name, parameters)                                                             \
  __attribute__((visibility("default"))) result name parameters;
#define OLD_EVENT(version, result, name, parameters)
#include "gomp/events.def"
#undef EVENT
#undef OLD_EVENT

#endif
