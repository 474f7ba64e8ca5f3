/* Room on the disk, found out before OTF2 writes: its writers do not survive a write that fails. */
#ifndef STAVE_WRITER_ROOM_H
#define STAVE_WRITER_ROOM_H

#include <stdint.h>

/* Makes sure that the file, which is created if need be, can grow to `bytes`; its size stays. Where a file system cannot
 * say, it is taken for granted. Returns 0, or the negative errno that a write would meet: -ENOSPC, -EDQUOT, -EFBIG, -EIO,
 * or of open: -ENOENT, -EMFILE, ... */
int room_reserve(const char *path, uint64_t bytes);

/* Gives back what room_reserve got for the file and it did not need. */
void room_release(const char *path);

/* Bytes that are left to this user on the directory's file system; UINT64_MAX if that is not known. */
uint64_t room_left(const char *directory);

/* Holds `bytes` on the directory's file system until the returned descriptor is closed, by a file without a name.
 * -1: they are not to be had. */
int room_hold(const char *directory, uint64_t bytes);

#endif
