/* Constructs that are in one line of the source and are several regions all the same: in templates, in what
 * is inlined in several places. Their functions distinguish them. */
#ifndef STAVE_TRACE_INSTANCES_H
#define STAVE_TRACE_INSTANCES_H

#include "trace/trace.h"

/* Sets is_instance of every region of which there is another one with its name and another function. */
void instances_mark(struct trace *trace);

enum { INSTANCE_BYTES = 256 };

/* The function of an instance, as short as distinguishes it from the others with its name: without return
 * type and parameters, "for_each<Scale>", and of a long one the beginning and what is around the first
 * difference. Returns buffer. */
char *instance_name(char buffer[INSTANCE_BYTES], const struct trace *trace,
                    const struct trace_region *region);

/* The name of any function so: without return type and parameters, and not too long. Returns buffer. */
char *instance_function(char buffer[INSTANCE_BYTES], const char *function);

#endif
