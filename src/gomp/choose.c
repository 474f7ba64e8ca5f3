/* What `stave record` gives programs as libgomp.so.1: it becomes libomp, which can be traced, or the libgomp
 * that the program would have had, where it needs what libomp lacks. That is decided at the first call of any
 * of its functions, when all libraries that the program starts with are there: whoever started the program
 * need not know it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/string_list.h"
#include "cli/programs/elf_file.h"
#include "cli/programs/libpath.h"
#include "cli/programs/runtime.h"
#include "gomp/entries.h"

static const char LIBGOMP[] = "libgomp.so.1";

static const struct {
  const char *name, *version;
} functions[] = {
#define ENTRY(version, name) {#name, #version},
#define OLD_ENTRY(version, name) {#name, #version},
#include "gomp/entries.def"
#undef ENTRY
#undef OLD_ENTRY
};

static struct {
  pthread_once_t chosen, completed;
  void *unset[ENTRY_COUNT]; /* the table as it was */
  char place[PATH_MAX];     /* the folder that `stave record` has made */
  char runtime[PATH_MAX];   /* the libomp in it */
  char own[PATH_MAX];       /* this file */
  void *libgomp;
  bool is_moved; /* to libomp */
  char libgomp_path[PATH_MAX];
} choice = {.chosen = PTHREAD_ONCE_INIT, .completed = PTHREAD_ONCE_INIT};

/* -- what the program needs -- */

struct needs {
  struct string_list versions, symbols;
  char other_runtime[PATH_MAX]; /* LLVM's, which the program has loaded itself */
};

static void add_version(void *needs, const char *version) {
  string_list_add(&((struct needs *)needs)->versions, version);
}

static void add_symbol(void *needs, const char *symbol) {
  string_list_add(&((struct needs *)needs)->symbols, symbol);
}

/* The program itself has no name in the list of loaded files. */
static const char *file_of(const struct dl_phdr_info *info) {
  return *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
}

static bool is_same_file(const char *path, const char *other_path) {
  struct stat one, other;
  return stat(path, &one) == 0 && stat(other_path, &other) == 0 && one.st_ino == other.st_ino &&
         one.st_dev == other.st_dev;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct needs *needs = data;
  struct elf_file file;
  if (elf_open(file_of(info), &file) != 0)
    return 0;
  for (size_t i = 0; elf_dynamic_string(&file, DT_NEEDED, i); i++) {
    const char *library = elf_dynamic_string(&file, DT_NEEDED, i);
    /* also a renamed one, if this file is preloaded */
    if (strncmp(library, "libgomp", strlen("libgomp")) != 0)
      continue;
    elf_needed_versions(&file, library, add_version, needs);
    elf_needed_symbols(&file, library, add_symbol, needs);
  }
  if (elf_defines_symbol(&file, "__kmpc_fork_call") && !is_same_file(file_of(info), choice.runtime))
    snprintf(needs->other_runtime, sizeof needs->other_runtime, "%s", info->dlpi_name);
  elf_close(&file);
  return 0;
}

/* -- the libgomp that the program would have had -- */

static bool open_libgomp(void *data, const char *path) {
  (void)data;
  if (access(path, R_OK) != 0 || is_same_file(path, choice.own))
    return false;
  choice.libgomp = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (choice.libgomp)
    snprintf(choice.libgomp_path, sizeof choice.libgomp_path, "%s", path);
  return choice.libgomp;
}

static int search_of(struct dl_phdr_info *info, size_t size, void *paths) {
  (void)size;
  struct elf_file file;
  if (elf_open(file_of(info), &file) != 0)
    return 0;
  char real[PATH_MAX], list[PATH_MAX] = "";
  if (realpath(file_of(info), real) && strrchr(real, '/'))
    *strrchr(real, '/') = '\0';
  for (int i = 0; i < 2; i++) {
    const char *path = elf_dynamic_string(&file, i ? DT_RUNPATH : DT_RPATH, 0);
    if (path && (size_t)snprintf(list, sizeof list, "%s\n%s", real, path) < sizeof list)
      string_list_add(paths, list);
  }
  elf_close(&file);
  return 0;
}

