/* Answers to queries, as they come: in memory there is what aligns a table's columns. */
#ifndef STAVE_CLI_QUERY_QUERY_OUTPUT_H
#define STAVE_CLI_QUERY_QUERY_OUTPUT_H

#include "tables/database_query.h"

enum query_form {
  QUERY_TABLE, /* for people: as many rows aligned at a time as QUERY_BLOCK */
  QUERY_CSV,
  QUERY_JSON, /* an array of objects, one a line */
};

enum { QUERY_BLOCK = 500 };

struct query_output;

/* For one answer on standard output, of at most `row_limit` rows, 0: all; without memory the command ends. */
struct query_output *query_output_open(enum query_form form, uint64_t row_limit);

/* To be given to database_query_run with the output as data. */
extern const struct query_observer query_output_observer;

/* Ends the answer and frees; `is_complete`: whether there was no error. Rows above the limit get a line on
 * stderr. Returns false, after a message, if it could not be written. */
bool query_output_close(struct query_output *output, bool is_complete);

#endif
