/* What the program says by stave.h. */
#ifndef STAVE_WRITER_CORRELATE_USER_H
#define STAVE_WRITER_CORRELATE_USER_H

#include "writer/correlate/correlate.h"
#include "writer/model/model.h"

void on_control_tool_region(struct correlator *c, struct location *location,
                            const struct record_control_tool_region *record, const uint64_t *words);
void on_control_tool_message(struct correlator *c, struct location *location,
                             const struct record_control_tool_message *record, const uint64_t *words);
void on_control_tool_counter(struct correlator *c, struct location *location,
                             const struct record_control_tool_counter *record, const uint64_t *words);

#endif
