/* A tool whose callbacks do nothing: what the runtime itself spends on calling a tool. */
#include "bench_tool.h"

#include <stddef.h>

static void nothing(uint64_t first, uint64_t second, uint64_t third) {
  (void)first, (void)second, (void)third;
}

const struct bench_tool bench_tool = {nothing, NULL, NULL};
