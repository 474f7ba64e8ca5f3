/* Job control: whoever started stave (a shell) must see it stop when the program stops, and go on when the
 * program goes on. */
#ifndef STAVE_CLI_RECORD_STOP_H
#define STAVE_CLI_RECORD_STOP_H

#include <sys/types.h>

/* Stops stave by `signal`, which stopped the child process `program`. Returns after SIGCONT to stave, or when
 * the program alone was continued or has ended (cpulimit, a debugger): a stopped process hears nothing of
 * that, so another one looks for it. Returns the id of that process, which is gone; its signals are not for
 * the program. All signals are blocked. */
pid_t stop_with(pid_t program, int signal);

#endif
