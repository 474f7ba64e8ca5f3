#include "cli/scale/scale_plan.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static bool add(struct scale_numbers *numbers, size_t value) {
  for (size_t i = 0; i < numbers->count; i++)
    if (numbers->values[i] == value)
      return false;
  if (value == 0 || numbers->count == SCALE_NUMBERS_MAX)
    return false;
  numbers->values[numbers->count++] = value;
  return true;
}

bool scale_numbers_read(struct scale_numbers *ret, const char *text) {
  *ret = (struct scale_numbers){.count = 0};
  for (;; text++) {
    char *end;
    if (!isdigit((unsigned char)*text) || !add(ret, strtoul(text, &end, 10)))
      return false;
    if (*end == '\0')
      return true;
    if (*end != ',')
      return false;
    text = end;
  }
}

void scale_numbers_default(struct scale_numbers *ret) {
  cpu_set_t mask;
  size_t processors = 1;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    processors = (size_t)CPU_COUNT(&mask);
  *ret = (struct scale_numbers){.count = 0};
  for (size_t threads = 1; threads < processors; threads *= 2)
    add(ret, threads);
  add(ret, processors);
}

static char *name_of(const char *folder, const struct scale_run *run) {
  return run->ranks ? memory_print("%s/%zux%zu.%zu", folder, run->ranks, run->threads, run->turn)
                    : memory_print("%s/%zu.%zu", folder, run->threads, run->turn);
}

static void add_run(struct scale_plan *plan, size_t threads, size_t ranks, size_t turn, const char *folder) {
  struct scale_run *run = &plan->runs[plan->count++];
  *run = (struct scale_run){.threads = threads, .ranks = ranks, .turn = turn};
  run->archive = name_of(folder, run);
}

bool scale_plan_make(struct scale_plan *ret, const struct scale_numbers *threads,
                     const struct scale_numbers *ranks, size_t repeat, const char *folder) {
  *ret = (struct scale_plan){.count = 0};
  if (repeat * threads->count * (ranks->count ? ranks->count : 1) > SCALE_RUNS_MAX)
    return false;
  for (size_t turn = 1; turn <= repeat; turn++)
    for (size_t i = 0; i < threads->count; i++) {
      if (ranks->count == 0)
        add_run(ret, threads->values[i], 0, turn, folder);
      for (size_t j = 0; j < ranks->count; j++)
        add_run(ret, threads->values[i], ranks->values[j], turn, folder);
    }
  return true;
}

void scale_plan_free(struct scale_plan *plan) {
  for (size_t i = 0; i < plan->count; i++)
    free(plan->runs[i].archive);
}
