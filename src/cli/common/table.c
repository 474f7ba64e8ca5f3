#include "cli/common/table.h"

#include "cli/common/memory.h"
#include "cli/common/message.h"

#include <libsmartcols.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FACT_BYTES = 8192, NAME_WIDTH = 14, NARROWEST = 40 };

bool table_has_colour(void) {
  const char *terminal = getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && !getenv("NO_COLOR") && terminal && *terminal != '\0';
}

static void expect_memory(int result) {
  if (result == -ENOMEM)
    memory_needed(NULL);
}

void table_begin(struct table *ret) {
  scols_init_debug(0);
  *ret = (struct table){.lines = memory_needed(scols_new_table())};
  expect_memory(scols_table_set_column_separator(ret->lines, "  "));
  scols_table_enable_colors(ret->lines, table_has_colour());
  if (isatty(STDOUT_FILENO) != 1)
    return;
  if (scols_table_get_termwidth(ret->lines) < NARROWEST)
    scols_table_set_termwidth(ret->lines, NARROWEST);
  ret->prose_width = scols_table_get_termwidth(ret->lines) / 2;
}

void table_column(struct table *table, const char *name, enum table_column kind) {
  static const int flags[] = {[TABLE_NAME] = 0,
                              [TABLE_TEXT] = SCOLS_FL_TRUNC,
                              [TABLE_PROSE] = SCOLS_FL_WRAP,
                              [TABLE_NUMBER] = SCOLS_FL_RIGHT};
  /* Off a terminal nothing is cut or broken: the lines are for programs then. */
  int wanted = table->prose_width > 0 ? flags[kind] : flags[kind] & SCOLS_FL_RIGHT;
  struct libscols_column *column = memory_needed(scols_table_new_column(table->lines, name, 0, wanted));
  if (kind == TABLE_PROSE && table->prose_width > 0) {
    expect_memory(scols_column_set_safechars(column, "\n"));
    expect_memory(scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL));
    table->prose |= 1U << table->columns;
  }
  expect_memory(scols_cell_set_color(scols_column_get_header(column), "\033[1m"));
  table->columns++;
}

/* The library breaks lines inside words: break them between words first. */
static void break_lines(char *text, size_t width) {
  char *line = text, *last_space = NULL;
  for (char *c = text; *c != '\0'; c++) {
    if (*c == ' ')
      last_space = c;
    if ((size_t)(c - line) >= width && last_space) {
      *last_space = '\n';
      line = last_space + 1;
      last_space = NULL;
    }
  }
}

static void set_cell(struct table *table, struct libscols_line *line, size_t column, const char *text) {
  char *copy = memory_needed(strdup(text));
  if (table->prose >> column & 1)
    break_lines(copy, table->prose_width);
  expect_memory(scols_line_refer_data(line, column, copy));
}

void table_row(struct table *table, const char *const *cells) {
  struct libscols_line *line = memory_needed(scols_table_new_line(table->lines, NULL));
  for (size_t i = 0; i < table->columns; i++)
    set_cell(table, line, i, cells[i] ? cells[i] : "");
}

void table_print(struct table *table) {
  expect_memory(scols_print_table(table->lines));
  scols_unref_table(table->lines);
  table->lines = NULL;
}

void table_heading(const char *text) {
  bool colour = table_has_colour();
  printf("\n%s%s%s\n", colour ? "\033[1;4m" : "", text, colour ? "\033[0m" : "");
}

void table_fact(const char *name, const char *format, ...) {
  char text[FACT_BYTES], safe[FACT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bool colour = table_has_colour();
  printf("%s%-*s%s %s\n", colour ? "\033[1m" : "", NAME_WIDTH, name, colour ? "\033[0m" : "",
         message_escape(safe, sizeof safe, text));
}
