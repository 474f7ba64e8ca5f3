/* Numbers of communicators are looked up in a table that is locked, behind a small one of each thread's that
 * is not.
 *
 * Keys: communicators are made by calls that are collective on their parent, and such calls come in the same
 * order in all of its processes. So the parent's key, the how-many-th creation on it and the new one's first
 * process name it everywhere, and nothing has to be sent for that. */
#include "mpi/comms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/groups.h"

enum { PLACES = 256, CACHED = 8 };

/* How often the same members have made communicators with the same tag. */
struct repeated {
  uint64_t key, count;
  struct repeated *next;
};

static struct {
  pthread_mutex_t mutex;
  struct repeated *repeated[PLACES];
  struct known_comm *places[PLACES];
  _Atomic uint64_t generation; /* changes with whatever is forgotten */
  uint32_t count;
} comms = {.mutex = PTHREAD_MUTEX_INITIALIZER, .generation = 1};

struct cached {
  word handle;
  uint64_t generation;
  const struct known_comm *comm;
};

static _Thread_local struct cached cache[CACHED] __attribute__((tls_model("initial-exec")));

static size_t place_of(word handle, size_t places) {
  return (handle >> 4 ^ handle >> 12 ^ handle) % places;
}

uint64_t key_of(uint64_t key, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  key ^= UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    key = (key ^ next[i]) * UINT64_C(0x100000001b3);
  return key ? key : 1;
}

/* -- members -- */

static int *ranks_of(word comm, bool is_remote, int *ret_count) {
  word group = 0;
  int result = is_remote ? REAL(Comm_remote_group, comm, (word)&group) : REAL(Comm_group, comm, (word)&group);
  if (result != 0)
    return NULL;
  int *ranks = group_ranks(handle_at((word)&group, 0), ret_count);
  REAL(Group_free, (word)&group);
  return ranks;
}

/* -- the table -- */

static struct known_comm *find(word handle) {
  struct known_comm *comm = comms.places[place_of(handle, PLACES)];
  while (comm && comm->handle != handle)
    comm = comm->next;
  return comm;
}

static void insert(struct known_comm *comm) {
  struct known_comm **place = &comms.places[place_of(comm->handle, PLACES)];
  comm->next = *place;
  *place = comm;
}

static void put_comm(const struct known_comm *comm, uint32_t parent, bool is_made) {
  const struct record_mpi_comm record = {.type = RECORD_mpi_comm,
                                         .endpoint = comm->remote_size > 0,
                                         .flags = is_made,
                                         .key = comm->key,
                                         .parent = parent,
                                         .comm = comm->number};
  mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
}

/* How many of this key there have been. */
static uint64_t next_of(uint64_t key) {
  struct repeated **place = &comms.repeated[key % PLACES], *found = *place;
  while (found && found->key != key)
    found = found->next;
  if (!found) {
    found = calloc(1, sizeof *found);
    if (!found)
      return 0;
    *found = (struct repeated){.key = key, .next = *place};
    *place = found;
  }
  return ++found->count;
}

/* Two groups are the same pair on both sides: the one with the lower first rank counts first. */
static uint64_t key_of_members(struct origin origin, const int *ranks, size_t count, const int *remote_ranks,
                               size_t remote_count) {
  bool is_first = !remote_ranks || ranks[0] < remote_ranks[0];
  const int *first = is_first ? ranks : remote_ranks, *second = is_first ? remote_ranks : ranks;
  size_t first_count = is_first ? count : remote_count, second_count = is_first ? remote_count : count;
  if (!origin.key)
    return 0;
  if (!origin.is_apart)
    return key_of(origin.key, first, sizeof *first);
  uint64_t key =
      key_of(key_of(origin.key, first, first_count * sizeof *first), second, second_count * sizeof *second);
  uint64_t turn = next_of(key);
  return key_of(key, &turn, sizeof turn);
}

static struct known_comm *fill(struct known_comm *comm, struct origin origin, uint32_t parent, bool is_made) {
  int is_between = 0, count = 0, remote_count = 0;
  REAL(Comm_test_inter, comm->handle, (word)&is_between);
  int *ranks = ranks_of(comm->handle, false, &count);
  int *remote_ranks = is_between ? ranks_of(comm->handle, true, &remote_count) : NULL;
  bool is_known = ranks && (!is_between || remote_ranks);
  if (is_known) {
    comm->number = comms.count++;
    comm->size = count;
    comm->remote_size = remote_count;
    REAL(Comm_rank, comm->handle, (word)&comm->rank);
    comm->key = key_of_members(origin, ranks, (size_t)count, remote_ranks, (size_t)remote_count);
    put_ranks(comm->number, RANKS_OF_COMM, ranks, count);
    if (is_between)
      put_ranks(comm->number, RANKS_OF_OTHER_GROUP, remote_ranks, remote_count);
    put_comm(comm, parent, is_made);
  }
  free(ranks);
  free(remote_ranks);
  return is_known ? comm : NULL;
}

