#include "cli/programs/needed.h"

#include "base/array.h"
#include "cli/programs/elf_file.h"
#include "cli/programs/libpath.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char LIBGOMP[] = "libgomp.so.1";

/* One loaded file. */
struct loaded_object {
  char path[PATH_MAX];
  char origin[PATH_MAX]; /* its directory, for $ORIGIN */
  size_t loader;         /* the object that needed it; its own index for the program */
  struct elf_file file;
};

struct library_walk {
  struct loaded_object **objects; /* in the loader's order */
  size_t count, capacity;
  struct string_list seen; /* names needed so far: the loader matches by name */
  char *libomp;            /* the file that LLVM's runtime is; NULL: none, or it cannot be read */
  struct program *program;
  struct libpath_cache cache;
};

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool is_libomp(const char *name) {
  return starts_with(name, "libomp.so") || starts_with(name, "libomp-") || starts_with(name, "libomp5.so") ||
         starts_with(name, "libiomp5.so") || starts_with(name, "libiomp5-");
}

/* Open MPI's libmpi.so.40, MPICH's libmpich.so.12 or libmpi.so.12, those of Fortran, libmpi_abi.so. */
static bool is_mpi(const char *name) {
  return starts_with(name, "libmpi.so") || starts_with(name, "libmpi_") || starts_with(name, "libmpich");
}

static void keep_first(char **slot, const char *text) {
  if (!*slot)
    *slot = strdup(text);
}

static void add_version(void *context, const char *version) {
  struct program *program = context;
  string_list_add(&program->versions, version);
}

static void add_symbol(void *context, const char *symbol) {
  struct program *program = context;
  string_list_add(&program->symbols, symbol);
}

/* What the file contains itself. libomp, too, defines GOMP_parallel, so that it has to be distinguished. */
static void look_inside(struct library_walk *walk, const struct loaded_object *object) {
  elf_needed_versions(&object->file, LIBGOMP, add_version, walk->program);
  elf_needed_symbols(&object->file, LIBGOMP, add_symbol, walk->program);
  walk->program->has_tsan |= elf_defines_symbol(&object->file, "__tsan_init");
  if (!elf_defines_symbol(&object->file, "GOMP_parallel"))
    return;
  if (elf_defines_symbol(&object->file, "__kmpc_fork_call"))
    walk->program->has_libomp = true;
  else
    keep_first(&walk->program->libgomp_static, object->path);
}

/* Opens a library and appends it. False if it is not one this machine can load. */
static bool add_object(struct library_walk *walk, const char *path, size_t loader) {
  struct loaded_object *object = calloc(1, sizeof *object);
  if (!object ||
      !array_try_reserve(&walk->objects, &walk->capacity, walk->count + 1, sizeof *walk->objects) ||
      elf_open(path, &object->file) != 0) {
    free(object);
    return false;
  }
  char real[PATH_MAX];
  snprintf(object->path, sizeof object->path, "%s", path);
  bool is_program = walk->count == 0; /* links are followed for it alone */
  snprintf(object->origin, sizeof object->origin, "%s", is_program && realpath(path, real) ? real : path);
  object->origin[base_name(object->origin) - object->origin] = '\0';
  object->loader = loader;
  walk->objects[walk->count++] = object;
  return true;
}

/* What becomes of a library's name: a file to walk on to, or just its path. */
struct library_search {
  struct library_walk *walk;
  size_t loader;
  bool only_path; /* do not append what is found */
  char found[2 * PATH_MAX];
};

static bool try_path(void *context, const char *path) {
  struct library_search *search = context;
  struct elf_file file;
  if (search->only_path) {
    if (elf_open(path, &file) != 0)
      return false;
    elf_close(&file);
  } else if (!add_object(search->walk, path, search->loader)) {
    return false;
  }
  snprintf(search->found, sizeof search->found, "%s", path);
  return true;
}

static const char *run_path(const struct loaded_object *object) {
  return elf_dynamic_string(&object->file, DT_RUNPATH, 0);
}

/* DT_RPATH of the object and of those that loaded it, unless the object has a DT_RUNPATH: what comes before
 * LD_LIBRARY_PATH. */
