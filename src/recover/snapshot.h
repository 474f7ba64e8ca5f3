/* What an archive that is being written was at one moment: a directory that recovery can read like one whose
 * writer died then. The writer and its files are left alone.
 *
 * The recovery file's blocks are copied in an order in which what is copied later may be newer: first how
 * far the writer was, then the chunks in the making, last the journal, which has reported each definition
 * before an event refers to it. Event files are linked, or copied where that cannot be: each chunk in the
 * making has the number of events that count. */
#ifndef STAVE_RECOVER_SNAPSHOT_H
#define STAVE_RECOVER_SNAPSHOT_H

/* Makes the directory `out` of the archive in `directory`. Returns 0; -EAGAIN if the writer was too quick; or
 * a negative errno. snapshot_remove in every case. */
int snapshot_make(const char *directory, const char *out);

void snapshot_remove(const char *out);

#endif
