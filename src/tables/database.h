/* The tables as a database of SQLite: one file, for Python, DuckDB, the sqlite3 shell and others. */
#ifndef STAVE_TABLES_DATABASE_H
#define STAVE_TABLES_DATABASE_H

#include <stdatomic.h>

#include "tables/rows.h"

enum { DATABASE_ERROR_BYTES = 512 };

struct database;

/* Whether Stave was built with SQLite; without it the functions below fail and report it. */
bool database_is_supported(void);

/* Opens the file at `path`, which is empty or has runs already, and begins a transaction for one more. All
 * tables are requested. Until database_close a crash leaves a file that is of no use. `is_waiting`, if not
 * NULL, is set while the disk is waited for. Returns false with one line in `error`. */
bool database_open(struct database **ret, const char *path, _Atomic bool *is_waiting,
                   char error[DATABASE_ERROR_BYTES]);

/* Where rows go. */
struct row_writer *database_writer(struct database *database);

/* Ends the transaction and closes. Returns false, with one line in `error`, if anything failed since the
 * opening. */
bool database_close(struct database *database, char error[DATABASE_ERROR_BYTES]);

/* Adds indexes and views when all runs are there; and `identity`, if it is not NULL, which represents what
 * the database is made of. Returns false with one line in `error`. */
bool database_complete(const char *path, const char *identity, char error[DATABASE_ERROR_BYTES]);

#endif
