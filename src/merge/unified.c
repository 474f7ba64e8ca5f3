#include "merge/unified.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* No sound archive has so many definitions of one kind; a damaged one may have any number. */
enum { NUMBERS_MAX = 1 << 26, ENTRIES_MIN = 1024 };

struct unified_entry {
  uint64_t hash;
  void *content; /* NULL: free */
  size_t bytes;
  uint32_t number;
  int kind;
};

/* FNV-1a. */
static uint64_t hash_of(int kind, const unsigned char *content, size_t bytes) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)kind;
  for (size_t i = 0; i < bytes; i++)
    hash = (hash ^ content[i]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}

static void grow(struct unified *unified) {
  size_t capacity = unified->capacity ? 2 * unified->capacity : ENTRIES_MIN;
  struct unified_entry *entries = memory_get(capacity, sizeof *entries);
  for (size_t i = 0; i < unified->capacity; i++) {
    const struct unified_entry *entry = &unified->entries[i];
    size_t place = entry->hash & (capacity - 1);
    while (entry->content && entries[place].content)
      place = (place + 1) & (capacity - 1);
    if (entry->content)
      entries[place] = *entry;
  }
  free(unified->entries);
  unified->entries = entries;
  unified->capacity = capacity;
}

static bool is_equal(const struct unified_entry *entry, uint64_t hash, int kind, const void *content,
                     size_t bytes) {
  return entry->hash == hash && entry->kind == kind && entry->bytes == bytes &&
         memcmp(entry->content, content, bytes) == 0;
}

uint32_t unified_new(struct unified *unified, int kind) {
  return unified->next[kind]++;
}

uint32_t unified_number(struct unified *unified, int kind, const void *content, size_t bytes,
                        bool *ret_is_new) {
  if (2 * (unified->count + 1) > unified->capacity)
    grow(unified);
  uint64_t hash = hash_of(kind, content, bytes);
  size_t place = hash & (unified->capacity - 1);
  for (; unified->entries[place].content; place = (place + 1) & (unified->capacity - 1))
    if (is_equal(&unified->entries[place], hash, kind, content, bytes)) {
      *ret_is_new = false;
      return unified->entries[place].number;
    }
  void *copy = memory_get(bytes, 1);
  memcpy(copy, content, bytes);
  unified->entries[place] = (struct unified_entry){hash, copy, bytes, unified_new(unified, kind), kind};
  unified->count++;
  *ret_is_new = true;
  return unified->entries[place].number;
}

void unified_put(struct unified *unified, int kind, uint64_t self, uint32_t number) {
  struct numbers *numbers = &unified->numbers[kind];
  if (self >= NUMBERS_MAX) {
    unified->refused++;
    return;
  }
  array_reserve_zeroed(&numbers->to, &numbers->capacity, self + 1, sizeof *numbers->to);
  for (; numbers->count <= self; numbers->count++)
    numbers->to[numbers->count] = OTF2_UNDEFINED_UINT32;
  numbers->to[self] = number;
}

bool unified_add(struct unified *unified, int kind, uint64_t self, const void *content, size_t bytes,
                 uint32_t *ret_number) {
  bool is_new;
  *ret_number = unified_number(unified, kind, content, bytes, &is_new);
  unified_put(unified, kind, self, *ret_number);
  return is_new;
}

uint32_t unified_get(struct unified *unified, int kind, uint64_t self) {
  const struct numbers *numbers = &unified->numbers[kind];
  if (self == OTF2_UNDEFINED_UINT32 || self == OTF2_UNDEFINED_UINT64)
    return OTF2_UNDEFINED_UINT32;
  if (self < numbers->count && numbers->to[self] != OTF2_UNDEFINED_UINT32)
    return numbers->to[self];
  unified->dangling++;
  return OTF2_UNDEFINED_UINT32;
}

void unified_next_source(struct unified *unified) {
  for (int i = 0; i < UNIFIED_KINDS; i++)
    unified->numbers[i].count = 0;
}

void unified_free(struct unified *unified) {
  for (size_t i = 0; i < unified->capacity; i++)
    free(unified->entries[i].content);
  for (int i = 0; i < UNIFIED_KINDS; i++)
    free(unified->numbers[i].to);
  free(unified->entries);
  *unified = (struct unified){0};
}
