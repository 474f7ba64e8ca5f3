/* What the process that writes is to the system: which signals it minds, and how much it may use. */
#ifndef STAVE_WRITER_PROCESS_H
#define STAVE_WRITER_PROCESS_H

/* Leaves the terminal's and the session's signals to the application: the writer lives until that has ended.
 * SIGTERM is counted. */
void process_prepare_signals(void);

/* How often the process was requested to end by SIGTERM, since process_prepare_signals. */
int process_terminations(void);

/* Raises soft limits to the hard ones. They are inherited, and the application's own would be ours: one file
 * a thread is open, and the archive may outgrow what the application is allowed to write. */
void process_raise_limits(void);

/* In a copy of the process (fork), first of all: it is called so, has neither the session nor the
 * application, and lets others go first. Without memory it ends by status 3. */
void process_become_copy(const char *name);

#endif
