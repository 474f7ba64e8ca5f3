/* What both graphs of tasks share: that of single ones and that of lines in the source. */
#ifndef STAVE_EXPORT_DOT_H
#define STAVE_EXPORT_DOT_H

#include "analysis/constructs.h"
#include "export/sink.h"

/* What comes before the first node. Strict: of several edges from one node to another one is kept. */
void dot_write_head(struct sink *sink, bool is_strict);

/* What a region is called: "task @file.c:12", where it is created, too. REPLAY_NONE: "task". */
const char *dot_label(const struct trace *trace, uint32_t region);

/* The colour of tasks of one construct, by its number: eight light ones that differ in hue and brightness. */
const char *dot_colour(uint32_t number);

/* Whether something has waited for tasks when such a region is left. */
bool dot_ends_waiting(enum construct construct);

#endif
