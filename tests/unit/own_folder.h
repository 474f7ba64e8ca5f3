/* A folder of a test's own, as cmocka's state. */
#ifndef STAVE_TESTS_OWN_FOLDER_H
#define STAVE_TESTS_OWN_FOLDER_H

#include <stdlib.h>
#include <string.h>

/* Its name, which own_folder_remove frees; NULL: there is none. */
static inline char *own_folder_make(void **state) {
  char *folder = strdup("/tmp/stave-test-XXXXXX");
  *state = folder;
  return folder ? mkdtemp(folder) : NULL;
}

static inline int own_folder_remove(void **state) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
  free(*state);
  return system(command);
}

#endif
