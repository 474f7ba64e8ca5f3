/* Querying a database of tables. */
#ifndef STAVE_TABLES_DATABASE_QUERY_H
#define STAVE_TABLES_DATABASE_QUERY_H

#include "tables/database.h"

struct database_query;

/* Who gets the answer. False ends it. */
struct query_observer {
  bool (*columns)(void *data, const char *const *names, size_t count);
  bool (*row)(void *data, const struct cell *cells, size_t count);
};

/* Opens a database for reading alone: whatever is queried, nothing is changed and no other file is opened.
 * Returns NULL with one line in `error`. */
struct database_query *database_query_open(const char *path, char error[DATABASE_ERROR_BYTES]);

/* Accepts NULL. */
void database_query_close(struct database_query *query);

/* Runs one statement. Returns false, with one line in `error`, if it is wrong, or is refused since it does
 * not only read; an answer that an observer has ended is no error. */
bool database_query_run(struct database_query *query, const char *sql, const struct query_observer *observer,
                        void *data, char error[DATABASE_ERROR_BYTES]);

/* Whether the file is a database of this schema, made of what `identity` represents (database_identify). */
bool database_query_is_of(const char *path, const char *identity);

#endif
