/* Where CUPTI is: beside a toolkit, or in a Python package for it. */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"

/* STAVE_CUPTI is the user's word: nothing else is tried then. */
static void *open_named(const char *requested) {
  void *library = dlopen(requested, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    cuda_note(CUDA_ALL, "STAVE_CUPTI=%s cannot be loaded: what the devices do is not recorded", requested);
  return library;
}

/* The last one of several versions. */
static void *open_matching(const char *folder, const char *rest) {
  char pattern[PATH_MAX];
  glob_t found;
  void *library = NULL;
  int length = snprintf(pattern, sizeof pattern, "%s/%s", folder, rest);
  if (length < 0 || (size_t)length >= sizeof pattern || glob(pattern, 0, NULL, &found) != 0)
    return NULL;
  for (size_t i = found.gl_pathc; i-- > 0 && !library;)
    library = dlopen(found.gl_pathv[i], RTLD_LAZY | RTLD_LOCAL);
  globfree(&found);
  return library;
}

static void *open_in_folder(const char *folder) {
  static const char *const rests[] = {"extras/CUPTI/lib64/libcupti.so.1[23]*", "lib64/libcupti.so.1[23]*",
                                      "lib/libcupti.so.1[23]*", "targets/*/lib/libcupti.so.1[23]*"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof rests / sizeof *rests && !library; i++)
    library = open_matching(folder, rests[i]);
  return library;
}

/* nvidia/cuda_nvrtc/lib/libnvrtc.so.12, nvidia/cu13/lib/libcudart.so.13: up to nvidia. */
static int find_wheels(struct dl_phdr_info *object, size_t size, void *folder) {
  enum { LEVELS = 3 };
  static const char name[] = "/nvidia";
  char path[PATH_MAX], *slash = path;
  (void)size;
  snprintf(path, sizeof path, "%s", object->dlpi_name);
  for (int up = 0; up < LEVELS && slash; up++) {
    slash = strrchr(path, '/');
    if (slash)
      *slash = '\0';
  }
  size_t length = strlen(path);
  if (!slash || length < strlen(name) || strcmp(path + length - strlen(name), name) != 0)
    return 0;
  memcpy(folder, path, length + 1);
  return 1;
}

/* PyTorch's and CuPy's wheels have it below site-packages/nvidia, where others of CUDA's libraries are loaded
 * from, each of them perhaps for one package alone: no symbol of theirs is found then. */
static void *open_in_wheel(void) {
  char folder[PATH_MAX];
  if (!dl_iterate_phdr(find_wheels, folder))
    return NULL;
  void *library = open_matching(folder, "cuda_cupti/lib/libcupti.so.1[23]*");
  return library ? library : open_matching(folder, "cu1[23]/lib/libcupti.so.1[23]*");
}

static void *open_any(void) {
  static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"};
  static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
  void *library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++) /* one that the program has, too */
    library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  library = library ? library : open_in_wheel();
  for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
    library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof variables / sizeof *variables && !library; i++)
    library = getenv(variables[i]) ? open_in_folder(getenv(variables[i])) : NULL;
  if (!library)
    library = open_in_folder("/usr/local/cuda");
  if (!library)
    library = open_matching("/usr/local", "cuda-1[23]*/extras/CUPTI/lib64/libcupti.so.1[23]*");
  return library;
}

static bool look_up(void *library) {
  bool is_complete = true;
#define FUNCTION(name, result, parameters)                                                                   \
  cuda.cupti.name = (result(*) parameters)(uintptr_t)dlsym(library, #name);                                  \
  is_complete &= cuda.cupti.name != NULL;
  CUPTI_FUNCTIONS
#undef FUNCTION
#define FUNCTION(name, result, parameters)                                                                   \
  cuda.cupti.name = (result(*) parameters)(uintptr_t)dlsym(library, #name);
  CUPTI_FUNCTIONS_OF_SOME
#undef FUNCTION
  return is_complete;
}

bool cuda_open_cupti(void) {
  const char *requested = getenv("STAVE_CUPTI");
  bool is_requested = requested && *requested;
  void *library = is_requested ? open_named(requested) : open_any();
  if (!library && !is_requested)
    cuda_note(CUDA_ALL, "no CUPTI is found (libcupti.so.12 or 13; STAVE_CUPTI names its file): what the "
                        "devices do is not recorded");
  if (!library)
    return false;
  int error = look_up(library) ? cuda.cupti.cuptiGetVersion(&cuda.version) : CUPTI_OK;
  if (error != CUPTI_OK)
    return cuda_refuse(error);
  if (cuda.version >= CUPTI_OLDEST && cuda.version < CUPTI_FIRST_UNKNOWN)
    return true;
  cuda_note(CUDA_ALL, "this CUPTI (version %u) is none of CUDA 12 or 13: what the devices do is not recorded",
            (unsigned)cuda.version);
  return false;
}
