/* Which functions what is loaded calls. */
#ifndef STAVE_TOOL_IMPORTS_H
#define STAVE_TOOL_IMPORTS_H

#include <stdbool.h>

/* Whether the executable or a library that is loaded now refers to one of the functions as another object's.
 * `names` ends with NULL. */
bool imports_any(const char *const *names);

#endif
