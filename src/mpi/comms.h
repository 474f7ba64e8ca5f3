/* The communicators of the program: Stave's numbers of them, and what makes them the same in all processes.
 */
#ifndef STAVE_MPI_COMMS_H
#define STAVE_MPI_COMMS_H

#include "mpi/call.h"
#include "session/mpi_records.h"

enum { COMM_NONE = UINT32_MAX };

struct known_comm {
  uint32_t number;
  word handle;
  uint64_t key;            /* the same in all of its processes, and no other communicator's; 0: it has none */
  uint64_t creations;      /* collective ones, of which it was the parent */
  int rank, size;          /* of the own group */
  int remote_size;         /* between two groups: of the other one; else 0 */
  struct known_comm *next; /* with the same place in the table */
};

/* MPI is initialized: MPI_COMM_WORLD and MPI_COMM_SELF. */
void comms_begin(void);

/* The communicator, which is made known if it was not; NULL: MPI_COMM_NULL, or one with processes of another
 * MPI_COMM_WORLD. Valid until comm_forget. */
const struct known_comm *comm_of(word handle);

/* Its number, or COMM_NONE. */
uint32_t comm_number(word handle);

/* What the keys of communicators that come of one call have in common; 0: they have none. comm_creates: of a
 * call in which all members of `parent` participate, which counts it. comm_creates_apart: of one in which
 * only the new one's members do, with this tag. */
struct origin {
  uint64_t key;
  bool is_apart;
};
struct origin comm_creates(word parent);
struct origin comm_creates_apart(int tag);

/* The program has made it. Returns its number, or COMM_NONE. */
uint32_t comm_made(word handle, struct origin origin, uint32_t parent);

/* The program frees it: before the call, as the handle may be another one's immediately. Returns its number
 * or COMM_NONE. */
uint32_t comm_forget(word handle);

/* It gets this name. */
void comm_name(word handle, const char *name);

/* A key of what is hashed, after another key or 0: FNV-1a; never 0. */
static inline uint64_t key_of(uint64_t key, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  key ^= UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < count; i++)
    key = (key ^ next[i]) * UINT64_C(0x100000001b3);
  return key ? key : 1;
}

#endif
