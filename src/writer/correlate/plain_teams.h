/* What is written of nearly all teams: nothing has to wait for their comm any more, and no region is hidden
 * by a pause or concerns others. All events of a record are written by one call; all else is left to teams.c.
 */
#ifndef STAVE_WRITER_CORRELATE_PLAIN_TEAMS_H
#define STAVE_WRITER_CORRELATE_PLAIN_TEAMS_H

#include <stdbool.h>

#include "writer/correlate/correlate.h"
#include "writer/correlate/model.h"

/* Each returns false, having done nothing, where it is not as simple as that. */

/* The primary forks the team. */
bool plain_team_forks(struct correlator *correlator, const struct team *team, uint64_t ticks);

/* And joins it. */
bool plain_team_joins(struct correlator *correlator, const struct team *team, uint64_t ticks);

/* The thread begins with its part of the team, the implicit task, and enters the parallel region. */
bool plain_member_begins(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                         uint64_t ticks);

/* It leaves all regions of its part, and the team. is_late: the end of the team has ended it. */
bool plain_member_ends(struct correlator *correlator, struct traced_thread *thread, struct task *task,
                       uint64_t ticks, bool is_late);

#endif
