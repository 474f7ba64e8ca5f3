/* Tables for people: aligned, as wide as the terminal, in colour only there. */
#ifndef STAVE_CLI_COMMON_TABLE_H
#define STAVE_CLI_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_COLUMNS_MAX = 13 };

enum table_column {
  TABLE_NAME,   /* to the left, never cut */
  TABLE_TEXT,   /* to the left; if the terminal is too narrow, cut in the middle: a place at the end stays */
  TABLE_PLACE,  /* the same, of what needs room for one */
  TABLE_PROSE,  /* to the left; on a terminal broken into lines of what width the others leave */
  TABLE_NUMBER, /* to the right */
};

struct table {
  struct {
    const char *name;
    enum table_column kind;
  } columns[TABLE_COLUMNS_MAX];
  size_t column_count;
  char **cells; /* row by row; without memory the command ends (memory.h) */
  size_t cell_count, cell_capacity;
};

/* Begins a table. */
void table_begin(struct table *ret);

/* Adds a column; all columns before the first row. The most important come first: what a narrow terminal has
 * no room for is left out from the end. `name` stays the caller's. */
void table_column(struct table *table, const char *name, enum table_column kind);

/* Adds a row: one text for each column, copied. NULL is an empty cell. */
void table_row(struct table *table, const char *const *cells);

/* Prints on stdout and frees. Control characters are written as \xNN. */
void table_print(struct table *table);

/* The same, of a table that has only the first `top` of `count` rows there are: with a line for the others.
 */
void table_print_first(struct table *table, size_t count, size_t top);

/* Prints a heading line. */
void table_heading(const char *text);

/* Prints "name          text" on stdout, on a terminal in as many lines as needed, with control characters as
 * \xNN. */
void table_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
