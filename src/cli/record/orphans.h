/* Orphans of a traced program, stave-writers among them, are collected by stave while it lives: process 1 of
 * a container often waits only for its own children, so each orphan would stay a zombie. */
#ifndef STAVE_CLI_RECORD_ORPHANS_H
#define STAVE_CLI_RECORD_ORPHANS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Orphans below this process become its children. */
void orphans_adopt(void);

/* Collects those that have ended, but `program`. Never blocks. */
void orphans_reap(pid_t program);

/* How many are writers that have not ended. */
size_t orphans_count_writers(void);

/* Whether this process has any child. */
bool orphans_has_children(void);

/* A child that is no writer and has not ended: once the program has, an orphan. 0: there is none. */
pid_t orphans_other(void);

/* After the program's end, when it is collected: waits, a second at most, for writers that have closed their
 * archives and are about to end, until only `left` writers are there. Others go on below process 1. */
void orphans_reap_writers(size_t left);

#endif
