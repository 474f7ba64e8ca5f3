/* How the run ended. */
#ifndef STAVE_REPORT_ENDING_H
#define STAVE_REPORT_ENDING_H

#include "report/report.h"

void report_ending_free(struct report *report);

#endif
