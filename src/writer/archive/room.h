/* Room on the disk, found out before it is written to. */
#ifndef STAVE_WRITER_ARCHIVE_ROOM_H
#define STAVE_WRITER_ARCHIVE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROOM_UNKNOWN = 1 };

/* Makes sure that the open file can grow to `bytes`; its size stays. It has room up to `from` already, which
 * is not looked at again: tmpfs goes through all pages of the range. Returns 0; ROOM_UNKNOWN where the file
 * system cannot report; or the negative errno with which a write would fail: -ENOSPC, -EDQUOT, -EFBIG,
 * -EIO. */
int room_reserve(int fd, uint64_t from, uint64_t bytes);

/* The same for a part of a file that is never written to, which may be longer than the process's limit for
 * files. */
int room_extend(int fd, uint64_t offset, uint64_t bytes);

/* Whether a file may grow to so many bytes, as far as the process's limit goes. */
bool room_is_allowed(uint64_t bytes);

/* Writes all of the bytes to the file, from the offset on. Returns 0 or the negative errno. */
int room_write(int fd, const unsigned char *bytes, size_t count, uint64_t offset);

/* Bytes that are left to this user on the directory's file system; UINT64_MAX if that is not known. */
uint64_t room_left(const char *directory);

/* Holds `bytes` on the directory's file system until the returned descriptor is closed, by a file without a
 * name. -1: they are not to be had. */
int room_hold(const char *directory, uint64_t bytes);

/* Closes such a file. Where the disk has much room besides, a thread does so: the file system may wait for
 * its journal meanwhile, for which the program would wait, too. */
void room_give_back(int fd);

/* What an errno means that a call in the directory failed with: as strerror, but ENOSPC also represents a
 * file system that can have no further file. Not the caller's. */
const char *room_error_text(const char *directory, int error);

#endif
