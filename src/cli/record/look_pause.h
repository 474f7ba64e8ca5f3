/* How long `stave record` leaves the processes of a recording alone between two looks at them. */
#ifndef STAVE_CLI_RECORD_LOOK_PAUSE_H
#define STAVE_CLI_RECORD_LOOK_PAUSE_H

#include <stdint.h>

enum { LOOK_PAUSE_FIRST_MS = 10, LOOK_PAUSE_LONGEST_MS = 5000 };

/* Twice the last one, and so long that looks are at most a fiftieth of one processor's time: the list of
 * memory maps of a program with hundreds of libraries costs milliseconds, on a processor that its threads may
 * need. */
int look_pause_after(int last_ms, uint64_t look_ns);

#endif
