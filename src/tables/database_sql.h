/* The schema as SQL. A table in which regions are named has rows of its own, TABLE_rows, with the column
 * region_id, and the table's name is a view of it that has region, construct, file and line. */
#ifndef STAVE_TABLES_DATABASE_SQL_H
#define STAVE_TABLES_DATABASE_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "tables/schema.h"

enum { DATABASE_SQL_BYTES = 4096, DATABASE_NAME_BYTES = 64 };

/* CREATE TABLE IF NOT EXISTS, and the view. */
void database_sql_create(char ret[DATABASE_SQL_BYTES], enum schema_table table);

/* INSERT of all rows of another table, whose name it chooses. */
void database_sql_insert(char ret[DATABASE_SQL_BYTES], char ret_source[DATABASE_NAME_BYTES],
                         enum schema_table table);

/* The number after the greatest id; false if the table has no ids. */
bool database_sql_next_id(char ret[DATABASE_SQL_BYTES], enum schema_table table);

/* The statement at `index` of those that make indexes and views; false after the last one. */
bool database_sql_finish(char ret[DATABASE_SQL_BYTES], size_t index);

#endif
