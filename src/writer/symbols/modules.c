#include "writer/symbols/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* A range of addresses that still belongs to a module. */
struct range {
  uint64_t begin;
  uint64_t end;
  struct module *module;
};

struct modules {
  struct module **all; /* also those no longer found: addresses requested earlier point to them */
  size_t n_all, max_all;
  struct range *ranges; /* by address, disjoint */
  size_t n_ranges, max_ranges;
  char *program; /* NULL: its file is not kept */
  int program_fd;
};

struct modules *modules_create(void) {
  return calloc(1, sizeof(struct modules));
}

static void module_free(struct module *module) {
  if (module)
    free((char *)module->path);
  free(module);
}

void modules_destroy(struct modules *modules) {
  if (!modules)
    return;
  for (size_t i = 0; i < modules->n_all; i++)
    module_free(modules->all[i]);
  if (modules->program)
    close(modules->program_fd);
  free(modules->program);
  free(modules->all);
  free(modules->ranges);
  free(modules);
}

/* The dynamic linker can have been started with the program as its argument; after exec it is another one. */
static bool is_path_of(const char *link, const char *path) {
  char text[4096];
  size_t length = strlen(path);
  ssize_t bytes = readlink(link, text, sizeof text - 1);
  if (bytes < 0)
    return false;
  text[bytes] = '\0';
  return strncmp(text, path, length) == 0 &&
         (text[length] == '\0' || strcmp(text + length, " (deleted)") == 0);
}

void modules_keep_program(struct modules *modules, pid_t pid, const char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
  int fd = open(link, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && !modules->program && is_path_of(link, path) && (modules->program = strdup(path)))
    modules->program_fd = fd;
  else if (fd >= 0)
    close(fd);
}

/* The first range that ends after the address; n_ranges if there is none. */
static size_t range_after(const struct modules *modules, uint64_t address) {
  size_t low = 0, high = modules->n_ranges;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (modules->ranges[middle].end > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

const struct module *modules_find(const struct modules *modules, uint64_t address) {
  size_t i = range_after(modules, address);
  if (i == modules->n_ranges || modules->ranges[i].begin > address)
    return NULL;
  return modules->ranges[i].module;
}

static bool same_module(const struct module *a, const struct module *b) {
  return a->base == b->base && a->size == b->size && a->bias == b->bias && !strcmp(a->path, b->path) &&
         a->build_id_size == b->build_id_size && !memcmp(a->build_id, b->build_id, a->build_id_size);
}

/* Room for `extra` more of everything, so that nothing can fail half done. */
static int reserve(struct modules *modules, size_t extra) {
  bool has_room =
      array_try_reserve(&modules->all, &modules->max_all, modules->n_all + extra, sizeof *modules->all) &&
      array_try_reserve(&modules->ranges, &modules->max_ranges, modules->n_ranges + extra,
                        sizeof *modules->ranges);
  return has_room ? 0 : -ENOMEM;
}

/* Replaces the ranges [from, to) by n others; there is room for them. */
static void ranges_replace(struct modules *modules, size_t from, size_t to, const struct range *by,
                           size_t n) {
  struct range *at = modules->ranges + from;
  memmove(at + n, modules->ranges + to, (modules->n_ranges - to) * sizeof(*at));
  memcpy(at, by, n * sizeof(*at));
  modules->n_ranges += n - (to - from);
}

/* Gives [new.begin, new.end) to the new module; what others had left and right of it they keep. */
static void ranges_cover(struct modules *modules, struct range new) {
  struct range by[3];
  size_t n = 0;
  size_t from = range_after(modules, new.begin);
  size_t to = from;
  while (to < modules->n_ranges && modules->ranges[to].begin < new.end)
    to++;
  if (from < to && modules->ranges[from].begin < new.begin) {
    by[n] = modules->ranges[from];
    by[n++].end = new.begin;
  }
  by[n++] = new;
  if (from < to && modules->ranges[to - 1].end > new.end) {
    by[n] = modules->ranges[to - 1];
    by[n++].begin = new.end;
  }
  ranges_replace(modules, from, to, by, n);
}

static struct module *module_new(const struct module *like) {
  struct module *module = malloc(sizeof(*module));
  if (!module)
    return NULL;
  *module = *like;
  module->path = strdup(like->path);
  if (!module->path) {
    free(module);
    return NULL;
  }
  return module;
}

static int module_insert(struct modules *modules, const struct module *like) {
  const struct module *there = modules_find(modules, like->base);
  if (there && same_module(there, like))
    return 0;
  int error = reserve(modules, 2);
  if (error)
    return error;
  struct module *module = module_new(like);
  if (!module)
    return -ENOMEM;
  modules->all[modules->n_all++] = module;
  ranges_cover(modules, (struct range){module->base, module->base + module->size, module});
  return 0;
}

int modules_add(struct modules *modules, uint64_t base, uint64_t size, uint64_t bias, const char *path,
                const uint8_t *build_id, unsigned build_id_size) {
  if (size == 0 || base + size < base || !path || build_id_size > MODULE_BUILD_ID_MAX)
    return -EINVAL;
  struct module like = {
      .base = base, .size = size, .bias = bias, .path = path, .build_id_size = build_id_size};
  like.fd = modules->program && strcmp(modules->program, path) == 0 ? modules->program_fd : -1;
  if (build_id_size)
    memcpy(like.build_id, build_id, build_id_size);
  return module_insert(modules, &like);
}
