#include "writer/runtimes.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"

static const char detour[] = "libstave-gomp.so";

/* gcc's (renamed ones too), LLVM's and AMD's and what runs target regions for them, Intel's, NVIDIA's,
 * Cray's, and what records gcc's. */
static const char *const beginnings[] = {
    "libgomp.so", "libgomp-", "libomp.so", "libomp5.so",          "libomp-", "libomptarget.so",
    "libiomp5",   "libnvomp", "libcraymp", "libstave-libgomp.so", detour};

static bool is_runtime(const char *name) {
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

static bool has_path(const char *paths, const char *path) {
  size_t length = strlen(path);
  for (const char *at = paths; (at = strstr(at, path)); at++)
    if ((at == paths || at[-1] == '\n') && at[length] == '\n')
      return true;
  return false;
}

static void add_path(char paths[RUNTIMES_BYTES], const char *path) {
  size_t used = strlen(paths), length = strlen(path);
  if (has_path(paths, path) || used + length + 2 > RUNTIMES_BYTES)
    return;
  memcpy(paths + used, path, length);
  memcpy(paths + used + length, "\n", 2);
}

void runtimes_find(pid_t pid, char paths[RUNTIMES_BYTES]) {
  char name[64], *line = NULL;
  size_t size = 0;
  snprintf(name, sizeof name, "/proc/%d/maps", (int)pid);
  FILE *maps = fopen(name, "re");
  while (maps && getline(&line, &size, maps) > 0) {
    char *path = strchr(line, '/');
    if (!path)
      continue;
    path[strcspn(path, "\n")] = '\0';
    if (is_runtime(base_name(path)))
      add_path(paths, path);
  }
  free(line);
  if (maps)
    fclose(maps);
}

bool runtimes_next(const char **paths, char path[RUNTIMES_BYTES], bool *ret_is_detour) {
  size_t length = strcspn(*paths, "\n");
  if (length == 0 || length >= RUNTIMES_BYTES)
    return false;
  memcpy(path, *paths, length);
  path[length] = '\0';
  *paths += length + ((*paths)[length] == '\n');
  *ret_is_detour = strncmp(base_name(path), detour, strlen(detour)) == 0;
  return true;
}
