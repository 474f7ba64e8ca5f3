/* What a program is and which OpenMP runtime it needs; both are known before it is started. */
#ifndef STAVE_CLI_PROGRAMS_PROGRAM_H
#define STAVE_CLI_PROGRAMS_PROGRAM_H

#include "cli/common/string_list.h"

#include <stdbool.h>

enum program_kind {
  PROGRAM_NATIVE,  /* an ELF file of this machine */
  PROGRAM_FOREIGN, /* an ELF file of another word size or machine */
  PROGRAM_OTHER,   /* anything else the kernel or the shell may start, or a file that cannot be read */
};

/* Strings are owned, NULL where there is nothing to report. */
struct program {
  char *path;                /* the file that is started */
  enum program_kind kind;    /* of the file, or of its interpreter if it is a script */
  bool is_script;            /* starts with #!: all below is about its interpreter */
  bool is_privileged;        /* set-user-ID and the like: the loader ignores LD_LIBRARY_PATH */
  bool puts_libraries_first; /* R: its start script puts the system's folders in front of LD_LIBRARY_PATH */
  bool has_libomp;           /* loads libomp or libiomp5, or contains it */
  bool has_tsan;             /* is checked by ThreadSanitizer */
  bool is_launcher;          /* of MPI jobs: mpirun and the like */
  bool has_mpi;              /* loads an MPI, or is a launcher */
  char *libgomp_user;        /* the file that needs libgomp.so.1 */
  /* the libomp that libomptarget would not find, as it looks for libomp.so: then it has no events of target
   * regions */
  char *libomp_unfound;
  /* the libgomp an RPATH or a full path leads to, which LD_LIBRARY_PATH cannot replace */
  char *libgomp_fixed;
  char *libgomp_copy;          /* a renamed copy that is needed: libgomp-0123abcd.so.1 */
  char *libgomp_static;        /* the file that contains libgomp */
  struct string_list versions; /* symbol versions needed of libgomp.so.1 */
  struct string_list symbols;  /* symbols needed of libgomp.so.1 */
};

/* Finds the file a shell would start for `name`: along PATH unless it has a slash. On success 0 and
 * *ret_path, which the caller frees; else a negative errno: -ENOENT, -EACCES, -ENOMEM. */
int program_find(const char *name, char **ret_path);

/* Looks at the file and all libraries it loads at start. Never fails: what cannot be read is not known. The
 * caller clears *ret. */
void program_inspect(const char *path, struct program *ret);

/* Frees what is inside. */
void program_clear(struct program *program);

#endif
