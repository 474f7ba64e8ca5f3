#include "base/quota.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "MAX PERIOD" of version 2, or the two files of version 1, in us. */
static bool read_numbers(const char *folder, const char *name, long long *ret_first, long long *ret_second) {
  char path[PATH_MAX + 32], text[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  text[length] = '\0';
  return sscanf(text, "%lld %lld", ret_first, ret_second) >= 1;
}

/* 0: no limit. */
static double limit_of(const char *folder) {
  long long most = 0, period = 0;
  if (!read_numbers(folder, "cpu.max", &most, &period) &&
      !(read_numbers(folder, "cpu.cfs_quota_us", &most, &(long long){0}) &&
        read_numbers(folder, "cpu.cfs_period_us", &period, &(long long){0})))
    return 0;
  return most > 0 && period > 0 ? (double)most / (double)period : 0;
}

static void keep_if_least(struct quota *quota, const char *folder) {
  char path[PATH_MAX + 32];
  double limit = limit_of(folder);
  if (limit <= 0 || (quota->processors > 0 && limit >= quota->processors))
    return;
  snprintf(path, sizeof path, "%s/cpu.stat", folder);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  quota_close(quota);
  *quota = (struct quota){.processors = limit, .fd = fd};
}

/* The group and all above it, up to where the groups are mounted. */
static void climb(struct quota *quota, const char *mount, const char *group) {
  char folder[PATH_MAX];
  int length = snprintf(folder, sizeof folder, "%s%s", mount, strcmp(group, "/") == 0 ? "" : group);
  if (length < 0 || (size_t)length >= sizeof folder)
    return;
  for (;;) {
    keep_if_least(quota, folder);
    char *slash = strrchr(folder, '/');
    if (!slash || strlen(folder) <= strlen(mount))
      return;
    *slash = '\0';
  }
}

static bool has_word(const char *list, const char *word) {
  size_t length = strlen(word);
  for (const char *at = list; (at = strstr(at, word)); at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
      return true;
  return false;
}

/* The kernel writes blanks and the like in paths as \040. */
static void unescape(char *path) {
  enum { DIGITS = 3 };
  char *to = path;
  for (const char *at = path; *at; to++) {
    unsigned code;
    bool is_code = at[0] == '\\' && sscanf(at + 1, "%3o", &code) == 1;
    *to = is_code ? (char)code : *at;
    at += is_code ? 1 + DIGITS : 1;
  }
  *to = '\0';
}

/* proc(5), mountinfo: "id parent major:minor root point options... - type source options". In a container the
 * root of the mount is the container's group, or the process's is seen relative to it. */
static void try_mount(struct quota *quota, const char *line, bool is_second, const char *group) {
  char root[PATH_MAX], point[PATH_MAX], type[32], options[512];
  const char *dash = strstr(line, " - ");
  if (!dash || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
      sscanf(dash, " - %31s %*s %511s", type, options) != 2)
    return;
  if (is_second ? strcmp(type, "cgroup2") != 0 : strcmp(type, "cgroup") != 0 || !has_word(options, "cpu"))
    return;
  unescape(root);
  unescape(point);
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  bool is_below = strncmp(group, root, length) == 0 && (group[length] == '/' || group[length] == '\0');
  climb(quota, point, is_below ? (group[length] ? group + length : "/") : group);
}

static void try_mounts(struct quota *quota, const char *mountinfo, bool is_second, const char *group) {
  char *line = NULL;
  size_t size = 0;
  FILE *file = fopen(mountinfo, "re");
  while (file && getline(&line, &size, file) > 0)
    try_mount(quota, line, is_second, group);
  free(line);
  if (file)
    fclose(file);
}

/* "hierarchy:controllers:group". */
void quota_find(struct quota *quota, const char *cgroup, const char *mountinfo) {
  char *line = NULL;
  size_t size = 0;
  *quota = (struct quota){.fd = -1};
  FILE *file = fopen(cgroup, "re");
  while (file && getline(&line, &size, file) > 0) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
      continue;
    *group++ = '\0';
    bool is_second = controllers[1] == '\0';
    if (is_second || has_word(controllers + 1, "cpu"))
      try_mounts(quota, mountinfo, is_second, group);
  }
  free(line);
  if (file)
    fclose(file);
}

void quota_open(struct quota *quota, pid_t pid) {
  char cgroup[48], mountinfo[48];
  snprintf(cgroup, sizeof cgroup, "/proc/%d/cgroup", (int)pid);
  snprintf(mountinfo, sizeof mountinfo, "/proc/%d/mountinfo", (int)pid);
  quota_find(quota, cgroup, mountinfo);
}

void quota_close(struct quota *quota) {
  if (quota->fd >= 0)
    close(quota->fd);
  quota->fd = -1;
}

uint64_t quota_throttled_ns(const struct quota *quota) {
  char text[1024];
  uint64_t number = 0;
  ssize_t length = quota->fd >= 0 ? pread(quota->fd, text, sizeof text - 1, 0) : -1;
  if (length <= 0)
    return 0;
  text[length] = '\0';
  const char *first = strstr(text, "throttled_time "), *second = strstr(text, "throttled_usec ");
  if (first && sscanf(first, "throttled_time %" SCNu64, &number) == 1)
    return number;
  return second && sscanf(second, "throttled_usec %" SCNu64, &number) == 1 ? number * 1000 : 0;
}
