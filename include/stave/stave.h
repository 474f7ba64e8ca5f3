/* stave.h: what a program reports to Stave, the OpenMP tracer, while it runs; in C (C99 on) and C++.
 *
 * All of it goes through omp_control_tool (OpenMP 5.0, 3.8), which is looked for when the program is loaded:
 * there is nothing to link with, and where the OpenMP runtime has no such function, or no tool is there, a
 * call does nothing. Calls from any thread, at any time. LLVM's runtime up to 19 passes nothing to tools
 * before the first parallel region; a call of omp_get_max_threads() before the first call below is enough to
 * change that.
 *
 *     stave_region_begin("solve");
 *     stave_counter_double("residual", "1", residual);
 *     stave_message("restarted");
 *     stave_region_end("solve");
 *
 * All functions return what omp_control_tool does: 0, or why nothing was recorded (enum stave_result). Texts
 * are copied before a call returns; they may have any length and any bytes, and an archive keeps the first
 * 3072 of them. */
#ifndef STAVE_STAVE_H
#define STAVE_STAVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum stave_result {
  /* no tool is there, or the runtime has no omp_control_tool or does not listen yet */
  STAVE_NO_TOOL = -2,
  STAVE_NO_CALLBACK = -1, /* the tool does not listen: STAVE_EVENTS leaves out `control` */
  STAVE_SUCCESS = 0,
  STAVE_IGNORED = 1 /* recording has ended, or the record was dropped */
};

/* Stave's own commands of omp_control_tool. They go with the modifier STAVE_MODIFIER, and the argument is a
 * struct stave_call. Whatever else a program sends is recorded with command, modifier and argument as
 * numbers. */
enum stave_command {
  STAVE_COMMAND_REGION_BEGIN = 0x53746101,
  STAVE_COMMAND_REGION_END = 0x53746102,
  STAVE_COMMAND_MESSAGE = 0x53746103,
  STAVE_COMMAND_COUNTER_INTEGER = 0x53746104,
  STAVE_COMMAND_COUNTER_DOUBLE = 0x53746105
};
enum { STAVE_MODIFIER = 0x53746176 };

/* What Stave's own commands point to. Read during the call only. */
struct stave_call {
  const char *name; /* of the region or counter, or the message; may be NULL */
  const char *unit; /* of a counter; may be NULL */
  const char *file; /* the place of the call: a path as __FILE__ has it, or NULL */
  uint64_t line;
  union {
    int64_t integer;
    double real;
  } value; /* of a counter */
};

typedef int (*stave_control_function)(int, int, void *);

/* Always: then the runtime is called by the function in which the program calls, also where nothing else is
 * inlined, and debug information has its place. */
#define STAVE_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__)
/* Straight from the table that the dynamic linker fills. A program linked with gcc's libgomp, which has no
 * such function, but run on LLVM's runtime would not find it otherwise: linkers resolve a weak symbol that no
 * library has to 0 for good as soon as it is called or compared. */
STAVE_INLINE stave_control_function stave_control_tool(void) {
  stave_control_function function;
  __asm__(".weak omp_control_tool\n\tmovq omp_control_tool@GOTPCREL(%%rip), %0" : "=r"(function));
  return function;
}
#else
extern int stave_omp_control_tool(int, int, void *) __asm__("omp_control_tool") __attribute__((weak));

STAVE_INLINE stave_control_function stave_control_tool(void) {
  stave_control_function function = stave_omp_control_tool;
  __asm__("" : "+r"(function));
  return function;
}
#endif

STAVE_INLINE int stave_control(int command, int modifier, void *argument) {
  stave_control_function function = stave_control_tool();
  return function ? function(command, modifier, argument) : STAVE_NO_TOOL;
}

/* Recording pauses, on all threads, and goes on. What is open when it pauses stays open. What begins in the
 * pause is not recorded, unless it is still open at the end of the pause: then it begins there. Pausing twice
 * is pausing once. STAVE_START=paused begins with a pause. */
