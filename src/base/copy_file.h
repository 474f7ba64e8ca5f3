/* Copies of files on whatever file systems they are. */
#ifndef STAVE_BASE_COPY_FILE_H
#define STAVE_BASE_COPY_FILE_H

/* Makes `to`, which must not exist, with what `from` has now: a reflink where that can be had (a copy that
 * shares its blocks until one of the two changes), else a copy of the bytes. Returns 0 or a negative
 * errno. */
int copy_file(const char *from, const char *to);

#endif
