/* The part of `stave info` about counters. */
#ifndef STAVE_CLI_INFO_INFO_COUNTERS_H
#define STAVE_CLI_INFO_INFO_COUNTERS_H

#include "cli/info/info.h"

/* Prints what was counted for threads, if that was requested. */
void info_print_counters(const struct info *info);

#endif
