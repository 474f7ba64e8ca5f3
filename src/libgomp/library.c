/* Where a libgomp is in the program's global scope, all callers mean it, as without this library. It is found
 * when this library is loaded, before any code of the program runs. Else libgomp comes with libraries that
 * are loaded later, maybe several of them, each with its own (Python's wheels): then a caller means the one
 * that the file it lies in names as needed. */
#include "libgomp/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/elf_image.h"
#include "image/mappings.h"

enum { LIBRARIES_MAX = 64, CALLERS_MAX = 512, BASE_CHANGES = 1 };

/* Of the place of a caller: its turn modulo TURN_STEPS. */
enum { IS_FREE, IS_WRITTEN, IS_KNOWN, TURN_STEPS = 4 };

/* A file whose code has called. Read while `turn` is the same IS_KNOWN before and after. */
struct caller {
  struct file_identity file, library_file;
  uintptr_t bytes;
  const struct library *library;
  atomic_uint turn;
};

struct library library_in_scope;
uintptr_t library_generation;

static struct {
  bool has_one_in_scope;
  struct library libraries[LIBRARIES_MAX];
  struct caller callers[CALLERS_MAX];
  atomic_uint next_library;
  atomic_bool is_exiting, has_counts;
  atomic_uint closing; /* calls of dlclose that last: what is known may be wrong */
} libraries;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct caller_range own_range(void) {
  return (struct caller_range){(uintptr_t)__ehdr_start, (uintptr_t)(_end - __ehdr_start), 0};
}

bool library_is_own(const void *address) {
  struct caller_range own = own_range();
  return (uintptr_t)address - own.begin < own.bytes;
}

/* All but this library. */
static struct caller_range everything_else(void) {
  struct caller_range own = own_range();
  return (struct caller_range){own.begin + own.bytes, -own.bytes, 0};
}

static void *next_of_version(const char *name, const char *version) {
#ifdef __GLIBC__
  void *address = dlvsym(RTLD_NEXT, name, version);
  if (address)
    return address;
#endif
  (void)version;
  return dlsym(RTLD_NEXT, name);
}

static int answer_zero(void) {
  return 0;
}

/* One that a libgomp does not have has an answer all the same. */
static void set_inquiry(void **place, void *address) {
  *place = address ? address : (void *)(uintptr_t)answer_zero;
}

static int gcc_version_of(const struct elf_image *image) {
  static const struct {
    int version;
    const char *brought;
  } steps[] = {{16, "omp_target_memset"},    {15, "GOMP_interop"},    {14, "GOMP_add_alloc"},
               {13, "omp_in_explicit_task"}, {12, "omp_display_env"}, {11, "omp_fulfill_event"},
               {10, "acc_attach"},           {9, "GOMP_loop_start"}};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (elf_image_find(image, steps[i].brought))
      return steps[i].version;
  return 0;
}

static void describe(struct library *library, const struct elf_image *image) {
  library->gcc_version = gcc_version_of(image);
  library->has_own_ompt =
      elf_image_find(image, "__kmpc_fork_call") || elf_image_contains(image, "ompt_start_tool");
}

void library_prepare(void) {
  struct library *library = &library_in_scope;
  if (!next_of_version("GOMP_parallel", "GOMP_4.0")) /* as in most programs that scripts start */
    return;
#define EVENT(version, result, name, parameters) *(void **)&library->name = next_of_version(#name, #version);
#define OLD_EVENT(version, result, name, parameters)                                                         \
  *(void **)&library->old_##name = next_of_version(#name, #version);
#define INQUIRY(result, name, parameters) set_inquiry((void **)&library->name, dlsym(RTLD_NEXT, #name));
#include "gomp/events.def"
  INQUIRIES
#undef EVENT
#undef OLD_EVENT
#undef INQUIRY
  Dl_info info = {0};
  struct elf_image image;
  libraries.has_one_in_scope = library->GOMP_parallel;
  if (libraries.has_one_in_scope && dladdr((void *)(uintptr_t)library->GOMP_parallel, &info) &&
      elf_image_read((uintptr_t)info.dli_fbase, &image))
    describe(library, &image);
}

static void read_library(const struct elf_image *image, struct library *library) {
#define EVENT(version, result, name, parameters) *(void **)&library->name = elf_image_find(image, #name);
#define OLD_EVENT(version, result, name, parameters) library->old_##name = NULL;
#define INQUIRY(result, name, parameters) set_inquiry((void **)&library->name, elf_image_find(image, #name));
#include "gomp/events.def"
  INQUIRIES
#undef EVENT
#undef OLD_EVENT
#undef INQUIRY
  describe(library, image);
}

