#include "mpi/find_recorder.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/elf_image.h"
#include "image/mappings.h"
#include "session/layout.h"
#include "session/stderr_line.h"

static const char LIBSTAVE[] = "libstave.so";

static bool is_libstave(const char *path, size_t length) {
  size_t name = strlen(LIBSTAVE);
  return length >= name && strncmp(path + length - name, LIBSTAVE, name) == 0 &&
         (length == name || path[length - name - 1] == '/');
}

/* The dynamic linker is called while this library is loaded. Only where the program loads its MPI or CUDA's
 * driver itself, and no libstave.so is there yet, their initialization has to. */
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

stave_recorder_t *recorder_open(void) {
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

const struct recorder *recorder_find(stave_recorder_t *recorder) {
  if (!recorder)
    mappings_each(look_at, &recorder);
  if (!recorder)
    recorder = recorder_open();
  return recorder ? recorder(SESSION_MAGIC) : NULL;
}

void recorder_stderr(const char *text) {
  char line[256];
  int length = snprintf(line, sizeof line, "stave: %s\n", text);
  stderr_line_write(line, (size_t)length, STDERR_PATIENCE_MS);
}
