/* Finding the other parts of Stave. */
#ifndef STAVE_CLI_PROGRAMS_LOCATE_H
#define STAVE_CLI_PROGRAMS_LOCATE_H

/* The absolute path of libstave.so: STAVE_LIBRARY if set, and then nothing else; else beside this executable
 * in a build directory; else where it is installed relative to this executable (an installation may have been
 * moved); else where it was configured to be. On success 0 and *ret_path, which the caller frees; else
 * -ENOENT or -ENOMEM. */
int locate_library(char **ret_path);

/* The same for the program stave-recover, which no variable names. */
int locate_recover(char **ret_path);

/* The same for libstave-gomp.so, which `stave record` gives programs as libgomp.so.1. */
int locate_gomp(char **ret_path);

/* The same for libstave-mpi.so, which lies beside libstave.so, `library`, where it is installed. */
int locate_mpi(const char *library, char **ret_path);

/* The same for libstave-cuda.so, which CUDA's driver loads. */
int locate_cuda(const char *library, char **ret_path);

/* The same for libstave-libgomp.so, which gives libgomp a tool interface. */
int locate_libgomp(const char *library, char **ret_path);

#endif