/* NULL: there are too many. By turns, as a region that lasts may use what has just been forgotten. */
static struct library *free_place(void) {
  for (unsigned i = 0; i < LIBRARIES_MAX; i++) {
    uintptr_t none = 0;
    struct library *library =
        &libraries.libraries[atomic_fetch_add(&libraries.next_library, 1) % LIBRARIES_MAX];
    if (__atomic_compare_exchange_n(&library->base, &none, BASE_CHANGES, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return library;
  }
  return NULL;
}

static bool is_same(const struct file_identity *a, const struct file_identity *b) {
  return a->begin == b->begin && a->device == b->device && a->inode == b->inode;
}

static const struct library *known_library(const struct file_identity *file) {
  for (unsigned i = 0; i < LIBRARIES_MAX; i++)
    if (__atomic_load_n(&libraries.libraries[i].base, __ATOMIC_ACQUIRE) == file->begin &&
        is_same(&libraries.libraries[i].file, file))
      return &libraries.libraries[i];
  return NULL;
}

/* NULL: there are too many. Two threads may both read it: both are right. */
static const struct library *library_at(const struct elf_image *image, const struct file_identity *file) {
  const struct library *known = known_library(file);
  struct library *library = known ? NULL : free_place(), read = {.base = BASE_CHANGES, .file = *file};
  if (!library)
    return known;
  read_library(image, &read);
  read.can_cancel = read.omp_get_cancellation();
  *library = read;
  __atomic_store_n(&library->base, file->begin, __ATOMIC_RELEASE);
  return library;
}

/* -- which one a file means -- */

struct caller_search {
  uintptr_t caller;
  struct mapped_file file;        /* that the caller lies in */
  struct elf_image image;         /* its */
  struct elf_image needed, other; /* libgomps that are mapped: one that the file names, any one */
  struct file_identity needed_file, other_file;
};

/* A file's name as far as its SONAME usually goes: libgomp.so.1.0.0 is libgomp.so.1. */
static bool is_like(const char *file, const char *soname) {
  const char *end = strstr(soname, ".so");
  return strncmp(file, soname, end ? (size_t)(end - soname) : strlen(soname)) == 0;
}

static bool is_needed(const struct elf_image *by, const char *file, const struct elf_image *image) {
  const char *soname = elf_image_string(image, DT_SONAME, 0), *needed;
  for (unsigned i = 0; (needed = elf_image_string(by, DT_NEEDED, i)); i++)
    if (strcmp(needed, soname ? soname : file) == 0)
      return true;
  return false;
}

/* What is no library may shrink while it is read, so only what looks like one that is requested is. */
static bool may_be_needed(const struct elf_image *by, const char *file) {
  const char *needed;
  for (unsigned i = 0; by->base && (needed = elf_image_string(by, DT_NEEDED, i)); i++)
    if (is_like(file, needed))
      return true;
  return strncmp(file, "libgomp", strlen("libgomp")) == 0;
}

static struct file_identity identity_of(const struct mapped_file *file) {
  return (struct file_identity){file->begin, file->device, file->inode};
}

static bool find_file(void *data, const struct mapped_file *file) {
  struct caller_search *search = data;
  if (search->caller - file->begin >= file->end - file->begin)
    return true;
  search->file = *file;
  if (!elf_image_read(file->begin, &search->image))
    search->file.end = 0;
  return false;
}

static bool look_at(void *data, const struct mapped_file *file) {
  struct caller_search *search = data;
  struct elf_image image;
  const char *last = strrchr(file->path, '/');
  const char *name = last ? last + 1 : file->path;
  if (!file->has_code || library_is_own((const void *)file->begin) || !may_be_needed(&search->image, name) ||
      !elf_image_read(file->begin, &image) || !elf_image_find(&image, "GOMP_parallel"))
    return true;
  search->other = image;
  search->other_file = identity_of(file);
  if (search->image.base && is_needed(&search->image, name, &image)) {
    search->needed = image;
    search->needed_file = search->other_file;
  }
  return !search->needed.base;
}

/* -- callers that are known -- */

/* Where there is no place, each thread looks for itself. */
static void remember(const struct mapped_file *file, const struct library *library) {
  for (unsigned i = 0; i < CALLERS_MAX; i++) {
    struct caller *caller = &libraries.callers[i];
    unsigned turn = atomic_load_explicit(&caller->turn, memory_order_relaxed);
    if (turn % TURN_STEPS == IS_FREE &&
        atomic_compare_exchange_strong(&caller->turn, &turn, turn + IS_WRITTEN)) {
      caller->file = identity_of(file);
      caller->library_file = library->file;
      caller->bytes = file->end - file->begin;
      caller->library = library;
      atomic_store_explicit(&caller->turn, turn + IS_KNOWN, memory_order_release);
      return;
    }
  }
}

/* False: nothing is known there, or is no longer. */
static bool read_caller(const struct caller *caller, struct caller *ret) {
  unsigned turn = atomic_load_explicit(&caller->turn, memory_order_acquire);
  if (turn % TURN_STEPS != IS_KNOWN)
    return false;
  ret->file = caller->file;
  ret->library_file = caller->library_file;
  ret->bytes = caller->bytes;
  ret->library = caller->library;
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&caller->turn, memory_order_relaxed) == turn;
}

static const struct library *known_for(const void *code, struct caller_range *range) {
  struct caller known;
  for (unsigned i = 0; i < CALLERS_MAX; i++)
    if (read_caller(&libraries.callers[i], &known) && (uintptr_t)code - known.file.begin < known.bytes) {
      range->begin = known.file.begin;
      range->bytes = known.bytes;
      return known.library;
    }
  return NULL;
}

static const struct library *find_for(const void *code, struct caller_range *range,
                                      struct mapped_file *file) {
  struct caller_search search = {.caller = (uintptr_t)code};
  mappings_each(find_file, &search);
  mappings_each(look_at, &search);
  const struct elf_image *image = search.needed.base ? &search.needed : &search.other;
  const struct file_identity *identity = search.needed.base ? &search.needed_file : &search.other_file;
  *file = search.file;
  range->begin = file->begin;
  range->bytes = file->end - file->begin;
  return image->base ? library_at(image, identity) : NULL;
}

/* -- unloading -- */

/* Both in `libraries`, but for the one in scope, which stays. */
static unsigned *workers_of(const struct library *library) {
  return &((struct library *)(uintptr_t)library)->workers;
}

void library_add_worker(const struct library *library) {
  __atomic_fetch_add(workers_of(library), 1, __ATOMIC_RELAXED);
}

void library_count_workers(bool are_counted) {
  libraries.has_counts = are_counted;
}

/* (It may have been unloaded, and its place may be another one's.) */
void library_remove_worker(const struct library *library) {
  unsigned count = __atomic_load_n(workers_of(library), __ATOMIC_RELAXED);
  while (count > 0 && !__atomic_compare_exchange_n(workers_of(library), &count, count - 1, false,
                                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/* The linker has ended libraries, or is about to: what is loaded again then starts again, and a libgomp that
 * finds itself started ends the program. glibc ends this library before those that were loaded later, but for
 * a few releases of 2023 that reverse the order of constructors (its bug 30785, taken back since). */
__attribute__((destructor)) static void note_exit(void) {
  libraries.is_exiting = true;
}

/* Whoever unloads a library with its libgomp has the linker's lock then anyhow. */
static void keep(struct library *library) {
  Dl_info info = {0};
  if (dladdr((void *)(uintptr_t)library->GOMP_parallel, &info) && info.dli_fname &&
      dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    __atomic_store_n(&library->is_kept, true, __ATOMIC_RELAXED);
}

static bool has_other_threads(void) {
  struct stat status = {0};
  int folder = open("/proc/self/task", O_PATH | O_CLOEXEC);
  bool has_some = folder >= 0 && fstat(folder, &status) == 0 && status.st_nlink > 2 + 1;
  if (folder >= 0)
    close(folder);
  return has_some;
}

static bool is_used(const struct library *library) {
  return libraries.has_counts ? __atomic_load_n(&library->workers, __ATOMIC_RELAXED) > 0
                              : has_other_threads();
}

void library_keep_used(void) {
  for (unsigned i = 0; i < LIBRARIES_MAX && !libraries.has_one_in_scope && !libraries.is_exiting; i++) {
    struct library *library = &libraries.libraries[i];
    if (__atomic_load_n(&library->base, __ATOMIC_ACQUIRE) > BASE_CHANGES &&
        !__atomic_load_n(&library->is_kept, __ATOMIC_RELAXED) && is_used(library))
      keep(library);
  }
}

/* What was known before the mappings were read, and which of it they have. */
struct survey {
  uintptr_t bases[LIBRARIES_MAX];
  unsigned turns[CALLERS_MAX];
  bool has_library[LIBRARIES_MAX], has_caller[CALLERS_MAX], has_library_of[CALLERS_MAX];
};

/* False: nothing was. */
static bool begin_survey(struct survey *survey) {
  bool has_some = false;
  for (unsigned i = 0; i < CALLERS_MAX; i++)
    survey->turns[i] = atomic_load_explicit(&libraries.callers[i].turn, memory_order_acquire);
  for (unsigned i = 0; i < LIBRARIES_MAX; i++) {
    survey->bases[i] = __atomic_load_n(&libraries.libraries[i].base, __ATOMIC_ACQUIRE);
    has_some |= survey->bases[i] > BASE_CHANGES;
  }
  return has_some;
}

static bool survey_file(void *data, const struct mapped_file *file) {
  struct survey *survey = data;
  struct file_identity identity = identity_of(file);
  struct caller known;
  for (unsigned i = 0; i < LIBRARIES_MAX; i++)
    survey->has_library[i] |=
        survey->bases[i] == file->begin && is_same(&libraries.libraries[i].file, &identity);
  for (unsigned i = 0; i < CALLERS_MAX; i++)
    if (survey->turns[i] % TURN_STEPS == IS_KNOWN && read_caller(&libraries.callers[i], &known)) {
      survey->has_caller[i] |= is_same(&known.file, &identity);
      survey->has_library_of[i] |= is_same(&known.library_file, &identity);
    }
  return true;
}

/* A tool may still query it. Two threads may both find it gone. */
static void forget_library(struct library *library, uintptr_t base) {
  if (!__atomic_compare_exchange_n(&library->base, &base, BASE_CHANGES, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
#define INQUIRY(result, name, parameters) set_inquiry((void **)&library->name, NULL);
  INQUIRIES
#undef INQUIRY
  __atomic_store_n(&library->base, 0, __ATOMIC_RELEASE);
}
static void forget_caller(struct caller *caller, unsigned turn) {
  if (turn % TURN_STEPS == IS_KNOWN)
    atomic_compare_exchange_strong(&caller->turn, &turn, turn - IS_KNOWN + TURN_STEPS);
}

static void forget_unloaded(void) {
  struct survey survey = {0};
  if (!begin_survey(&survey) || !mappings_each(survey_file, &survey))
    return;
  for (unsigned i = 0; i < CALLERS_MAX; i++)
    if (!survey.has_caller[i] || !survey.has_library_of[i])
      forget_caller(&libraries.callers[i], survey.turns[i]);
  for (unsigned i = 0; i < LIBRARIES_MAX; i++)
    if (survey.bases[i] > BASE_CHANGES && !survey.has_library[i])
      forget_library(&libraries.libraries[i], survey.bases[i]);
}

/* Threads forget what they know, too, and look in the mappings: once each, as the program's dlclose may last.
 */
void library_begin_close(void) {
  if (libraries.has_one_in_scope)
    return;
  atomic_fetch_add(&libraries.closing, 1);
  __atomic_fetch_add(&library_generation, 1, __ATOMIC_RELEASE);
}

void library_end_close(void) {
  if (libraries.has_one_in_scope)
    return;
  int error = errno;
  forget_unloaded();
  __atomic_fetch_add(&library_generation, 1, __ATOMIC_RELEASE);
  atomic_fetch_sub(&libraries.closing, 1);
  errno = error;
}

/* By what is known, unless that may have been unloaded. `range` has the generation from before. */
static const struct library *library_of_file(const void *code, struct caller_range *range) {
  const struct library *library = NULL;
  struct mapped_file file;
  bool is_closing = atomic_load(&libraries.closing) > 0;
  if (!is_closing)
    library = known_for(code, range);
  if (library)
    return library;
  library = find_for(code, range, &file);
  if (!library) /* as no file can be opened */
    return known_for(code, range);
  if (range->bytes > 0 && !is_closing &&
      range->generation == __atomic_load_n(&library_generation, __ATOMIC_ACQUIRE))
    remember(&file, library);
  return library;
}

const struct library *library_of(const void *caller, struct caller_range *ret) {
  uintptr_t generation = __atomic_load_n(&library_generation, __ATOMIC_ACQUIRE);
  *ret = everything_else();
  ret->generation = generation;
  if (libraries.has_one_in_scope) {
    /* Not before: it may be initialized after this library. All threads write the same. */
    __atomic_store_n(&library_in_scope.can_cancel, library_in_scope.omp_get_cancellation() != 0,
                     __ATOMIC_RELAXED);
    return &library_in_scope;
  }
  return library_of_file(caller, ret);
}
