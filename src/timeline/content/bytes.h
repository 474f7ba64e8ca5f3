/* Numbers of any size in few bytes, and bytes as text. */
#ifndef STAVE_TIMELINE_CONTENT_BYTES_H
#define STAVE_TIMELINE_CONTENT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bytes {
  unsigned char *data;
  size_t count, capacity;
};

/* Adds a number as unsigned LEB128: seven bits a byte, the lowest first. */
void bytes_number(struct bytes *bytes, uint64_t number);

/* Adds others. */
void bytes_add(struct bytes *bytes, const unsigned char *others, size_t count);

/* Writes all as base64 without line breaks. Errors are left to ferror. */
void bytes_write_base64(const struct bytes *bytes, FILE *file);

/* Frees what it owns. */
void bytes_free(struct bytes *bytes);

#endif
