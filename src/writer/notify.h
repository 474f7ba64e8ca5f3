/* Notifying others: the tool through the session header, `stave record` through its FIFO. */
#ifndef STAVE_WRITER_NOTIFY_H
#define STAVE_WRITER_NOTIFY_H

#include "session/layout.h"

struct notifier {
  struct session_header *session;
  int status_fd; /* -1: not requested */
  int pid;
};

/* Opens the FIFO that STAVE_STATUS names, if any; it stays open as long as the writer lives. Where it is full
 * the lines before the last one wait a second for room, the last one as long as somebody may still read. */
void notify_open(struct notifier *report, struct session_header *session);

/* The archive can be written: shows its directory, and a notice for the user (may be empty). */
void notify_ready(struct notifier *report, const char *archive, const char *notice);

/* STAVE_KEEP: recording goes on, and archives come when they are requested. */
void notify_kept(struct notifier *report, const char *notice);

/* One has come; `figures` as in notify_closed. */
void notify_dumped(struct notifier *report, const char *archive, const char *figures);

/* One could not be written, and why. */
void notify_not_dumped(struct notifier *report, const char *why);

/* One is gone again, as others are needed more. */
void notify_removed(struct notifier *report, const char *archive);

/* The tool has taken the session back before it began: the archive is gone again, or nothing was kept. */
void notify_withdrawn(struct notifier *report);

/* No more will come, as the program has ended in this way. */
void notify_over(struct notifier *report, const char *ending);

/* The archive has another name, since this one is there. False: nobody else will report it. */
bool notify_renamed(struct notifier *report, const char *requested);

/* It cannot: one line that states what, where and what to do. */
void notify_failed(struct notifier *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Recording ended before the program did: why. The archive is still to be closed. */
void notify_stopped(struct notifier *report, const char *why);

/* The program, or recording it, has ended: who reads this waits for the archive from now on. Not sent where
 * there is no room in the pipe. */
void notify_ending(struct notifier *report);

/* What is for the user to read at the end (may be empty), should the writer not get to notify_closed. */
void notify_notice(struct notifier *report, const char *notice);

/* The archive is complete. `figures` is the rest of the status line; the notice is for the user (may be
 * empty). */
void notify_closed(struct notifier *report, const char *figures, const char *notice);

#endif