STAVE_INLINE int stave_pause(void) {
  return stave_control(2, 0, NULL);
}

STAVE_INLINE int stave_start(void) {
  return stave_control(1, 0, NULL);
}

/* Waits until stave-writer, which survives a crash of the program, has all that was recorded before. */
STAVE_INLINE int stave_flush(void) {
  return stave_control(3, 0, NULL);
}

/* Recording ends for good: waits until the archive is closed. */
STAVE_INLINE int stave_end(void) {
  return stave_control(4, 0, NULL);
}

/* What follows records something. Each name that ends in _at has a macro that fills in the place of
 * the call. */

STAVE_INLINE int stave_call_(int command, const struct stave_call *call) {
  stave_control_function function = stave_control_tool();
  return function ? function(command, STAVE_MODIFIER, (void *)(uintptr_t)call) : STAVE_NO_TOOL;
}

/* A region of the task that runs: it moves with the task, and must end in it. Regions nest, with one another
 * and with OpenMP's constructs. stave_region_end ends the innermost one and must name it; NULL is right for
 * any. An end that does not fit is refused, and counted in the archive. What the task
 * leaves open ends with the construct around it, or with the task. */
STAVE_INLINE int stave_region_begin_at(const char *name, const char *file, unsigned line) {
  struct stave_call call = {name, NULL, file, line, {0}};
  return stave_call_(STAVE_COMMAND_REGION_BEGIN, &call);
}

STAVE_INLINE int stave_region_end_at(const char *name, const char *file, unsigned line) {
  struct stave_call call = {name, NULL, file, line, {0}};
  return stave_call_(STAVE_COMMAND_REGION_END, &call);
}

/* A text at this point of the thread's timeline. */
STAVE_INLINE int stave_message_at(const char *text, const char *file, unsigned line) {
  struct stave_call call = {text, NULL, file, line, {0}};
  return stave_call_(STAVE_COMMAND_MESSAGE, &call);
}

/* The value that a counter has now on this thread. The unit is text ("bytes", "1"); NULL: none. A counter is
 * known by its name, its unit and its type. */
STAVE_INLINE int stave_counter_integer_at(const char *name, const char *unit, int64_t value, const char *file,
                                          unsigned line) {
  struct stave_call call = {name, unit, file, line, {0}};
  call.value.integer = value;
  return stave_call_(STAVE_COMMAND_COUNTER_INTEGER, &call);
}

STAVE_INLINE int stave_counter_double_at(const char *name, const char *unit, double value, const char *file,
                                         unsigned line) {
  struct stave_call call = {name, unit, file, line, {0}};
  call.value.real = value;
  return stave_call_(STAVE_COMMAND_COUNTER_DOUBLE, &call);
}

#define stave_region_begin(name) stave_region_begin_at(name, __FILE__, __LINE__)
#define stave_region_end(name) stave_region_end_at(name, __FILE__, __LINE__)
#define stave_message(text) stave_message_at(text, __FILE__, __LINE__)
#define stave_counter_integer(name, unit, value)                                                             \
  stave_counter_integer_at(name, unit, value, __FILE__, __LINE__)
#define stave_counter_double(name, unit, value) stave_counter_double_at(name, unit, value, __FILE__, __LINE__)

#ifdef __cplusplus
}

namespace stave {

/* A region from here to the end of the block, however that is left:
 *     stave::region solve("solve");
 * The name is read again at the end. */
class region {
public:
  __attribute__((always_inline)) explicit region(const char *name, const char *file = __builtin_FILE(),
                                                 unsigned line = __builtin_LINE())
      : name_(name), file_(file), line_(line) {
    stave_region_begin_at(name_, file_, line_);
  }
  __attribute__((always_inline)) ~region() {
    stave_region_end_at(name_, file_, line_);
  }

private:
  region(const region &);
  region &operator=(const region &);

  const char *name_, *file_;
  unsigned line_;
};

} /* namespace stave */
#endif

#endif
