/* A tool between the runtime and another tool (TIMING_TOOL_FORWARD) that measures each callback's
 * time.
 *
 * TIMING_TOOL_OUTPUT gets, at the end, one line for each power of two: "UPTO_TICKS COUNT", and "first
 * MAX_TICKS COUNT" for threads' first events, which are kept apart. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "../support/other_tool.h"

enum { CALLBACKS = 64, BUCKETS = 64 };

typedef uint64_t callback(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

static struct {
  _Atomic uint64_t buckets[BUCKETS];
  _Atomic uint64_t first_count, first_max;
  callback *forward[CALLBACKS];
  ompt_function_lookup_t lookup;
  ompt_set_callback_t set_callback;
  ompt_start_tool_result_t *other;
} self;

static _Thread_local __attribute__((tls_model("initial-exec"))) bool is_known;

static void note_first(uint64_t ticks) {
  is_known = true;
  atomic_fetch_add(&self.first_count, 1);
  uint64_t max = atomic_load(&self.first_max);
  while (ticks > max && !atomic_compare_exchange_weak(&self.first_max, &max, ticks))
    ;
}

static void note(uint64_t ticks) {
  if (!is_known)
    note_first(ticks);
  else
    atomic_fetch_add_explicit(&self.buckets[63 - __builtin_clzll(ticks | 1)], 1, memory_order_relaxed);
}

/* Whatever a callback's arguments are, eight words hold them: six in registers, two on the stack. */
#define CALLBACK(name, number, ...)                                                                          \
  static uint64_t wrap_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,        \
                              uint64_t g, uint64_t h) {                                                      \
    uint64_t begin = __rdtsc();                                                                              \
    uint64_t result = self.forward[number](a, b, c, d, e, f, g, h);                                          \
    note(__rdtsc() - begin);                                                                                 \
    return result;                                                                                           \
  }
#include "ompt/callbacks.def"

static const struct {
  callback *function;
  const char *class;
} wrappers[CALLBACKS] = {
#define CALLBACK(name, number, since, result, signature, class, ...) [number] = {wrap_##name, #class},
#include "ompt/callbacks.def"
};

/* Those of the host: some of devices have more arguments, and omp_control_tool may last long. */
static bool is_timed(ompt_callbacks_t which) {
  return which < CALLBACKS && wrappers[which].function && strcmp(wrappers[which].class, "target") &&
         strcmp(wrappers[which].class, "control");
}

static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t handler) {
  if (!is_timed(which) || !handler)
    return self.set_callback(which, handler);
  self.forward[which] = (callback *)handler;
  return self.set_callback(which, (ompt_callback_t)wrappers[which].function);
}

static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") ? self.lookup(name) : (ompt_interface_fn_t)set_callback;
}

static int initialize(ompt_function_lookup_t runtime_lookup, int device, ompt_data_t *tool_data) {
  (void)tool_data;
  self.lookup = runtime_lookup;
  self.set_callback = (ompt_set_callback_t)runtime_lookup("ompt_set_callback");
  return self.other->initialize(lookup, device, &self.other->tool_data);
}

static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  self.other->finalize(&self.other->tool_data);
  const char *path = getenv("TIMING_TOOL_OUTPUT");
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file)
    return;
  fprintf(file, "first %llu %llu\n", (unsigned long long)self.first_max,
          (unsigned long long)self.first_count);
  for (unsigned i = 0; i < BUCKETS; i++)
    if (self.buckets[i])
      fprintf(file, "%llu %llu\n", 2ULL << i, (unsigned long long)self.buckets[i]);
  fclose(file);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *path = getenv("TIMING_TOOL_FORWARD");
  self.other = other_tool_start(path, omp_version, runtime_version);
  return self.other ? &result : NULL;
}
