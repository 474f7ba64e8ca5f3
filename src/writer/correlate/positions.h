/* Where threads are in nested teams, and the names that they have of it. */
#ifndef STAVE_WRITER_CORRELATE_POSITIONS_H
#define STAVE_WRITER_CORRELATE_POSITIONS_H

#include <stdint.h>

struct correlator;
struct team;
struct traced_thread;

/* The thread encounters the team's region: notes its own position while that is known. The task that
 * encounters the region may be suspended, and the implicit one gone, before a member begins. */
void position_note(struct team *team, struct traced_thread *thread);

/* That of the team's thread `index` as one number: equal positions have equal ones. */
uint64_t position_in(const struct team *team, uint32_t index);

/* The thread begins as the team's number `index`. A worker is named after its position in nested teams, as
 * long as it has but one. (A team's primary is there by the position in which it encountered the region.) */
void position_name(struct correlator *c, struct traced_thread *thread, const struct team *team,
                   uint32_t index);

#endif
