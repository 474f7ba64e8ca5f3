/* What may be taken of memory that the process has a limit on; by the tool little, since the program's
 * threads need stacks and heaps, and a runtime that cannot begin a thread ends the program. */
#ifndef STAVE_SESSION_SHARE_H
#define STAVE_SESSION_SHARE_H

#include <stdint.h>

struct session_share {
  uint64_t bytes;       /* of address space (RLIMIT_AS); UINT64_MAX: there is no limit */
  uint32_t slots_least; /* rings are to be made smaller rather than these fewer */
  uint32_t slots_most;  /* what belongs to slots is memory of the process's own, too (RLIMIT_DATA) */
};

/* Of a session of at least `bytes_least` if it is to have `slots_least` slots, and with `slots_most` at most:
 * of what is left a 128th, 64 KiB for a stack of 8 MiB. Where that is less than bytes_least these, as long as
 * they are no more than a 16th. A slot for each 64 MiB that are left, so that these have rings of 256 KiB. */
struct session_share session_share(uint64_t bytes_least, uint32_t slots_least, uint32_t slots_most);

/* What a limit on address space leaves the process. UINT64_MAX: there is none. */
uint64_t session_addresses_left(void);

/* What limits (RLIMIT_AS, RLIMIT_DATA) leave the process. UINT64_MAX: there are none. */
uint64_t session_memory_left(void);

#endif
