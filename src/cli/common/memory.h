/* Memory for what is printed: without it the command ends, after one line, rather than leave something
 * out. */
#ifndef STAVE_CLI_COMMON_MEMORY_H
#define STAVE_CLI_COMMON_MEMORY_H

/* Returns `memory` as malloc and others returned it, unless that is NULL: then the process ends with
 * EXIT_FAILED. */
void *memory_needed(void *memory);

/* The same for all memory of JSON objects, which would be left out of the object around them. */
void memory_needed_by_json(void);

#endif
