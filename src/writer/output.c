#include "writer/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES_MAX = 10000 };

struct path_text {
  char *text;
  size_t size, length;
  bool is_cut;
};

static void append(struct path_text *target, const char *piece, bool is_name) {
  for (; *piece; piece++) {
    bool is_plain = isalnum((unsigned char)*piece) || strchr("._-+,=@", *piece);
    if (target->length + 1 >= target->size) {
      target->is_cut = true;
      return;
    }
    target->text[target->length++] = is_name && !is_plain ? '_' : *piece;
  }
  target->text[target->length] = '\0';
}

static void append_number(struct path_text *target, long number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%ld", number);
  append(target, digits, false);
}

/* The ranks of a run have one directory: what is different in each cannot be in its name. */
static void append_process(struct path_text *target, const struct output_names *names) {
  if (names->run && *names->run)
    append(target, names->run, true);
  else
    append_number(target, names->pid);
}

static bool append_letter(struct path_text *target, char letter, const struct output_names *names) {
  switch (letter) {
  case 'e':
    append(target, names->program, true);
    return true;
  case 'h':
    append(target, names->host, true);
    return true;
  case 'p':
    append_process(target, names);
    return true;
  case 'r':
    append_number(target, names->mpi_rank < 0 ? 0 : names->mpi_rank);
    return true;
  case 'j':
    append(target, names->job ? names->job : "0", true);
    return true;
  case '%':
    append(target, "%", false);
    return true;
  default:
    return false;
  }
}

static bool names_rank(const char *template) {
  for (const char *c = template; (c = strchr(c, '%')) && c[1]; c += 2)
    if (c[1] == 'r')
      return true;
  return false;
}

int output_expand(const char *template, const struct output_names *given, char *path, size_t size,
                  bool *ret_is_job) {
  struct path_text target = {path, size, 0, false};
  struct output_names expanded = *given, *names = &expanded;
  *ret_is_job = names->mpi_rank >= 0 && names->mpi_size != 1 && !names_rank(template);
  if (!*ret_is_job)
    names->run = NULL;
  for (const char *c = template; *c; c++) {
    if (*c != '%') {
      append(&target, (char[]){*c, '\0'}, false);
      continue;
    }
    if (!append_letter(&target, *++c, names))
      return -EINVAL;
  }
  return target.is_cut || target.length == 0 ? -ENAMETOOLONG : 0;
}

static int make_parents(char *path) {
  for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = '\0';
    int error = mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
    *slash = '/';
    if (error)
      return -error;
  }
  return 0;
}

int output_make_directory(char *path, size_t size) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/')
    path[--length] = '\0';
  int error = make_parents(path);
  if (error)
    return error;
  for (int i = 2; i < TRIES_MAX; i++) {
    if (mkdir(path, 0777) == 0)
      return 0;
    if (errno != EEXIST)
      return -errno;
    if ((size_t)snprintf(path + length, size - length, "-%d", i) >= size - length)
      return -ENAMETOOLONG;
  }
  return -EEXIST;
}

/* -- the directory of a job -- */

static int join(char *target, size_t size, const char *directory, const char *name) {
  return (size_t)snprintf(target, size, "%s/%s", directory, name) < size ? 0 : -ENAMETOOLONG;
}

/* Whether the ranks of this run have it. */
static bool is_of_run(const char *directory, const char *run, int rank) {
  char path[PATH_MAX], text[256] = "", own[PATH_MAX], number[24];
  struct stat status;
  snprintf(number, sizeof number, "rank/%d", rank);
  if (join(path, sizeof path, directory, "rank/" OUTPUT_RUN_FILE) < 0 ||
      join(own, sizeof own, directory, number) < 0)
    return false;
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  return strcmp(text, run) == 0 && (*run || lstat(own, &status) < 0); /* an unknown run: not twice one rank */
}

static int write_run(const char *directory, const char *run) {
  char path[PATH_MAX];
  if (join(path, sizeof path, directory, "rank/" OUTPUT_RUN_FILE) < 0)
    return -ENAMETOOLONG;
  FILE *file = fopen(path, "wxe");
  if (!file)
    return -errno;
  bool is_written = fputs(run, file) >= 0;
  return fclose(file) == 0 && is_written ? 0 : -EIO;
}

static void remove_new(const char *directory) {
  static const char *const names[] = {("rank/" OUTPUT_RUN_FILE), "rank", "."};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (join(path, sizeof path, directory, names[i]) == 0 && names[i][0] != '.')
      remove(path);
  rmdir(directory);
}

/* Makes it beside, and gives it its name in one step: the ranks of a run come all together, and each sees
 * none, or one that states whose it is. Returns -EEXIST if the name is taken. */
static int make_job(const char *directory, const char *run) {
  char beside[PATH_MAX], ranks[PATH_MAX];
  if ((size_t)snprintf(beside, sizeof beside, "%s.%d", directory, (int)getpid()) >= sizeof beside ||
      join(ranks, sizeof ranks, beside, "rank") < 0)
    return -ENAMETOOLONG;
  if (mkdir(beside, 0777) < 0)
    return -errno;
  int error = mkdir(ranks, 0777) < 0 ? -errno : write_run(beside, run);
  if (error == 0 && rename(beside, directory) < 0)
    error = errno == ENOTEMPTY || errno == ENOTDIR || errno == EEXIST ? -EEXIST : -errno;
  if (error)
    remove_new(beside);
  return error;
}

int output_make_job_directory(char *path, size_t size, const char *run, int rank) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/')
    path[--length] = '\0';
  int error = make_parents(path);
  for (int i = 2; error == 0 && i < TRIES_MAX; i++) {
    if (!is_of_run(path, run, rank))
      error = make_job(path, run);
    if (error == 0 || (error == -EEXIST && is_of_run(path, run, rank))) {
      int used = snprintf(path + strlen(path), size - strlen(path), "/rank/%d", rank);
      return used > 0 && strlen(path) + 1 < size ? output_make_directory(path, size) : -ENAMETOOLONG;
    }
    if (error != -EEXIST)
      return error;
    error = (size_t)snprintf(path + length, size - length, "-%d", i) < size - length ? 0 : -ENAMETOOLONG;
  }
  return error ? error : -EEXIST;
}

int output_make(char *path, size_t size, bool is_job, const struct output_names *names) {
  return is_job ? output_make_job_directory(path, size, names->run ? names->run : "", names->mpi_rank)
                : output_make_directory(path, size);
}

bool output_is_as_requested(const char *requested, const char *made) {
  size_t length = strlen(requested);
  while (length > 1 && requested[length - 1] == '/')
    length--;
  return strncmp(requested, made, length) == 0 && (made[length] == '\0' || made[length] == '/');
}

void output_read_launcher(struct output_names *names, char run[LAUNCHER_RUN_BYTES]) {
  names->mpi_rank = launcher_rank();
  names->mpi_size = launcher_size();
  names->job = launcher_batch_job();
  launcher_run(names->pid, run);
  names->run = run;
}
