/* The beginning and the end: MPI_Init begins the session, if OpenMP has not. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/elf_image.h"
#include "image/mappings.h"
#include "mpi/clocks.h"
#include "mpi/comms.h"
#include "session/layout.h"
#include "session/mpi_setting.h"

/* -- libstave.so: it must be the one that the OpenMP runtime loads, or there were two sessions -- */

static const char LIBSTAVE[] = "libstave.so";

static bool is_libstave(const char *path, size_t length) {
  size_t name = strlen(LIBSTAVE);
  return length >= name && strncmp(path + length - name, LIBSTAVE, name) == 0 &&
         (length == name || path[length - name - 1] == '/');
}

/* The dynamic linker is asked while this library is loaded. Only where the program loads its MPI itself, and
 * no libstave.so is there yet, MPI_Init has to. */
static void *open_path(const char *path, size_t length) {
  char text[PATH_MAX];
  if (length >= sizeof text)
    return NULL;
  memcpy(text, path, length);
  text[length] = '\0';
  return dlopen(text, RTLD_LAZY | RTLD_LOCAL);
}

/* OMP_TOOL_LIBRARIES: paths between colons (OpenMP 5.1, 6.19). */
static void *open_tool(void) {
  const char *next = getenv("OMP_TOOL_LIBRARIES");
  void *library = NULL;
  while (next && *next && !library) {
    size_t length = strcspn(next, ":");
    if (is_libstave(next, length))
      library = open_path(next, length);
    next += length + (next[length] == ':');
  }
  return library;
}

/* Beside this library, or where the build has it. */
static void *open_beside(void) {
  static const char *const places[] = {"", "../tool/"};
  Dl_info info;
  void *library = NULL;
  if (!dladdr(LIBSTAVE, &info) || !strrchr(info.dli_fname, '/'))
    return NULL;
  for (size_t i = 0; i < sizeof places / sizeof *places && !library; i++) {
    char path[PATH_MAX];
    int folder = (int)(strrchr(info.dli_fname, '/') - info.dli_fname) + 1;
    int length = snprintf(path, sizeof path, "%.*s%s%s", folder, info.dli_fname, places[i], LIBSTAVE);
    if (length > 0 && (size_t)length < sizeof path)
      library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  }
  return library;
}

static stave_recorder_t *open_recorder(void) {
  void *library = open_tool();
  if (!library)
    library = open_beside();
  return library ? (stave_recorder_t *)(uintptr_t)dlsym(library, STAVE_RECORDER_NAME) : NULL;
}

static bool look_at(void *data, const struct mapped_file *file) {
  stave_recorder_t **ret_recorder = data;
  struct elf_image image;
  if (file->has_code && is_libstave(file->path, strlen(file->path)) && elf_image_read(file->begin, &image))
    *ret_recorder = (stave_recorder_t *)(uintptr_t)elf_image_find(&image, STAVE_RECORDER_NAME);
  return !*ret_recorder;
}

static const struct recorder *find_recorder(void) {
  stave_recorder_t *recorder = mpi.find_recorder;
  if (!recorder)
    mappings_each(look_at, &recorder);
  if (!recorder)
    recorder = open_recorder();
  return recorder ? recorder(SESSION_MAGIC) : NULL;
}

static void say(const char *text) {
  char line[256];
  int length = snprintf(line, sizeof line, "stave: %s\n", text);
  ssize_t written = write(STDERR_FILENO, line, (size_t)length);
  (void)written;
}

/* -- MPI_Init -- */

static bool join(void) {
  if (mpi_setting_is("off"))
    return false;
  if (!library_open()) {
    say("libstave-mpi.so does not know this MPI: its calls are not traced");
    return false;
  }
  mpi.recorder = find_recorder();
  if (!mpi.recorder)
    say("libstave-mpi.so finds no libstave.so of its own build: MPI's calls are not traced");
  return mpi.recorder && mpi.recorder->join();
}

static void put_process(void) {
  enum { VERSION_BYTES = 8192, TEXT_MAX = 1024 };
  char version[VERSION_BYTES] = "";
  uint64_t words[TEXT_MAX / sizeof(uint64_t)] = {0};
  int length = 0;
  REAL(Get_library_version, (word)version, (word)&length);
  size_t bytes = strcspn(version, "\n");
  bytes = bytes < TEXT_MAX ? bytes : TEXT_MAX;
  memcpy(words, version, bytes);
  const struct record_mpi_process record = {.type = RECORD_mpi_process,
                                            .more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES),
                                            .rank = (uint64_t)mpi.rank,
                                            .size = (uint64_t)mpi.size,
                                            .library_bytes = (uint32_t)bytes};
  mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}

static void begin(void) {
  REAL(Comm_rank, mpi.abi.comm_world, (word)&mpi.rank);
  REAL(Comm_size, mpi.abi.comm_world, (word)&mpi.size);
  put_process();
  comms_begin();
  clocks_begin();
}

/* Until MPI is initialized, what it is used for tells nothing. */
void mpi_on_init(struct call *call) {
  bool is_first = !atomic_load(&mpi.classes) && !mpi.is_refused;
  mpi.is_refused = is_first && !join();
  if (is_first && !mpi.is_refused)
    atomic_store(&mpi.classes, (uint32_t)mpi.recorder->config->events & EVENT_CLASS_mpi);
  if (atomic_load(&mpi.classes) == 0) {
    call_invoke(call);
    return;
  }
  call_enter(call, 0);
  call_invoke(call);
  if (is_first && call_succeeded(call))
    begin();
  call_leave(call);
}

/* -- the end -- */

void mpi_on_finalize(struct call *call) {
  call_enter(call, 0);
  clocks_end();
  call_invoke(call);
  call_leave(call);
}

static __attribute__((constructor)) void begin_process(void) {
  if (mpi_setting_is("off"))
    return;
  fortran_prepare();
  if (library_prepare())
    mpi.find_recorder = open_recorder();
}

/* At exit: an MPI that is called later is not recorded. */
static __attribute__((destructor)) void end_process(void) {
  atomic_store(&mpi.classes, 0);
  if (mpi.recorder && !mpi.is_refused)
    mpi.recorder->leave();
}
