#include "writer/pipeline/free_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 512, KEPT_BYTES = 256 };

/* Where a version of control groups reports memory, below its mount. */
struct groups {
  const char *mount, *most, *used, *reclaimable;
};

static const struct groups versions[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

/* The number after `name` in a file of such lines, or with no name the file's only one; false: there is none,
 * as in "max". */
static bool read_number(const char *path, const char *name, uint64_t *ret_number) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  bool is_found = false;
  size_t length = strlen(name);
  while (!is_found && getline(&line, &size, file) > 0)
    is_found = strncmp(line, name, length) == 0 && sscanf(line + length, "%lu", ret_number) == 1;
  free(line);
  fclose(file);
  return is_found;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* What one group has left; UINT64_MAX: it has no limit, or there is no such group. */
static uint64_t left_in_group(const struct groups *version, const char *group) {
  char path[PATH_BYTES];
  uint64_t most, used = 0, reclaimable = 0;
  snprintf(path, sizeof path, "%s%s/%s", version->mount, group, version->most);
  if (!read_number(path, "", &most))
    return UINT64_MAX;
  snprintf(path, sizeof path, "%s%s/%s", version->mount, group, version->used);
  read_number(path, "", &used);
  snprintf(path, sizeof path, "%s%s/memory.stat", version->mount, group);
  read_number(path, version->reclaimable, &reclaimable);
  used -= smaller(used, reclaimable);
  return most > used ? most - used : 0;
}

/* A group's limit holds for those in it, so all from this one up to the mount are queried. In a container the
 * path may be one that only others see: the mount itself is its group then. */
static uint64_t left_from(const struct groups *version, char *group) {
  uint64_t left = UINT64_MAX;
  for (char *slash = group + strlen(group); slash; slash = strrchr(group, '/')) {
    *slash = '\0';
    left = smaller(left, left_in_group(version, group));
  }
  return left;
}

/* Lines of /proc/self/cgroup: number:controllers:path; 0::path is version 2's. */
static uint64_t left_in_groups(void) {
  char *line = NULL;
  size_t size = 0;
  uint64_t left = UINT64_MAX;
  FILE *file = fopen("/proc/self/cgroup", "re");
  while (file && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path || strlen(path + 1) > KEPT_BYTES)
      continue;
    if (strncmp(line, "0::", 3) == 0)
      left = smaller(left, left_from(&versions[0], path + 1));
    else if (strncmp(controllers, ":memory:", 8) == 0)
      left = smaller(left, left_from(&versions[1], path + 1));
  }
  free(line);
  if (file)
    fclose(file);
  return left;
}

uint64_t free_memory(void) {
  uint64_t machine_kib = 0;
  if (!read_number("/proc/meminfo", "MemAvailable:", &machine_kib))
    return 0;
  return smaller(machine_kib << 10, left_in_groups());
}
