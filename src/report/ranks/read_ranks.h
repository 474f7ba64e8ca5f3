/* What ranks answer whose rank 0 makes a report (read_ranks.c). */
#ifndef STAVE_REPORT_RANKS_READ_RANKS_H
#define STAVE_REPORT_RANKS_READ_RANKS_H

#include "trace/trace_ranks.h"

/* What a rank has between two questions. NULL: there is no memory. Freeing accepts that. */
void *report_answers_make(void);
void report_answers_free(void *answers);

/* trace_serve's, with these data. Other work than a report has no questions. */
int report_answer(void *answers, struct rank_server *server, const struct ranks_question *question,
                  char error[TRACE_ERROR_BYTES]);

#endif
