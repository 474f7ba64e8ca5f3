/* /proc/PID/stat: the name in it can hold anything, so its fields are counted after its last bracket. */
#ifndef STAVE_SESSION_PROCESS_STAT_H
#define STAVE_SESSION_PROCESS_STAT_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

enum { PROCESS_STAT_BYTES = 1024 };

/* Fields from the third on, as proc(5) counts them: the state first. tid: a thread's; 0: the entire
 * process's. NULL: it is gone, or not to be read. */
const char *process_stat(pid_t pid, pid_t tid, char text[PROCESS_STAT_BYTES]);

/* The field of this number, from 3 on, of what process_stat returned; NULL: there are fewer. */
const char *process_stat_field(const char *fields, unsigned number);

/* The same as a number; 0 where there is none. */
static inline uint64_t process_stat_number(const char *fields, unsigned number) {
  const char *field = process_stat_field(fields, number);
  return field ? strtoull(field, NULL, 10) : 0;
}

/* The letter of its state: T stopped, t held by a debugger, D waiting for a disk, Z ended; '\0': not known.
 */
char process_state(pid_t pid);

#endif
