/* The files of the locations' local definitions. All hold the same, the one table of region numbers or
 * nothing: so they are names of one file (hard links), which are made when a location appears, and one file
 * is written at the end. A location has a file of its own where the file system has no links, or no further
 * one of the same file. */
#ifndef STAVE_WRITER_ARCHIVE_LOCAL_FILES_H
#define STAVE_WRITER_ARCHIVE_LOCAL_FILES_H

#include <stddef.h>
#include <stdint.h>

struct local_files;

/* For an archive in `directory`, whose folder of locations is there when the first of them is added. Never
 * NULL; free with local_files_close. */
struct local_files *local_files_open(const char *directory);

/* NULL is fine. */
void local_files_close(struct local_files *files);

/* Makes the location's name. Errors are none: its file has to be written then. */
void local_files_add(struct local_files *files, uint32_t location);

/* The locations whose files have to be written, which are all files there are. */
const uint32_t *local_files_to_write(const struct local_files *files, size_t *ret_count);

#endif