/* The lock is held. */
static struct known_comm *add(word handle, struct origin origin, uint32_t parent, bool is_made) {
  struct known_comm *comm = calloc(1, sizeof *comm);
  if (!comm)
    return NULL;
  comm->handle = handle;
  if (!fill(comm, origin, parent, is_made)) {
    free(comm);
    return NULL;
  }
  insert(comm);
  return comm;
}

void comms_begin(void) {
  uint64_t world = key_of(0, "world", 5);
  pthread_mutex_lock(&comms.mutex);
  add(mpi.abi.comm_world, (struct origin){world, false}, COMM_NONE, false);
  add(mpi.abi.comm_self, (struct origin){0}, COMM_NONE, false);
  pthread_mutex_unlock(&comms.mutex);
}

static __attribute__((cold, noinline)) const struct known_comm *look_up(word handle, struct cached *cached) {
  if (handle == mpi.abi.comm_null)
    return NULL;
  pthread_mutex_lock(&comms.mutex);
  const struct known_comm *comm = find(handle);
  if (!comm)
    comm = add(handle, (struct origin){0}, COMM_NONE, false);
  if (comm)
    *cached = (struct cached){handle, atomic_load(&comms.generation), comm};
  pthread_mutex_unlock(&comms.mutex);
  return comm;
}

const struct known_comm *comm_of(word argument) {
  word handle = handle_of(argument);
  struct cached *cached = &cache[place_of(handle, CACHED)];
  if (cached->handle == handle &&
      cached->generation == atomic_load_explicit(&comms.generation, memory_order_relaxed))
    return cached->comm;
  return look_up(handle, cached);
}

uint32_t comm_number(word handle) {
  const struct known_comm *comm = comm_of(handle);
  return comm ? comm->number : COMM_NONE;
}

struct origin comm_creates(word parent) {
  struct known_comm *comm = (struct known_comm *)comm_of(parent);
  if (!comm)
    return (struct origin){0};
  pthread_mutex_lock(&comms.mutex);
  uint64_t creation = ++comm->creations, key = comm->key;
  pthread_mutex_unlock(&comms.mutex);
  return (struct origin){key ? key_of(key, &creation, sizeof creation) : 0, false};
}

struct origin comm_creates_apart(int tag) {
  return (struct origin){key_of(key_of(0, "apart", 5), &tag, sizeof tag), true};
}

uint32_t comm_made(word handle, struct origin origin, uint32_t parent) {
  if (handle == mpi.abi.comm_null)
    return COMM_NONE;
  pthread_mutex_lock(&comms.mutex);
  const struct known_comm *comm = add(handle, origin, parent, mpi_records(EVENT_CLASS_mpi_comm));
  pthread_mutex_unlock(&comms.mutex);
  return comm ? comm->number : COMM_NONE;
}

uint32_t comm_forget(word argument) {
  word handle = handle_of(argument);
  uint32_t number = COMM_NONE;
  if (handle == mpi.abi.comm_world || handle == mpi.abi.comm_self)
    return COMM_NONE;
  pthread_mutex_lock(&comms.mutex);
  struct known_comm **place = &comms.places[place_of(handle, PLACES)];
  while (*place && (*place)->handle != handle)
    place = &(*place)->next;
  struct known_comm *comm = *place;
  if (comm) {
    number = comm->number;
    *place = comm->next;
    atomic_fetch_add(&comms.generation, 1);
  }
  pthread_mutex_unlock(&comms.mutex);
  free(comm);
  return number;
}

void comm_name(word handle, const char *name) {
  enum { NAME_BYTES_MAX = 1024 };
  uint64_t words[NAME_BYTES_MAX / sizeof(uint64_t)] = {0};
  uint32_t number = comm_number(handle);
  size_t bytes = strnlen(name, NAME_BYTES_MAX);
  memcpy(words, name, bytes);
  const struct record_mpi_comm_name record = {.type = RECORD_mpi_comm_name,
                                              .more = (uint8_t)((bytes + RECORD_BYTES - 1) / RECORD_BYTES),
                                              .name_bytes = bytes,
                                              .comm = number};
  if (number != COMM_NONE)
    mpi.recorder->put((const struct record *)&record, words, 0, NULL);
}
