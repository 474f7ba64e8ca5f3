/* Numbers of communicators are looked up in a table that is locked, after a small one of each thread's that
 * is not.
 *
 * Keys: communicators are made by calls that are collective on their parent, and such calls come in the
 * same order in all of its processes. So the parent's key, the how-many-th creation on it and the new one's
 * first process name it everywhere, and nothing has to be sent for that. */
#include "mpi/comms.h"

#include <string.h>

#include "mpi/groups.h"
#include "mpi/lock.h"
#include "mpi/own_heap.h"

enum { PLACES = 256, CACHED = 8 };

/* How often the same members have made communicators with the same tag. */
struct repeated {
  uint64_t key, count;
  struct repeated *next;
};

static struct {
  struct own_lock lock;
  struct repeated *repeated[PLACES];
  struct known_comm *places[PLACES];
  _Atomic uint64_t generation; /* changes with whatever is forgotten */
  uint32_t count;
} comms = {.lock = LOCK_FREE, .generation = 1};

struct cached {
  word handle;
  uint64_t generation;
  const struct known_comm *comm;
};

static _Thread_local struct cached cache[CACHED] __attribute__((tls_model("initial-exec")));

static size_t place_of(word handle, size_t places) {
  return (handle >> 4 ^ handle >> 12 ^ handle) % places;
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
    found = heap_get(1, sizeof *found);
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

/* What MPI reports of a communicator. MPI may hold a lock of its own while it calls the program, which calls
 * MPI: its functions are called before the table's lock is held. */
struct description {
  struct known_comm *comm; /* not in the table yet */
  int *ranks, *remote_ranks;
};

static void free_description(struct description *description) {
  heap_free(description->ranks);
  heap_free(description->remote_ranks);
  heap_free(description->comm);
}

/* False: it has processes of another MPI_COMM_WORLD, or there is no memory. */
static bool describe(word handle, struct description *ret) {
  int is_between = 0;
  struct known_comm *comm = heap_get(1, sizeof *comm);
  *ret = (struct description){.comm = comm};
  if (!comm)
    return false;
  comm->handle = handle;
  REAL(Comm_test_inter, handle, (word)&is_between);
  REAL(Comm_rank, handle, (word)&comm->rank);
  ret->ranks = ranks_of(handle, false, &comm->size);
  ret->remote_ranks = is_between ? ranks_of(handle, true, &comm->remote_size) : NULL;
  return ret->ranks && (!is_between || ret->remote_ranks);
}

/* The lock is held: what is recorded is in front of all that names it. */
static struct known_comm *add(struct description *description, struct origin origin, uint32_t parent,
                              bool is_made) {
  struct known_comm *comm = description->comm;
  description->comm = NULL;
  comm->number = comms.count++;
  comm->key = key_of_members(origin, description->ranks, (size_t)comm->size, description->remote_ranks,
                             (size_t)comm->remote_size);
  put_ranks(comm->number, RANKS_OF_COMM, description->ranks, comm->size);
  if (description->remote_ranks)
    put_ranks(comm->number, RANKS_OF_OTHER_GROUP, description->remote_ranks, comm->remote_size);
  put_comm(comm, parent, is_made);
  insert(comm);
  return comm;
}

/* Makes it known. is_new: the program has just made it, and what has the handle is an older one. */
static const struct known_comm *learn(word handle, struct origin origin, uint32_t parent, bool is_new) {
  struct description description;
  const struct known_comm *comm = NULL;
  if (describe(handle, &description)) {
    lock_acquire(&comms.lock);
    comm = is_new ? NULL : find(handle); /* another thread may have */
    if (!comm)
      comm = add(&description, origin, parent, is_new && mpi_records(EVENT_CLASS_mpi_comm));
    lock_release(&comms.lock);
  }
  free_description(&description);
  return comm;
}

void comms_begin(void) {
  learn(mpi.abi.comm_world, (struct origin){key_of(0, "world", 5), false}, COMM_NONE, false);
  learn(mpi.abi.comm_self, (struct origin){0}, COMM_NONE, false);
}

static __attribute__((cold, noinline)) const struct known_comm *look_up(word handle, struct cached *cached) {
  if (handle == mpi.abi.comm_null)
    return NULL;
  uint64_t generation = atomic_load(&comms.generation);
  lock_acquire(&comms.lock);
  const struct known_comm *comm = find(handle);
  lock_release(&comms.lock);
  if (!comm)
    comm = learn(handle, (struct origin){0}, COMM_NONE, false);
  if (comm)
    *cached = (struct cached){handle, generation, comm};
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
  lock_acquire(&comms.lock);
  uint64_t creation = ++comm->creations, key = comm->key;
  lock_release(&comms.lock);
  return (struct origin){key ? key_of(key, &creation, sizeof creation) : 0, false};
}

struct origin comm_creates_apart(int tag) {
  return (struct origin){key_of(key_of(0, "apart", 5), &tag, sizeof tag), true};
}

uint32_t comm_made(word handle, struct origin origin, uint32_t parent) {
  const struct known_comm *comm = handle == mpi.abi.comm_null ? NULL : learn(handle, origin, parent, true);
  return comm ? comm->number : COMM_NONE;
}

uint32_t comm_forget(word argument) {
  word handle = handle_of(argument);
  uint32_t number = COMM_NONE;
  if (handle == mpi.abi.comm_world || handle == mpi.abi.comm_self)
    return COMM_NONE;
  lock_acquire(&comms.lock);
  struct known_comm **place = &comms.places[place_of(handle, PLACES)];
  while (*place && (*place)->handle != handle)
    place = &(*place)->next;
  struct known_comm *comm = *place;
  if (comm) {
    number = comm->number;
    *place = comm->next;
    atomic_fetch_add(&comms.generation, 1);
  }
  lock_release(&comms.lock);
  heap_free(comm);
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