static bool search_rpaths(struct library_search *search, const char *name) {
  const struct loaded_object *object = search->walk->objects[search->loader];
  if (run_path(object))
    return false;
  for (size_t i = search->loader;; i = object->loader) {
    object = search->walk->objects[i];
    const char *list = !run_path(object) ? elf_dynamic_string(&object->file, DT_RPATH, 0) : NULL;
    if (libpath_in_list(list, object->origin, name, try_path, search))
      return true;
    if (object->loader == i)
      return false;
  }
}

static void search_rest(struct library_search *search, const char *name) {
  const struct loaded_object *object = search->walk->objects[search->loader];
  if (!libpath_in_list(getenv("LD_LIBRARY_PATH"), NULL, name, try_path, search) &&
      !libpath_in_list(run_path(object), object->origin, name, try_path, search))
    libpath_in_cached_system(&search->walk->cache, name, try_path, search);
}

static void need_libgomp(struct library_search *search, const char *name) {
  struct program *program = search->walk->program;
  keep_first(&program->libgomp_user, search->walk->objects[search->loader]->path);
  search->only_path = true;
  if (strchr(name, '/'))
    keep_first(&program->libgomp_fixed, name);
  else if (search_rpaths(search, name))
    keep_first(&program->libgomp_fixed, search->found);
}

static void need_libomp(struct library_search *search, const char *name) {
  search->walk->program->has_libomp = true;
  search->only_path = true;
  if (strchr(name, '/'))
    try_path(search, name);
  else if (!search_rpaths(search, name))
    search_rest(search, name);
  if (search->found[0] != '\0')
    keep_first(&search->walk->libomp, search->found);
}

static bool is_same_file(const char *one, const char *other) {
  struct stat first, second;
  return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/* LLVM's libomptarget opens libomp.so to find the runtime's tool. The name may lead nowhere, as Debian's
 * runtime packages have libomp.so.5 alone, or to a second runtime, at which the first one ends the process.
 * What is loaded under this name is found without a search. */
static void look_for_connector(struct library_walk *walk, size_t omptarget) {
  struct library_search search = {.walk = walk, .loader = omptarget, .only_path = true};
  if (!walk->libomp || strcmp(base_name(walk->libomp), "libomp.so") == 0)
    return;
  if (!search_rpaths(&search, "libomp.so"))
    search_rest(&search, "libomp.so");
  if (search.found[0] == '\0' || !is_same_file(search.found, walk->libomp))
    keep_first(&walk->program->libomp_unfound, walk->libomp);
}

static void need(struct library_walk *walk, size_t loader, const char *name) {
  struct library_search search = {.walk = walk, .loader = loader};
  const char *base = base_name(name);
  if (!string_list_add(&walk->seen, name))
    return;
  walk->program->has_mpi |= is_mpi(base);
  if (is_libomp(base))
    need_libomp(&search, name);
  else if (strcmp(base, LIBGOMP) == 0)
    need_libgomp(&search, name);
  else if (starts_with(base, "libgomp-") || starts_with(base, "libgomp.so"))
    keep_first(&walk->program->libgomp_copy, base);
  else if (strchr(name, '/'))
    try_path(&search, name);
  else if (!search_rpaths(&search, name))
    search_rest(&search, name);
}

void needed_inspect(const char *path, struct program *ret) {
  struct library_walk walk = {.program = ret, .cache = libpath_cache_open()};
  add_object(&walk, path, 0);
  for (size_t i = 0; i < walk.count; i++) {
    const char *name;
    look_inside(&walk, walk.objects[i]);
    for (size_t n = 0; (name = elf_dynamic_string(&walk.objects[i]->file, DT_NEEDED, n)); n++)
      need(&walk, i, name);
  }
  for (size_t i = 0; i < walk.count; i++)
    if (starts_with(base_name(walk.objects[i]->path), "libomptarget.so"))
      look_for_connector(&walk, i);
  for (size_t i = 0; i < walk.count; i++) {
    elf_close(&walk.objects[i]->file);
    free(walk.objects[i]);
  }
  free(walk.objects);
  free(walk.libomp);
  libpath_cache_close(&walk.cache);
  string_list_clear(&walk.seen);
}
