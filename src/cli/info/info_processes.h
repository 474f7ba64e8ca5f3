/* The processes of an archive that has several. */
#ifndef STAVE_CLI_INFO_INFO_PROCESSES_H
#define STAVE_CLI_INFO_INFO_PROCESSES_H

#include "cli/common/json.h"
#include "cli/info/info.h"

/* Prints a table of them, which ranks are missing and how good the clocks are; nothing where there is one. */
void info_print_processes(const struct info *info);

/* All processes, as an array of objects. */
json_t *info_processes_json(const struct info *info);

/* How many processors the program might use, and who used them; nothing where the archive does not have it.
 */
void info_print_processors(const struct info *info);
void info_print_kernel(const struct info *info);

/* Whether the kernel reported when threads ran; nothing if it was not queried. */
void info_print_system(const struct info *info);

#endif
