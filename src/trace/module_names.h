/* Names of modules (executables and libraries) in the names of regions of which no line is known. */
#ifndef STAVE_TRACE_MODULE_NAMES_H
#define STAVE_TRACE_MODULE_NAMES_H

#include "trace/trace.h"

/* Such a region has its module's path in place of a source file. It goes to `module`, and the name gets it in
 * front of the address: "!$omp parallel @0x1282" becomes "!$omp parallel @libx.so+0x1282". Python's packages
 * and extensions come with their folders, "scipy.libs/libx.so", "sklearn/cluster/_dbscan.so", and so do
 * modules of one name, as far as that distinguishes them. */
void module_names_add(struct trace *trace);
void module_names_free(struct trace *trace);

/* Of a path, with so many folders more than it has by itself. Returns buffer, of `size` bytes. */
char *module_name(char *buffer, size_t size, const char *path, unsigned folders);

/* Whether a package of the system has the module, by its folder: there may be one with its debug symbols. */
bool module_is_packaged(const char *path);

#endif
