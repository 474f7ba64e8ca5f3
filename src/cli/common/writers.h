/* stave-writers as the kernel shows them. */
#ifndef STAVE_CLI_COMMON_WRITERS_H
#define STAVE_CLI_COMMON_WRITERS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* One of its files in /proc; NULL: it has gone, or this is not to be read. */
FILE *process_open(pid_t pid, const char *name);

/* Whether the process has this name, with the end of the line. Anybody can use a name. */
bool process_has_name(pid_t pid, const char *name);

/* The number in a line of one of a process's files in /proc, by scanf's format; 0: none. */
pid_t process_number(pid_t pid, const char *file, const char *format);

/* The file's name of what it runs, without folders; shortened where only its first thread's name is left. The
 * caller frees it; NULL: no memory. */
char *process_program_name(pid_t pid);

/* Whether it is a writer that has not ended. */
bool writer_lives(pid_t pid);

/* The process that a writer's pidfd means; 0: it has none, or it is not to be seen; -1: it has ended, and is
 * collected. */
pid_t writer_traces(pid_t writer);

#endif
