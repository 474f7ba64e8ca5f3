#include "writer/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TRIES_MOST = 10000 };

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

static bool append_letter(struct path_text *target, char letter, const struct output_names *names) {
  switch (letter) {
  case 'e':
    append(target, names->program, true);
    return true;
  case 'h':
    append(target, names->host, true);
    return true;
  case 'p':
    append_number(target, names->pid);
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

int output_expand(const char *template, const struct output_names *names, char *path, size_t size) {
  struct path_text target = {path, size, 0, false};
  bool has_rank = false;
  for (const char *c = template; *c; c++) {
    if (*c != '%') {
      append(&target, (char[]){*c, '\0'}, false);
      continue;
    }
    has_rank |= c[1] == 'r';
    if (!append_letter(&target, *++c, names))
      return -EINVAL;
  }
  if (names->mpi_rank >= 0 && names->mpi_size != 1 && !has_rank) {
    append(&target, "-", false);
    append_number(&target, names->mpi_rank);
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
  for (int i = 2; i < TRIES_MOST; i++) {
    if (mkdir(path, 0777) == 0)
      return 0;
    if (errno != EEXIST)
      return -errno;
    if ((size_t)snprintf(path + length, size - length, "-%d", i) >= size - length)
      return -ENAMETOOLONG;
  }
  return -EEXIST;
}

static const char *first_of(const char *const *names) {
  for (; *names; names++) {
    const char *value = getenv(*names);
    if (value && *value)
      return value;
  }
  return NULL;
}

static int number_of(const char *const *names) {
  const char *value = first_of(names);
  return value && isdigit((unsigned char)*value) ? atoi(value) : -1;
}

int output_mpi_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",    "PMI_RANK",
                                      "MV2_COMM_WORLD_RANK",  "SLURM_PROCID", NULL};
  return number_of(names);
}

/* The fifth is what MPI_Init of Open MPI sets in a program that no launcher has started. */
int output_mpi_size(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE",        "PMI_SIZE",
                                      "MV2_COMM_WORLD_SIZE",         "SLURM_NTASKS",
                                      "OMPI_MCA_orte_ess_num_procs", NULL};
  return number_of(names);
}

const char *output_job(void) {
  static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", NULL};
  return first_of(names);
}
