/* What findings are about, and how sure they are. A part of report.h. */
#ifndef STAVE_REPORT_REPORT_CAUSE_H
#define STAVE_REPORT_REPORT_CAUSE_H

/* One constant for each row of findings.def. */
enum report_cause {
#define FINDING(cause, ...) CAUSE_##cause,
#include "report/findings.def"
#undef FINDING
};

/* How far a finding can be trusted, the least first. */
enum report_confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

#endif
