/* A tool between the runtime and another one: how the other one is found. */
#ifndef STAVE_TESTS_OTHER_TOOL_H
#define STAVE_TESTS_OTHER_TOOL_H

#include <dlfcn.h>
#include <stddef.h>

#include "ompt/types.h"

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version,
                                                                                 const char *runtime_version);

/* Starts the tool in the library at `path`. Returns NULL if that is NULL, cannot be loaded, or declines.
 */
static inline ompt_start_tool_result_t *other_tool_start(const char *path, unsigned omp_version,
                                                         const char *runtime_version) {
  typedef ompt_start_tool_result_t *start_tool_t(unsigned, const char *);
  void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  start_tool_t *start_tool = library ? (start_tool_t *)dlsym(library, "ompt_start_tool") : NULL;
  return start_tool ? start_tool(omp_version, runtime_version) : NULL;
}

#endif
