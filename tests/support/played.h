/* The writer from records to the calls of OTF2, in one process, for programs that feed it: symbols and
 * archive are played, so each address is resolved immediately and nothing is known of it. The program itself
 * has what opens and closes locations, and an event_writer_KIND for each kind of event. */
#ifndef STAVE_TESTS_PLAYED_H
#define STAVE_TESTS_PLAYED_H

#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/symbols/modules.h"

/* At most one at a time. */
struct played {
  struct modules *modules;
  struct definitions *definitions;
  struct regions *regions;
  struct contexts *contexts;
  struct emitter emitter;
  struct correlator correlator;
};

/* states: SESSION_NAMES names of the runtime's states. */
void played_open(struct played *played, const char *program, const struct session_name *states);

/* The process is over: names its regions. */
void played_finish(struct played *played);

void played_close(struct played *played);

#endif
