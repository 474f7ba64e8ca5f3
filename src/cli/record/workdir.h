/* The private directory of one recording: the status FIFO and, for programs built by gcc, a libgomp.so.1 that
 * becomes libomp, `runtime`, where that can serve (src/gomp). It lives as long as the recording, or as
 * processes go on that may start others (caretaker.h). */
#ifndef STAVE_CLI_RECORD_WORKDIR_H
#define STAVE_CLI_RECORD_WORKDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct workdir {
  char path[PATH_MAX / 2]; /* empty: none */
  char status_path[PATH_MAX];
  char libgomp_path[PATH_MAX]; /* the links, if workdir_link_libgomp made them */
  char runtime_path[PATH_MAX];
  char libomp_path[PATH_MAX];      /* the link, if workdir_link_libomp made it */
  char preload_paths[2][PATH_MAX]; /* the links that workdir_link made */
  size_t preload_count;
};

/* Where it belongs: $TMPDIR, or /tmp where that is not fit. */
const char *workdir_parent(void);

/* Makes the directory there, or in another place that can be written, for this user only. Returns 0 or a
 * negative errno; in both cases workdir_remove may be called. */
int workdir_make(struct workdir *ret);

/* Puts links into it: libgomp.so.1 to libstave-gomp.so, `gomp`, and `runtime`. Returns 0 or a negative
 * errno. */
int workdir_link_libgomp(struct workdir *workdir, const char *gomp, const char *runtime);

/* Puts a link libomp.so to `runtime` into it. Returns 0 or a negative errno. */
int workdir_link_libomp(struct workdir *workdir, const char *runtime);

/* Puts a link to `library` into it, with the last part of its name. NULL: it cannot be made. */
const char *workdir_link(struct workdir *workdir, const char *library);

/* Whether there is more in it than the FIFO. */
bool workdir_has_libraries(const struct workdir *workdir);

/* Removes it with what it holds. */
void workdir_remove(struct workdir *workdir);

#endif
