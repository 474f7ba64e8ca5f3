#include "cli/programs/program.h"

#include "cli/programs/elf_file.h"
#include "cli/programs/needed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPT_DEPTH = 5 }; /* the kernel follows as many #! lines */

/* 0 if the file can be started, else a negative errno. *ret_is_file: it is there and a file. */
static int check_executable(const char *path, bool *ret_is_file) {
  struct stat info;
  *ret_is_file = false;
  if (stat(path, &info) != 0)
    return -errno;
  if (!S_ISREG(info.st_mode))
    return -EACCES;
  *ret_is_file = true;
  if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0)
    return 0;
  int error = errno;
  bool is_refused = error == EPERM || error == ENOSYS; /* by a filter: by the real user's rights then */
  return is_refused && access(path, X_OK) == 0 ? 0 : -error;
}

static int find_on_path(const char *name, char *ret, size_t size) {
  const char *list = getenv("PATH");
  int error = -ENOENT;
  for (list = list ? list : "/bin:/usr/bin";; list++) {
    size_t length = strcspn(list, ":");
    snprintf(ret, size, "%.*s%s%s", (int)length, list, length > 0 ? "/" : "./", name);
    bool is_file;
    int answer = check_executable(ret, &is_file);
    if (answer == 0)
      return 0;
    /* remembered, as shells do: it is there, but cannot be started. execvp returns the same for folders */
    if (is_file)
      error = -EACCES; /* of the name, and of folders that may not be entered */
    list += length;
    if (*list == '\0')
      return error;
  }
}

int program_find(const char *name, char **ret_path) {
  char path[2 * PATH_MAX];
  int error = -ENOENT;
  if (strchr(name, '/')) {
    bool is_file;
    snprintf(path, sizeof path, "%s", name);
    error = check_executable(path, &is_file);
  } else if (*name != '\0') {
    error = find_on_path(name, path, sizeof path);
  }
  if (error != 0)
    return error == -ENOTDIR ? -ENOENT : error;
  *ret_path = strdup(path);
  return *ret_path ? 0 : -ENOMEM;
}

/* Fills `ret` with the interpreter and its argument (which may be empty) of a #! file. False if it is
 * none. */
static bool script_interpreter(const char *path, char *ret, size_t size, char *ret_argument) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  ssize_t length = fd >= 0 ? read(fd, ret, size - 1) : -1;
  if (fd >= 0)
    close(fd);
  ret[length > 0 ? length : 0] = '\0';
  if (strncmp(ret, "#!", 2) != 0)
    return false;
  ret[strcspn(ret, "\n")] = '\0';
  char *word = ret + 2 + strspn(ret + 2, " \t");
  char *rest = word + strcspn(word, " \t");
  if (*rest != '\0')
    *rest++ = '\0';
  rest += strspn(rest, " \t");
  rest[strcspn(rest, " \t")] = '\0';
  memmove(ret_argument, rest, strlen(rest) + 1);
  memmove(ret, word, strlen(word) + 1);
  return *ret != '\0';
}

/* Replaces `path` by the program that runs it if it is a script. "#!/usr/bin/env python3" means python3. */
static bool follow_script(char *path, size_t size) {
  char interpreter[PATH_MAX], argument[PATH_MAX], *found = NULL;
  if (!script_interpreter(path, interpreter, sizeof interpreter, argument))
    return false;
  const char *base = strrchr(interpreter, '/');
  if (base && strcmp(base, "/env") == 0 && *argument != '\0' && *argument != '-' &&
      program_find(argument, &found) == 0)
    snprintf(interpreter, sizeof interpreter, "%s", found);
  free(found);
  snprintf(path, size, "%s", interpreter);
  return true;
}

/* True if the kernel would start the file in secure execution mode. */
static bool is_privileged(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0)
    return false;
  bool other_user = (info.st_mode & S_ISUID) != 0 && info.st_uid != getuid();
  bool other_group = (info.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && info.st_gid != getgid();
  bool capabilities = getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
  return other_user || other_group || capabilities;
}

static bool is_r(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return strcmp(name, "R") == 0 || strcmp(name, "Rscript") == 0;
}

/* mpirun, or mpiexec.hydra: what follows the point shows whose it is. */
static bool is_launcher(const char *path) {
  static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "prun",
                                      "srun",   "aprun",   "jsrun",   "ibrun"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == length && strncmp(name, names[i], length) == 0)
      return true;
  return false;
}

void program_inspect(const char *path, struct program *ret) {
  char file_path[PATH_MAX];
  *ret = (struct program){.path = strdup(path), .kind = PROGRAM_OTHER, .is_launcher = is_launcher(path)};
  ret->has_mpi = ret->is_launcher;
  snprintf(file_path, sizeof file_path, "%s", path);
  ret->puts_libraries_first = is_r(file_path);
  for (int depth = 0; depth < SCRIPT_DEPTH && follow_script(file_path, sizeof file_path); depth++) {
    ret->is_script = true;
    ret->puts_libraries_first |= is_r(file_path);
  }
  ret->is_privileged = is_privileged(file_path);
  struct elf_file file;
  int error = elf_open(file_path, &file);
  if (error == -EPROTONOSUPPORT)
    ret->kind = PROGRAM_FOREIGN;
  if (error != 0)
    return;
  ret->kind = PROGRAM_NATIVE;
  elf_close(&file);
  needed_inspect(file_path, ret);
}

void program_clear(struct program *program) {
  free(program->path);
  free(program->libgomp_user);
  free(program->libomp_unfound);
  free(program->libgomp_fixed);
  free(program->libgomp_copy);
  free(program->libgomp_static);
  string_list_clear(&program->versions);
  string_list_clear(&program->symbols);
  *program = (struct program){0};
}
