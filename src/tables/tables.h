/* The tables of schema.def, made of an archive in one pass over its events in the order of time. Memory does
 * not grow with the number of events: it holds definitions and what is open or alive at the moment. */
#ifndef STAVE_TABLES_TABLES_H
#define STAVE_TABLES_TABLES_H

#include "tables/rows.h"
#include "trace/trace.h"

/* Writes all rows of the tables that are requested; `archive` is what the run is called. Of an archive whose
 * events cannot all be read it writes what can be, and reports it in the table runs. Returns 0, also if the
 * writer has failed; 1 if not all could be read, with one line in `error`; or -EIO if no event could be. */
int tables_write(struct trace *trace, const char *archive, struct row_writer *writer,
                 char error[TRACE_ERROR_BYTES]);

#endif
