/* The end of a recording as exit() begins. When LLVM's runtime finalizes the tool it has given up what other
 * threads of the program use: they crash as long as the archive is waited for there. Before, in a handler of
 * exit(), the runtime still has all of it. */
#ifndef STAVE_TOOL_EXIT_END_H
#define STAVE_TOOL_EXIT_END_H

/* From now on exit() ends the recording, and waits until the archive is closed, where the process has threads
 * that no runtime has created. Once is enough for a process, and for children that it forks before. Where the
 * C library has no on_exit (musl) nothing does. */
void exit_end_expect(void);

/* The runtime ends. If the program went on for more than a moment since then (handlers of exit() that wait
 * for a pool of threads) one line has how long. */
void exit_end_report_rest(void);

#endif
