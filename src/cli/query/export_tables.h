/* The tables of archives, as a database or one of them as CSV, for `stave export` and `stave query`. */
#ifndef STAVE_CLI_QUERY_EXPORT_TABLES_H
#define STAVE_CLI_QUERY_EXPORT_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/common/archive_job.h"
#include "export/sink.h"
#include "tables/schema.h"

/* The same, and the file becomes `output` when it is complete. */
int export_tables_sqlite(char *const *archives, size_t count, const char *identity, const char *output);

/* Writes one table as CSV into the sink; within an archive_job. Returns 0, or 1 with one line in
 * `error`. */
int export_tables_csv(const struct archive_job *job, enum schema_table table, struct sink *sink,
                      char error[TRACE_ERROR_BYTES]);

/* The name of the table at `number`; NULL after the last one. */
const char *export_tables_word(size_t number);

#endif
