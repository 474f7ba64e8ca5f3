/* Folders of a command's own. */
#ifndef STAVE_CLI_COMMON_FOLDER_H
#define STAVE_CLI_COMMON_FOLDER_H

#include <stddef.h>

/* Makes a folder in $TMPDIR or /tmp, for this user only, whose name begins with `name`; its path in `ret` of
 * `size` bytes. Returns 0 or a negative errno. */
int folder_make(const char *name, char *ret, size_t size);

/* Removes it with all that is in it; links are not followed. */
void folder_remove(const char *path);

#endif
