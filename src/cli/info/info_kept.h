/* Archives that have the end of a longer run (STAVE_KEEP). */
#ifndef STAVE_CLI_INFO_INFO_KEPT_H
#define STAVE_CLI_INFO_INFO_KEPT_H

#include "cli/common/json.h"
#include "cli/info/info.h"

/* Prints what is known of the rest of the run; nothing if the archive has all of it. */
void info_print_kept(const struct info *info);

/* The same as an object; null if the archive has all of it. */
json_t *info_kept_json(const struct info *info);

#endif
