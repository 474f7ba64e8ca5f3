#include "timeline/content/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { NUMBER_BYTES = 10, GROUPS = 1024 };

void bytes_number(struct bytes *bytes, uint64_t number) {
  array_reserve(&bytes->data, &bytes->capacity, bytes->count + NUMBER_BYTES, 1);
  for (; number >= 128; number >>= 7)
    bytes->data[bytes->count++] = (unsigned char)(number | 128);
  bytes->data[bytes->count++] = (unsigned char)number;
}

void bytes_add(struct bytes *bytes, const unsigned char *others, size_t count) {
  if (count == 0)
    return;
  array_reserve(&bytes->data, &bytes->capacity, bytes->count + count, 1);
  memcpy(bytes->data + bytes->count, others, count);
  bytes->count += count;
}

/* Writes `count` (1 to 3) bytes as four letters. */
static void encode(const unsigned char *bytes, size_t count, char letters[4]) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned second = count > 1 ? bytes[1] : 0, third = count > 2 ? bytes[2] : 0;
  unsigned bits = (unsigned)bytes[0] << 16 | second << 8 | third;
  letters[0] = alphabet[bits >> 18];
  letters[1] = alphabet[bits >> 12 & 63];
  letters[2] = '=';
  letters[3] = '=';
  if (count > 1)
    letters[2] = alphabet[bits >> 6 & 63];
  if (count > 2)
    letters[3] = alphabet[bits & 63];
}

void bytes_write_base64(const struct bytes *bytes, FILE *file) {
  char letters[4 * GROUPS];
  size_t used = 0;
  for (size_t i = 0; i < bytes->count; i += 3) {
    size_t left = bytes->count - i;
    encode(bytes->data + i, left < 3 ? left : 3, letters + used);
    used += 4;
    if (used == sizeof letters) {
      fwrite(letters, 1, used, file);
      used = 0;
    }
  }
  fwrite(letters, 1, used, file);
}

void bytes_free(struct bytes *bytes) {
  free(bytes->data);
  *bytes = (struct bytes){0};
}
