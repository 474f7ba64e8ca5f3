#include "writer/definitions/lock_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "stave/names.h"
#include "writer/recovery/recovery.h"

struct named_lock {
  uint32_t lock;
  const struct code_place *place;
};

struct lock_names {
  struct symbols *symbols;
  struct recovery *recovery; /* or NULL */
  struct named_lock *locks;
  size_t count, capacity;
};

struct lock_names *lock_names_create(struct symbols *symbols) {
  struct lock_names *names = memory_get(1, sizeof *names);
  names->symbols = symbols;
  return names;
}

void lock_names_destroy(struct lock_names *names) {
  if (!names)
    return;
  free(names->locks);
  free(names);
}

void lock_names_set_recovery(struct lock_names *names, struct recovery *recovery) {
  names->recovery = recovery;
}

void lock_names_add(struct lock_names *names, uint32_t lock, uint64_t address) {
  const struct code_place *place =
      names->count < LOCK_NAMES_MAX ? symbols_request_variable(names->symbols, address) : NULL;
  if (!place)
    return;
  array_reserve_zeroed(&names->locks, &names->capacity, names->count + 1, sizeof *names->locks);
  names->locks[names->count++] = (struct named_lock){lock, place};
  const struct journal_lock entry = {.lock = lock, .address = address};
  journal_add_lock(names->recovery, &entry);
}

void lock_names_write(const struct lock_names *names, lock_property_setter *set, struct archive *archive) {
  char property[64];
  for (size_t i = 0; i < names->count; i++) {
    const struct code_place *place = names->locks[i].place;
    if (!code_place_resolved(place) || !place->symbol)
      continue;
    snprintf(property, sizeof property, STAVE_PROPERTY_LOCK "%" PRIu32, names->locks[i].lock);
    set(archive, property, place->symbol);
  }
}
