/* Requests that are in progress: what becomes of each when it is complete.
 *
 * Several that live may have one handle (sends that were complete immediately, of all threads), and one that
 * another thread frees may be given out again at any time. So a call that may complete a request removes it
 * from the table first, and puts it back if it did not. */
#ifndef STAVE_MPI_REQUESTS_H
#define STAVE_MPI_REQUESTS_H

#include "mpi/comms.h"

enum request_kind {
  REQUEST_SEND,
  REQUEST_RECV,
  REQUEST_SENDRECV, /* both in one */
  REQUEST_COLLECTIVE,
  REQUEST_COMM, /* makes a communicator */
  REQUEST_RMA,  /* of a one-sided operation */
  REQUEST_IO,   /* of one on a file */
};

struct request {
  word handle;
  enum request_kind kind;
  bool is_persistent, is_active;
  uint32_t comm;     /* number; of the last two kinds the window's, the file's */
  uint64_t id;       /* of the record that reports its beginning */
  uint64_t other_id; /* REQUEST_SENDRECV: id is the send's, this the receive's */
  /* of a persistent send, for its beginnings; of a collective operation */
  uint64_t bytes, received;
  int peer, tag;
  uint32_t operation, root;
  /* REQUEST_COMM */
  word comm_at; /* where its handle will be */
  struct origin origin;
  /* of requests.c */
  const void *thread; /* which one has started it */
  struct request *next;
};

/* Remembers a copy. */
void request_put(const struct request *request);

/* Removes one with this handle from the table, the oldest one of the calling thread, else of all; NULL: there
 * is none. */
struct request *request_remove(word handle);

/* Puts back what was taken; NULL is fine. */
void request_put_back(struct request *request);

/* Gives back what was taken. */
void request_drop(struct request *request);

/* The call that was to begin it has failed: there is none. */
void request_fail(const struct request *request);

/* Nobody waits for the send: for the program it is complete. */
void request_end_send(const struct request *request);

/* It is complete, with this status. */
void request_complete(struct request *request, const void *status);

#endif
