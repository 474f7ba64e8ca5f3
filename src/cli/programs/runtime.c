#include "cli/programs/runtime.h"

#include "cli/programs/elf_file.h"
#include "cli/programs/libpath.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char LIBOMP[] = "libomp.so.5";

/* True if the file is there (packages ship dangling links) and can replace libgomp.so.1. */
static bool works(void *context, const char *path) {
  char *ret = context;
  char real[PATH_MAX];
  struct elf_file file;
  if (!realpath(path, real) || elf_open(real, &file) != 0)
    return false;
  bool has_gomp = elf_defines_version(&file, "GOMP_1.0");
  elf_close(&file);
  if (has_gomp)
    snprintf(ret, PATH_MAX, "%s", real);
  return has_gomp;
}

/* The N of /usr/lib/llvm-N/lib/libomp.so.5. */
static int llvm_release(const char *path) {
  const char *number = strstr(path, "llvm-");
  return number ? atoi(number + strlen("llvm-")) : 0;
}

static int newest_first(const void *left, const void *right) {
  return llvm_release(*(char *const *)right) - llvm_release(*(char *const *)left);
}

static bool find_in_llvm(char *ret) {
  glob_t found;
  bool done = false;
  if (glob("/usr/lib/llvm-*/lib/libomp.so.5", 0, NULL, &found) != 0)
    return false;
  qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
  for (size_t i = 0; i < found.gl_pathc && !done; i++)
    done = works(ret, found.gl_pathv[i]);
  globfree(&found);
  return done;
}

static bool find_requested(const char *requested, char *ret) {
  struct stat info;
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s", requested);
  if (stat(requested, &info) == 0 && S_ISDIR(info.st_mode))
    snprintf(path, sizeof path, "%s/%s", requested, LIBOMP);
  return works(ret, path);
}

int runtime_find(const char *requested, char **ret_path) {
  char path[PATH_MAX];
  bool found = requested ? find_requested(requested, path)
                         : libpath_in_list(getenv("LD_LIBRARY_PATH"), NULL, LIBOMP, works, path) ||
                               libpath_in_system(LIBOMP, works, path) || find_in_llvm(path);
  if (!found)
    return -ENOENT;
  *ret_path = strdup(path);
  return *ret_path ? 0 : -ENOMEM;
}

/* gcc calls these where threads share memory for a scan, on which libomp ends the program (its message 277),
 * and for reductions over tasks, which libomp can do. */
static bool may_scan(const char *symbol) {
  static const char *const starts[] = {"GOMP_loop_start",
                                       "GOMP_loop_ordered_start",
                                       "GOMP_loop_doacross_start",
                                       "GOMP_loop_ull_start",
                                       "GOMP_loop_ull_ordered_start",
                                       "GOMP_sections2_start",
                                       "GOMP_loop_ull_doacross_start"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strcmp(symbol, starts[i]) == 0)
      return true;
  return false;
}

static bool has(const struct string_list *list, const char *text) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], text) == 0)
      return true;
  return false;
}

static bool has_any(const struct string_list *list, const char *beginning) {
  for (size_t i = 0; i < list->count; i++)
    if (strncmp(list->items[i], beginning, strlen(beginning)) == 0)
      return true;
  return false;
}

/* By its path: who requests any of LLVM's leaves the decision to Stave. */
static bool is_named(void) {
  const char *runtime = getenv("STAVE_RUNTIME");
  return runtime && *runtime != '\0' && strcmp(runtime, "llvm") != 0;
}

/* libomp leaves sections that were cancelled as they were, and threads wait in the next ones without end:
 * where OMP_CANCELLATION lets that happen. No symbol reports what is cancelled: who names a runtime
 * decides. */
static bool may_cancel_sections(const struct string_list *symbols) {
  const char *cancellation = getenv("OMP_CANCELLATION");
  return has(symbols, "GOMP_cancel") &&
         (has_any(symbols, "GOMP_sections") || has_any(symbols, "GOMP_parallel_sections")) && cancellation &&
         *cancellation && strcasecmp(cancellation, "false") != 0 && !is_named();
}

/* Where there are reductions over tasks no symbol reports whether there are scans: then who names a runtime
 * decides. */
static void add_scans(const struct string_list *symbols, struct string_list *ret_missing) {
  if (!has(symbols, "GOMP_workshare_task_reduction_unregister"))
    string_list_add(ret_missing, "scans (reductions with inscan)");
  else if (!is_named())
    string_list_add(ret_missing,
                    "scans, unless it only has reductions over tasks (then name the runtime: --runtime)");
}

void runtime_missing(const char *path, const struct string_list *versions, const struct string_list *symbols,
                     struct string_list *ret_missing) {
  struct elf_file file;
  if (elf_open(path, &file) != 0)
    return;
  for (size_t i = 0; i < versions->count; i++)
    if (!elf_defines_version(&file, versions->items[i]))
      string_list_add(ret_missing, versions->items[i]);
  bool has_versions = ret_missing->count == 0;
  for (size_t i = 0; i < symbols->count && has_versions; i++)
    if (!elf_defines_symbol(&file, symbols->items[i]))
      string_list_add(ret_missing, symbols->items[i]);
    else if (may_scan(symbols->items[i]))
      add_scans(symbols, ret_missing);
  if (has_versions && may_cancel_sections(symbols))
    string_list_add(ret_missing, "cancelled sections (if it never cancels any, name the runtime: --runtime)");
  elf_close(&file);
}
