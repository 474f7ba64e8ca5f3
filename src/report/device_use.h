/* Whether devices were busy, and what they waited for. */
#ifndef STAVE_REPORT_DEVICE_USE_H
#define STAVE_REPORT_DEVICE_USE_H

#include "report/report.h"

void device_use_free(struct report *report);

#endif
