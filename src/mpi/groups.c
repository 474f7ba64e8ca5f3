#include "mpi/groups.h"

#include "mpi/comms.h"
#include "mpi/lock.h"
#include "mpi/own_heap.h"

enum { PLACES = 64, RUNS_MAX = 120 };

/* A group that was recorded. */
struct known_group {
  uint64_t key;
  uint32_t number;
  struct known_group *next;
};

static struct {
  struct own_lock lock;
  struct known_group *places[PLACES];
  uint32_t count;
} groups = {.lock = LOCK_FREE};

/* -- members -- */

static void put_runs(uint32_t number, enum ranks_of of, const uint64_t *words, unsigned runs) {
  const struct record_mpi_ranks record = {.type = RECORD_mpi_ranks,
                                          .more = (uint8_t)((runs + 1) / 2),
                                          .endpoint = (uint8_t)of,
                                          .groups = runs,
                                          .comm = number};
  if (runs)
    mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}

/* As runs of equal distances. */
void put_ranks(uint32_t number, enum ranks_of of, const int *ranks, int count) {
  uint64_t words[2 * RUNS_MAX + 2] = {0};
  unsigned runs = 0;
  for (int i = 0, last; i < count; i = last + 1) {
    int distance = i + 1 < count ? ranks[i + 1] - ranks[i] : 1;
    for (last = i; last + 1 < count && ranks[last + 1] - ranks[last] == distance;)
      last++;
    words[2 * runs] = (uint32_t)ranks[i] | (uint64_t)(uint32_t)(last - i + 1) << 32;
    words[2 * runs + 1] = (uint64_t)(int64_t)distance;
    if (++runs == RUNS_MAX) {
      put_runs(number, of, words, runs);
      runs = 0;
    }
  }
  put_runs(number, of, words, runs);
}

int *group_ranks(word group, int *ret_count) {
  word world = 0;
  int count = 0;
  REAL(Group_size, group, (word)&count);
  int *ranks = heap_get(2 * (size_t)count + 1, sizeof *ranks);
  if (!ranks)
    return NULL;
  int *own = ranks + count;
  for (int i = 0; i < count; i++)
    own[i] = i;
  REAL(Comm_group, mpi.abi.comm_world, (word)&world);
  bool is_known = REAL(Group_translate_ranks, group, (word)count, (word)own, handle_at((word)&world, 0),
                       (word)ranks) == 0;
  REAL(Group_free, (word)&world);
  for (int i = 0; i < count; i++)
    is_known &= ranks[i] >= 0;
  *ret_count = count;
  if (is_known)
    return ranks;
  heap_free(ranks);
  return NULL;
}

/* -- numbers -- */

static uint32_t add(uint64_t key, const int *ranks, int count) {
  struct known_group *group = heap_get(1, sizeof *group), **place = &groups.places[key % PLACES];
  if (!group)
    return GROUP_NONE;
  *group = (struct known_group){key, groups.count++, *place};
  *place = group;
  const struct record_mpi_group record = {.type = RECORD_mpi_group, .key = key, .group = group->number};
  put_ranks(group->number, RANKS_OF_GROUP, ranks, count);
  mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
  return group->number;
}

/* What is recorded is in front of all that names it: the lock is held until then. */
uint32_t group_number(word group) {
  int count = 0;
  int *ranks = group_ranks(group, &count);
  if (!ranks)
    return GROUP_NONE;
  uint64_t key = key_of((uint64_t)count, ranks, (size_t)count * sizeof *ranks);
  lock_acquire(&groups.lock);
  struct known_group *known = groups.places[key % PLACES];
  while (known && known->key != key)
    known = known->next;
  uint32_t number = known ? known->number : add(key, ranks, count);
  lock_release(&groups.lock);
  heap_free(ranks);
  return number;
}
