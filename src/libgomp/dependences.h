/* Dependences of tasks, as compilers hand them over. */
#ifndef STAVE_LIBGOMP_DEPENDENCES_H
#define STAVE_LIBGOMP_DEPENDENCES_H

#include "ompt/types.h"

/* Delivers those of the task. `dependences` begins with their numbers, in one of two layouts. */
void dependences_deliver(ompt_data_t *task, void **dependences);

#endif
