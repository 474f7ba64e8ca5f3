/* Figures as a person reads them. */
#ifndef STAVE_REPORT_TEXT_H
#define STAVE_REPORT_TEXT_H

#include "analysis/trace.h"

enum { TEXT_TIME_BYTES = 32, TEXT_LABEL_BYTES = 192 };

/* Ticks as "12.3 ms". */
char *text_time(char buffer[TEXT_TIME_BYTES], const struct trace *trace, double ticks);

/* A share as "12.3 %". */
char *text_percent(char buffer[TEXT_TIME_BYTES], double share);

/* A region's name without what every construct begins with: "parallel @file.c:12". REPLAY_NONE is
 * "(unknown)". */
char *text_label(char buffer[TEXT_LABEL_BYTES], const struct trace *trace, uint32_t region);

#endif
