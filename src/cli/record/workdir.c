#include "cli/record/workdir.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A relative folder would not survive the program's chdir. The dynamic linker, which finds libraries there,
 * interprets some characters of LD_PRELOAD and LD_LIBRARY_PATH as the end of a path, and a dollar as the
 * beginning of a variable. */
static bool is_fit(const char *folder) {
  return folder && *folder == '/' && folder[strcspn(folder, " \t\n:;$")] == '\0';
}

const char *workdir_parent(void) {
  const char *parent = getenv("TMPDIR");
  return is_fit(parent) ? parent : "/tmp";
}

static int make_in(struct workdir *ret, const char *parent) {
  *ret = (struct workdir){.path = ""};
  int length = snprintf(ret->path, sizeof ret->path, "%s/stave-record-XXXXXX", parent);
  if ((size_t)length >= sizeof ret->path || !mkdtemp(ret->path)) {
    int error = (size_t)length >= sizeof ret->path ? ENAMETOOLONG : errno;
    ret->path[0] = '\0';
    return -error;
  }
  snprintf(ret->status_path, sizeof ret->status_path, "%s/status", ret->path);
  return 0;
}

/* The reason is that of the place where it belongs. */
int workdir_make(struct workdir *ret) {
  const char *const others[] = {getenv("XDG_RUNTIME_DIR"), "/var/tmp", "/dev/shm"};
  int error = make_in(ret, workdir_parent()), other_error = error;
  for (size_t i = 0; other_error != 0 && i < sizeof others / sizeof *others; i++)
    if (is_fit(others[i]))
      other_error = make_in(ret, others[i]);
  return other_error == 0 ? 0 : error;
}

static int make_link(const struct workdir *workdir, const char *name, const char *target,
                     char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s/%s", workdir->path, name);
  if (symlink(target, path) == 0)
    return 0;
  path[0] = '\0';
  return -errno;
}

int workdir_link_libgomp(struct workdir *workdir, const char *gomp, const char *runtime) {
  int error = make_link(workdir, "runtime", runtime, workdir->runtime_path);
  return error != 0 ? error : make_link(workdir, "libgomp.so.1", gomp, workdir->libgomp_path);
}

int workdir_link_libomp(struct workdir *workdir, const char *runtime) {
  char absolute[PATH_MAX];
  if (!realpath(runtime, absolute))
    return -errno;
  return make_link(workdir, "libomp.so", absolute, workdir->libomp_path);
}

const char *workdir_link(struct workdir *workdir, const char *library) {
  enum { PRELOADS_MAX = sizeof workdir->preload_paths / sizeof *workdir->preload_paths };
  const char *slash = strrchr(library, '/');
  if (workdir->preload_count >= PRELOADS_MAX)
    return NULL;
  char path[PATH_MAX], *kept = workdir->preload_paths[workdir->preload_count];
  if (make_link(workdir, slash ? slash + 1 : library, library, path) != 0)
    return NULL;
  workdir->preload_count++;
  return strcpy(kept, path);
}

bool workdir_has_libraries(const struct workdir *workdir) {
  return workdir->libgomp_path[0] != '\0' || workdir->libomp_path[0] != '\0' || workdir->preload_count > 0;
}

void workdir_remove(struct workdir *workdir) {
  if (workdir->path[0] == '\0')
    return;
  unlink(workdir->status_path);
  if (workdir->libgomp_path[0] != '\0')
    unlink(workdir->libgomp_path);
  if (workdir->runtime_path[0] != '\0')
    unlink(workdir->runtime_path);
  if (workdir->libomp_path[0] != '\0')
    unlink(workdir->libomp_path);
  for (size_t i = 0; i < workdir->preload_count; i++)
    unlink(workdir->preload_paths[i]);
  rmdir(workdir->path);
  workdir->path[0] = '\0';
}
