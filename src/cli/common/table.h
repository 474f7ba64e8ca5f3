/* Tables for people: aligned, as wide as the terminal, in colour only there. */
#ifndef STAVE_CLI_COMMON_TABLE_H
#define STAVE_CLI_COMMON_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct libscols_table;

struct table {
  struct libscols_table *lines; /* without memory the command ends (memory.h) */
  size_t columns;
  size_t prose_width; /* 0: not broken */
  unsigned prose;     /* a bit for each column that is prose */
};

enum table_column {
  TABLE_NAME,   /* to the left, never cut */
  TABLE_TEXT,   /* to the left; cut if the terminal is too narrow */
  TABLE_PROSE,  /* to the left; on a terminal broken into lines of half its width */
  TABLE_NUMBER, /* to the right */
};

/* Begins a table. */
void table_begin(struct table *ret);

/* Adds a column; all columns before the first row. */
void table_column(struct table *table, const char *name, enum table_column kind);

/* Adds a row: one text for each column, copied. NULL is an empty cell. */
void table_row(struct table *table, const char *const *cells);

/* Prints on stdout and frees. Control characters are written as \xNN. */
void table_print(struct table *table);

/* Prints a heading line. */
void table_heading(const char *text);

/* Prints "  name      text" on stdout, with control characters as \xNN. */
void table_fact(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* True if stdout is a terminal that wants colour. */
bool table_has_colour(void);

#endif
