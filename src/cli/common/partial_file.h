/* A file that appears under its name when it is complete: until then it grows beside it, and whatever ends
 * the command short of SIGKILL removes what there is of it. */
#ifndef STAVE_CLI_COMMON_PARTIAL_FILE_H
#define STAVE_CLI_COMMON_PARTIAL_FILE_H

#include <limits.h>
#include <stdbool.h>

struct partial_file {
  const char *name; /* as it was requested */
  int fd;           /* to write to, also for child processes */
  bool is_beside; /* false: what is there is a pipe, a device or a link to nothing, and is written to as it is
                   */
  char path[PATH_MAX + 16];
};

/* Opens the file that is to become `name`, which has to live as long. Returns false, after a message, if it
 * cannot be written. On success SIGHUP, SIGINT, SIGQUIT and SIGTERM remove it, where they would end the
 * process; one such file at a time; partial_file_close ends that. */
bool partial_file_open(struct partial_file *ret, const char *name);

/* Gives the file its name if it is complete, else removes it. Returns false if it is not, or, after a
 * message, if it cannot get its name. */
bool partial_file_close(struct partial_file *file, bool is_complete);

/* Removes what is not complete yet, as the process ends. */
void partial_file_remove_growing(void);

#endif
