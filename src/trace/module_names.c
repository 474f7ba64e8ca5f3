#include "trace/module_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

#include "base/base_name.h"
#include "base/memory.h"

enum { NAME_BYTES = 256, FOLDERS_MAX = 32, MODULES_MAX = 1000 };

static const char at_address[] = " @0x";

/* -- what a module is called -- */

/* Where the name of the interpreter begins that an extension of Python is for,
 * ".cpython-311-x86_64-linux-gnu.so"; NULL: there is none. */
static const char *interpreter_in(const char *file) {
  static const char *const words[] = {".cpython-", ".pypy", ".abi3."};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(file, words[i]))
      return strstr(file, words[i]);
  return NULL;
}

/* After the last folder of Python's packages; NULL: it is in none. */
static const char *in_packages(const char *path) {
  static const char *const words[] = {"/site-packages/", "/dist-packages/"};
  const char *ret = NULL;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    for (const char *at = path; (at = strstr(at, words[i]));)
      ret = at += strlen(words[i]);
  return ret;
}

/* One folder before `name`, which is part of the path. */
static const char *folder_before(const char *path, const char *name) {
  if (name - path < 2)
    return path;
  name--;
  while (name > path && name[-1] != '/')
    name--;
  return name > path + 1 ? name : path;
}

char *module_name(char *buffer, size_t size, const char *path, unsigned folders) {
  const char *file = base_name(path), *interpreter = interpreter_in(file), *name = in_packages(path);
  if (!name)
    name = interpreter ? folder_before(path, file) : file;
  while (folders-- > 0)
    name = folder_before(path, name);
  if (interpreter)
    snprintf(buffer, size, "%.*s.so", (int)(interpreter - name), name);
  else
    snprintf(buffer, size, "%s", name);
  return buffer;
}

bool module_is_packaged(const char *path) {
  static const char *const folders[] = {"/usr/", "/lib", "/bin/", "/sbin/"};
  static const char own[] = "/usr/local/";
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(path, folders[i], strlen(folders[i])) == 0)
      return strncmp(path, own, strlen(own)) != 0;
  return false;
}

/* -- those of a trace -- */

static bool is_place(const struct trace_region *region) {
  return region->paradigm == OTF2_PARADIGM_OPENMP && region->begin_line == 0 &&
         strstr(region->name, at_address) != NULL;
}

/* Whether what represents its source file is a module: of a function the description names it, too. */
static bool has_module(const struct trace_region *region) {
  const char *file = base_name(region->file);
  size_t length = strcspn(region->description, ",");
  bool is_described = strlen(file) == length && strncmp(file, region->description, length) == 0;
  return *region->file == '/' && region->begin_line == 0 && (is_place(region) || is_described);
}

static int by_module(const void *left, const void *right) {
  const struct trace_region *const *a = left, *const *b = right;
  return strcmp((*a)->module, (*b)->module);
}

/* The regions that have a module, by its path. */
static struct trace_region **sort_modules(const struct trace *trace, size_t *ret_count) {
  struct trace_region **sorted = memory_get(trace->region_count, sizeof *sorted);
  *ret_count = 0;
  for (size_t i = 0; i < trace->region_count; i++)
    if (*trace->regions[i].module)
      sorted[(*ret_count)++] = &trace->regions[i];
  if (*ret_count > 1)
    qsort(sorted, *ret_count, sizeof *sorted, by_module);
  return sorted;
}

/* Where the regions of the next module begin. */
static size_t next_module(struct trace_region *const *sorted, size_t count, size_t at) {
  const char *module = sorted[at]->module;
  while (at < count && strcmp(sorted[at]->module, module) == 0)
    at++;
  return at;
}

static bool is_in_use(struct trace_region *const *sorted, size_t count, const char *path, unsigned folders) {
  char name[NAME_BYTES], other[NAME_BYTES];
  module_name(name, sizeof name, path, folders);
  for (size_t i = 0; i < count; i = next_module(sorted, count, i))
    if (strcmp(sorted[i]->module, path) != 0 &&
        strcmp(module_name(other, sizeof other, sorted[i]->module, folders), name) == 0)
      return true;
  return false;
}

/* What distinguishes the module from others; nothing, for more modules than a program can have. */
static unsigned folders_of(struct trace_region *const *sorted, size_t count, const char *path) {
  unsigned folders = 0;
  size_t modules = 0;
  for (size_t i = 0; i < count && modules <= MODULES_MAX; i = next_module(sorted, count, i))
    modules++;
  while (modules <= MODULES_MAX && folders < FOLDERS_MAX && is_in_use(sorted, count, path, folders))
    folders++;
  return folders;
}

/* "!$omp parallel @", the module, "+0x1282". */
static char *with_module(const char *name, const char *module) {
  const char *address = strstr(name, at_address) + strlen(" @");
  return memory_print("%.*s%s+%s", (int)(address - name), name, module, address);
}

static void name_region(struct trace_region *region, const char *module, char *ret_names[2]) {
  ret_names[0] = memory_text(module);
  ret_names[1] = is_place(region) ? with_module(region->name, module) : NULL;
  region->module_name = ret_names[0];
  region->name = ret_names[1] ? ret_names[1] : region->name;
}

/* Names the regions of each module; the names become the trace's. */
static void name_all(struct trace *trace, struct trace_region *const *sorted, size_t count) {
  trace->region_names = memory_get(count, sizeof *trace->region_names);
  trace->region_name_count = count;
  for (size_t i = 0; i < count;) {
    char name[NAME_BYTES];
    module_name(name, sizeof name, sorted[i]->module, folders_of(sorted, count, sorted[i]->module));
    for (size_t end = next_module(sorted, count, i); i < end; i++)
      name_region(sorted[i], name, trace->region_names[i]);
  }
}

void module_names_add(struct trace *trace) {
  for (size_t i = 0; i < trace->region_count; i++) {
    struct trace_region *region = &trace->regions[i];
    bool is_module = has_module(region);
    region->module = is_module ? region->file : "";
    region->module_name = "";
    region->file = is_module ? "" : region->file;
  }
  size_t count;
  struct trace_region **sorted = sort_modules(trace, &count);
  name_all(trace, sorted, count);
  free(sorted);
}

void module_names_free(struct trace *trace) {
  for (size_t i = 0; i < trace->region_name_count; i++) {
    free(trace->region_names[i][0]);
    free(trace->region_names[i][1]);
  }
  free(trace->region_names);
}