/* LD_LIBRARY_PATH, what loaded files name, the system's places: as the dynamic linker searches, but for this
 * file. */
static void find_libgomp(void) {
  struct string_list paths = {0};
  bool is_found = libpath_in_list(getenv("LD_LIBRARY_PATH"), NULL, LIBGOMP, open_libgomp, NULL);
  dl_iterate_phdr(search_of, &paths);
  for (size_t i = 0; i < paths.count && !is_found; i++) {
    char *origin = paths.items[i], *list = strchr(origin, '\n');
    *list++ = '\0';
    is_found = libpath_in_list(list, origin, LIBGOMP, open_libgomp, NULL);
  }
  if (!is_found)
    libpath_in_system(LIBGOMP, open_libgomp, NULL);
  string_list_clear(&paths);
}

/* -- notifying `stave record` -- */

/* One write below PIPE_BUF: lines of several processes do not mix. */
__attribute__((format(printf, 1, 2))) static void report(const char *format, ...) {
  char path[PATH_MAX + 16], line[PIPE_BUF];
  struct stat status;
  snprintf(path, sizeof path, "%s/status", choice.place);
  int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  size_t used = length < 0 ? 0 : (size_t)length < sizeof line - 1 ? (size_t)length : sizeof line - 2;
  for (size_t i = 0; i < used; i++)
    line[i] = line[i] == '\n' ? ' ' : line[i];
  line[used] = '\n';
  if (fd >= 0 && fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) && write(fd, line, used + 1) < 0)
    used = 0; /* nobody listens any more */
  if (fd >= 0)
    close(fd);
}

