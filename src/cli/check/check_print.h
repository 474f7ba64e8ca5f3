/* What `stave check` has found, for people and for programs. */
#ifndef STAVE_CLI_CHECK_CHECK_PRINT_H
#define STAVE_CLI_CHECK_CHECK_PRINT_H

#include <stdbool.h>

#include "check/check.h"

/* Text on stdout; of each rule ten places, or all. */
void check_print_text(const struct trace *trace, const struct check_result *result, bool is_all);

/* One JSON object on stdout. */
void check_print_json(const struct trace *trace, const struct check_result *result);

#endif
