/* A folder in which an archive is made, and which gets the archive's name once all of it is there. */
#ifndef STAVE_CLI_COMMON_PARTIAL_FOLDER_H
#define STAVE_CLI_COMMON_PARTIAL_FOLDER_H

#include <limits.h>
#include <stdbool.h>

struct partial_folder {
  char path[PATH_MAX];
  int lock_fd; /* of it, as long as somebody works in it */
};

/* Whether nothing is there of this name. All of these print why not. */
bool partial_folder_is_free(const char *out);

/* At folder->path, which is the caller's choice. What an interrupted one has left there is thrown away: it
 * has a mark. A running one has a lock on it, and any other folder stays. */
bool partial_folder_make(struct partial_folder *folder, const char *command);

/* Nothing is overwritten, whatever has come to be there meanwhile. */
bool partial_folder_give_name(const struct partial_folder *folder, const char *out);

/* With all that is in it: nothing comes of it. */
void partial_folder_remove(const struct partial_folder *folder);

/* Others may work there from now on. */
void partial_folder_close(const struct partial_folder *folder);

#endif
