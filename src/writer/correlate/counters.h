/* Counters of the kernel and the processor (STAVE_COUNTERS): metrics in front of the Enters and Leaves of the
 * records that they were read with. */
#ifndef STAVE_WRITER_CORRELATE_COUNTERS_H
#define STAVE_WRITER_CORRELATE_COUNTERS_H

#include "session/records.h"

struct correlator;
struct event;
struct traced_thread;

/* Keeps the counters, if there are any, after the record that is about to become events. */
void counters_hold(struct correlator *correlator, struct traced_thread *thread, const struct record *record);

/* An event of a thread whose record had counters: puts them in front if it is an Enter or a Leave of that
 * moment. */
void counters_put(struct correlator *correlator, struct traced_thread *thread, const struct event *event);

/* The Leave of a barrier that was perhaps its region's last waits as thread->undecided[number]: so do they.
 */
void counters_keep(struct correlator *correlator, struct traced_thread *thread, unsigned number);

/* The event thread->undecided[number] is about to be written: now those that wait with it are. */
void counters_put_kept(struct correlator *correlator, struct traced_thread *thread, unsigned number);

/* What waits is not to be written. */
void counters_drop_kept(struct traced_thread *thread);
/* The thread is another one from now on, whose counters begin anew. */
void counters_begin_anew(struct traced_thread *thread);

/* Frees what is known of all threads. */
void counters_free(struct correlator *correlator);

#endif
