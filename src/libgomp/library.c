/* Where a libgomp is in the program's global scope, all callers mean it, as without this library. It is found
 * when this library is loaded, before any code of the program runs. Else libgomp comes with libraries that
 * are loaded later, maybe several of them, each with its own (Python's wheels): then a caller means the one
 * that the file it lies in names as needed. */
#include "libgomp/library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/elf_image.h"
#include "image/mappings.h"

enum { LIBRARIES_MAX = 64, CALLERS_MAX = 512, BASE_COMES = 1 };

/* A file whose code has called; `library` is stored last, with release, and read with acquire. */
struct caller {
  struct caller_range range;
  const char *thread;    /* `identity` of the first that has called */
  atomic_bool is_shared; /* others have called, too */
  const struct library *_Atomic library;
};

static __thread char identity;

struct library library_in_scope;

static struct {
  bool has_one_in_scope;
  struct library libraries[LIBRARIES_MAX];
  struct caller callers[CALLERS_MAX];
  atomic_uint caller_count; /* places given out */
} libraries;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct caller_range own_range(void) {
  return (struct caller_range){(uintptr_t)__ehdr_start, (uintptr_t)(_end - __ehdr_start)};
}

bool library_is_own(const void *address) {
  struct caller_range own = own_range();
  return (uintptr_t)address - own.begin < own.bytes;
}

/* All but this library. */
static struct caller_range everything_else(void) {
  struct caller_range own = own_range();
  return (struct caller_range){own.begin + own.bytes, -own.bytes};
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
  library->base = image->base;
  describe(library, image);
}

/* NULL: there are too many. */
static struct library *free_place(void) {
  for (unsigned i = 0; i < LIBRARIES_MAX; i++) {
    uintptr_t none = 0;
    if (__atomic_compare_exchange_n(&libraries.libraries[i].base, &none, BASE_COMES, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return &libraries.libraries[i];
  }
  return NULL;
}

/* NULL: there are too many. Two threads may both read it: both are right. */
static const struct library *library_at(const struct elf_image *image) {
  for (unsigned i = 0; i < LIBRARIES_MAX; i++)
    if (__atomic_load_n(&libraries.libraries[i].base, __ATOMIC_ACQUIRE) == image->base)
      return &libraries.libraries[i];
  struct library *library = free_place(), read = {0};
  if (!library)
    return NULL;
  read_library(image, &read);
  read.can_cancel = read.omp_get_cancellation();
  read.base = BASE_COMES;
  *library = read;
  __atomic_store_n(&library->base, image->base, __ATOMIC_RELEASE);
  return library;
}

/* -- which one a file means -- */

struct caller_search {
  uintptr_t caller;
  struct mapped_file file;        /* that the caller lies in */
  struct elf_image image;         /* its */
  struct elf_image needed, other; /* libgomps that are mapped: one that the file names, any one */
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
  if (search->image.base && is_needed(&search->image, name, &image))
    search->needed = image;
  return !search->needed.base;
}

static void remember(struct caller_range range, const struct library *library) {
  unsigned place = atomic_fetch_add(&libraries.caller_count, 1);
  if (place >= CALLERS_MAX)
    return;
  libraries.callers[place].range = range;
  libraries.callers[place].thread = &identity;
  atomic_store_explicit(&libraries.callers[place].library, library, memory_order_release);
}

static const struct library *find_for(const void *caller, struct caller_range *ret) {
  struct caller_search search = {.caller = (uintptr_t)caller};
  mappings_each(find_file, &search);
  mappings_each(look_at, &search);
  const struct elf_image *image = search.needed.base ? &search.needed : &search.other;
  const struct library *library = image->base ? library_at(image) : NULL;
  *ret = (struct caller_range){search.file.begin, search.file.end - search.file.begin};
  if (library && search.file.end > search.file.begin)
    remember(*ret, library);
  return library;
}

static const struct library *known_for(const void *caller, struct caller_range *ret) {
  unsigned count = atomic_load(&libraries.caller_count);
  for (unsigned i = 0; i < count && i < CALLERS_MAX; i++) {
    struct caller *known = &libraries.callers[i];
    const struct library *library = atomic_load_explicit(&known->library, memory_order_acquire);
    if (library && (uintptr_t)caller - known->range.begin < known->range.bytes) {
      if (known->thread != &identity)
        atomic_store_explicit(&known->is_shared, true, memory_order_relaxed);
      *ret = known->range;
      return library;
    }
  }
  return NULL;
}

/* -- unloading -- */

static bool is_loaded(uintptr_t address) {
  Dl_info info;
  return dladdr((void *)address, &info);
}

/* A tool may still query it. */
static void forget_library(struct library *library) {
#define INQUIRY(result, name, parameters) set_inquiry((void **)&library->name, NULL);
  INQUIRIES
#undef INQUIRY
  __atomic_store_n(&library->base, 0, __ATOMIC_RELEASE);
}

/* Other threads that have the range do not see that it ends: so nothing may be loaded there again. */
static void forget_caller(struct caller *caller) {
  atomic_store(&caller->library, NULL);
  if (caller->thread != &identity || atomic_load_explicit(&caller->is_shared, memory_order_relaxed))
    mmap((void *)caller->range.begin, caller->range.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

bool library_forget_unloaded(void) {
  bool has_some = false;
  unsigned count = atomic_load(&libraries.caller_count);
  for (unsigned i = 0; i < LIBRARIES_MAX; i++) {
    uintptr_t base = __atomic_load_n(&libraries.libraries[i].base, __ATOMIC_ACQUIRE);
    if (base > BASE_COMES && !is_loaded(base))
      forget_library(&libraries.libraries[i]);
  }
  for (unsigned i = 0; i < count && i < CALLERS_MAX; i++)
    if (atomic_load(&libraries.callers[i].library) && !is_loaded(libraries.callers[i].range.begin)) {
      forget_caller(&libraries.callers[i]);
      has_some = true;
    }
  return has_some;
}

const struct library *library_of(const void *caller, struct caller_range *ret) {
  *ret = everything_else();
  if (libraries.has_one_in_scope) {
    /* Not before: it may be initialized after this library. All threads write the same. */
    __atomic_store_n(&library_in_scope.can_cancel, library_in_scope.omp_get_cancellation() != 0,
                     __ATOMIC_RELAXED);
    return &library_in_scope;
  }
  const struct library *library = known_for(caller, ret);
  return library ? library : find_for(caller, ret);
}
