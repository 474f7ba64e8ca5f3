/* The options of `stave record` that represent variables of the environment. */
#ifndef STAVE_CLI_RECORD_SETTINGS_H
#define STAVE_CLI_RECORD_SETTINGS_H

#include "cli/common/usage.h"

#include <stdbool.h>

/* Sets the variable as the option needs it. False if the value is wrong, after usage_error: a run that costs
 * hours is not to go untraced for a slip of the pen. */
bool settings_set(const struct usage_option *option, const char *variable, const char *value);

/* Sets a variable, and reports it if it cannot be set. */
void settings_put(const char *name, const char *value);

#endif