static void report_choice(const char *word, const char *about) {
  char program[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  report("%s %d %s: %s", word, (int)getpid(), program, about);
}

/* -- choosing -- */

static void *find_in(void *library, size_t i) {
#ifdef __GLIBC__
  void *address = library ? dlvsym(library, functions[i].name, functions[i].version) : NULL;
#else
  void *address = NULL; /* nobody requests versions */
#endif
  return address || !library ? address : dlsym(library, functions[i].name);
}

/* What libgomp can do while the program's threads are libomp's: it needs nothing of the team around. Teams,
 * scopes and detached tasks do: each of libomp's threads would be a team of its own there, and results
 * silently wrong. */
static bool works_apart(const char *name) {
  static const char *const beginnings[] = {
      "GOMP_target", "GOMP_offload_",    "GOMP_PLUGIN_", "omp_target_",  "acc_",
      "GOACC_",      "omp_get_interop_", "GOMP_error",   "GOMP_warning", "omp_display_env"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

static void fill_from(void *library, bool is_apart) {
  for (size_t i = 0; i < ENTRY_COUNT; i++) {
    void *address = is_apart && !works_apart(functions[i].name) ? NULL : find_in(library, i);
    if (address && entry_table[i] == choice.unset[i])
      __atomic_store_n(&entry_table[i], address, __ATOMIC_RELEASE);
  }
}

/* LLVM's runtimes register in a file there, whose first page they store to without allocating it: where none
 * is left, that is SIGBUS, which libgomp's program would not encounter. */
static bool is_memory_folder_full(void) {
  enum { PAGE_BYTES = 4096 };
  int fd = open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  bool is_full = fd >= 0 && fallocate(fd, 0, 0, PAGE_BYTES) < 0 && errno == ENOSPC;
  if (fd >= 0)
    close(fd);
  return is_full;
}

/* Why the program cannot run on libomp, in words; empty if it can. */
static void find_obstacle(char *ret, size_t size) {
  struct needs needs = {0};
  struct string_list missing = {0};
  dl_iterate_phdr(look_at, &needs);
  runtime_missing(choice.runtime, &needs.versions, &needs.symbols, &missing);
  size_t used = 0;
  *ret = '\0';
  if (*needs.other_runtime)
    snprintf(ret, size, "it has loaded another OpenMP runtime, %s", needs.other_runtime);
  else if (dlsym(RTLD_DEFAULT, "__tsan_init"))
    snprintf(ret, size, "ThreadSanitizer, which checks it, finds other races on another OpenMP runtime");
  else if (is_memory_folder_full())
    snprintf(ret, size,
             "/dev/shm is full, where LLVM's runtime would store to a file and be ended by SIGBUS");
  else if (missing.count > 0)
    used = (size_t)snprintf(ret, size, "%s lacks ", choice.runtime);
  for (size_t i = 0; used > 0 && i < missing.count && used < size; i++)
    used += (size_t)snprintf(ret + used, size - used, "%s%s", i ? ", " : "", missing.items[i]);
  string_list_clear(&missing);
  string_list_clear(&needs.versions);
  string_list_clear(&needs.symbols);
}

static void find_place(void) {
  Dl_info info = {0};
  char path[PATH_MAX];
  memcpy(choice.unset, entry_table, sizeof choice.unset);
  if (!dladdr(entry_table, &info) || !info.dli_fname || !strrchr(info.dli_fname, '/'))
    return;
  snprintf(choice.own, sizeof choice.own, "%s", info.dli_fname);
  snprintf(choice.place, sizeof choice.place, "%.*s", (int)(strrchr(info.dli_fname, '/') - info.dli_fname),
           info.dli_fname);
  if ((size_t)snprintf(path, sizeof path, "%s/runtime", choice.place) < sizeof path &&
      !realpath(path, choice.runtime))
    *choice.runtime = '\0';
}

static void choose(void) {
  char obstacle[PATH_MAX + 1024] = "the recording has ended";
  find_place();
  if (*choice.runtime)
    find_obstacle(obstacle, sizeof obstacle);
  void *runtime = *obstacle ? NULL : dlopen(choice.runtime, RTLD_LAZY | RTLD_GLOBAL);
  if (!runtime && !*obstacle)
    snprintf(obstacle, sizeof obstacle, "%s", dlerror());
  if (!runtime)
    find_libgomp();
  choice.is_moved = runtime;
  fill_from(runtime ? runtime : choice.libgomp, false);
  report_choice(runtime ? "moved" : "stayed", runtime ? choice.runtime : obstacle);
}

/* What a library needs that was loaded later, and libomp lacks, is libgomp's own, such as target regions. */
static void complete(void) {
  if (!choice.libgomp)
    find_libgomp();
  fill_from(choice.libgomp, choice.is_moved);
}

/* libgomp has no such function, and stave.h requests it: OpenMP's answer where there is no tool. */
static int control_no_tool(void) {
  enum { NO_TOOL = -2 };
  return NO_TOOL;
}

static bool is_set(unsigned long number) {
  return __atomic_load_n(&entry_table[number], __ATOMIC_ACQUIRE) != choice.unset[number];
}

void entry_resolve(unsigned long number) {
  int error = errno;
  pthread_once(&choice.chosen, choose);
  if (!is_set(number))
    pthread_once(&choice.completed, complete);
  errno = error;
  if (!is_set(number) && number == ENTRY_omp_control_tool)
    __atomic_store_n(&entry_table[number], (void *)(uintptr_t)control_no_tool, __ATOMIC_RELEASE);
  if (is_set(number))
    return;
  if (choice.is_moved)
    fprintf(stderr,
            "stave: %s has loaded a library that needs %s of libgomp, which %s lacks: leave out --runtime\n",
            program_invocation_name, functions[number].name, choice.runtime);
  else /* the dynamic linker's own words */
    fprintf(stderr, "%s: symbol lookup error: undefined symbol: %s, version %s\n", program_invocation_name,
            functions[number].name, functions[number].version);
  _exit(127); /* as the dynamic linker */
}
