/* Figures as a person reads them. */
#ifndef STAVE_REPORT_TEXT_H
#define STAVE_REPORT_TEXT_H

#include "trace/trace.h"

enum { TEXT_TIME_BYTES = 32 };

/* Ticks as "12.3 ms". */
char *text_time(char buffer[TEXT_TIME_BYTES], const struct trace *trace, double ticks);

/* A share as "12.3 %". */
char *text_percent(char buffer[TEXT_TIME_BYTES], double share);

#endif
