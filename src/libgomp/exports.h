/* The functions of libgomp that this library has, too: what a program calls, when it is traced. Where there
 * are entries, the program calls those, and these have names of their own for the linker. */
#ifndef STAVE_LIBGOMP_EXPORTS_H
#define STAVE_LIBGOMP_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__aarch64__)
#define HAS_ENTRIES
#endif

#ifdef HAS_ENTRIES
#define EXPORT(result, name, parameters)                                                                     \
  __attribute__((visibility("hidden"))) result name parameters __asm__("traced_" #name);
#else
#define EXPORT(result, name, parameters) __attribute__((visibility("default"))) result name parameters;
#endif

/* The linker's name of an older version of a function, beside its definition. */
#define OLD_VERSION(name) __asm__(".symver old_" #name ", " #name "@OMP_1.0");

#define EVENT(version, result, name, parameters) EXPORT(result, name, parameters)
#define OLD_EVENT(version, result, name, parameters) EXPORT(result, old_##name, parameters)
#include "gomp/events.def"
#undef EVENT
#undef OLD_EVENT

/* Where the entries jump to: to the functions above, until there is known to be no tool. */
extern struct functions {
#define EVENT(version, result, name, parameters) result(*name) parameters;
#define OLD_EVENT(version, result, name, parameters) result(*old_##name) parameters;
#include "gomp/events.def"
#undef EVENT
#undef OLD_EVENT
} entries __attribute__((visibility("hidden")));

/* There is no tool: the program's calls need not come to this library, if all mean one libgomp. Before one
 * has been traced. */
void entries_step_aside(void);

#endif
