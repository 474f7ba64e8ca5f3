/* Which ranks compare their clocks: one of each clock, if there are several. The ranks find that out in the
 * directory that they share, without a message: no function of an MPI shows whether all of its ranks have
 * this library, and a collective operation in which some do not participate never ends.
 *
 * Each rank leaves a symbolic link `clock-RANK.HASH` (of its clock's domain) in rank/ of the job's
 * directory. Rank 0 waits until all are there, then writes who is the first of each clock into the link
 * `clocks`, which is made once: symlink() does that in one step, on every file system. The others wait for
 * it. Who waits in vain makes it of the ranks that are there, so nobody waits for a rank that is not.
 *
 * What a rank could write it may still not be able to read (the folder is gone, a file server shows old
 * things), and then the others would wait for it in MPI without end: agreement.h is about that. */
#ifndef STAVE_MPI_RENDEZVOUS_H
#define STAVE_MPI_RENDEZVOUS_H

#include <stdbool.h>
#include <stddef.h>

/* Ascending ranks, at most; further clocks are not compared. */
enum { RENDEZVOUS_MAX = 1024 };

/* Connects to the others. archive: the directory of this rank's archive in that of its job. domain: its
 * clock's. Returns how many ranks compare their clocks, which are filled in: of a job with one clock 1. 0:
 * nobody does. Waits for a second at most if ranks are missing. */
size_t clock_rendezvous(const char *archive, int rank, int size, const char *domain, int *ret_ranks);

/* The rank listens to the first of those who compare their clocks, from now on; no longer. False: nobody will
 * see it. */
bool rendezvous_publish_ready(const char *archive, int rank);
void rendezvous_withdraw(const char *archive, int rank);

/* Waits until all but ranks[0], whose archive it is, do, for 5 s at most. Fills in who does. */
bool rendezvous_await_ready(const char *archive, const int *ranks, size_t count, bool *ret_ready);

/* No further ranks are awaited: removes what is left of it. */
void rendezvous_end(const char *archive, int rank);

/* Whether the rank's archive is closed (the process has ended) or gone. */
bool rendezvous_has_left(const char *archive, int rank, int other);

#endif
