#include "cli/common/table.h"

#include "base/array.h"
#include "base/shorten.h"
#include "cli/common/memory.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/terminal.h"

#include <libsmartcols.h>

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FACT_BYTES = 8192, NAME_WIDTH = 14, GAP = 2, ESCAPE_BYTES = 4 };

/* What a column gets at least, if it wants as much. */
enum { LEAST_TEXT = 12, LEAST_FIRST_TEXT = 24, LEAST_PROSE = 20 };

/* How wide the columns become; behind `shown` none is printed. */
struct layout {
  size_t width[TABLE_COLUMNS_MOST];
  size_t shown;
};

void table_begin(struct table *ret) {
  *ret = (struct table){.column_count = 0};
}

void table_column(struct table *table, const char *name, enum table_column kind) {
  if (table->column_count == TABLE_COLUMNS_MOST)
    return;
  table->columns[table->column_count].name = name;
  table->columns[table->column_count++].kind = kind;
}

void table_row(struct table *table, const char *const *cells) {
  size_t count = table->cell_count + table->column_count;
  if (!array_reserve(&table->cells, &table->cell_capacity, count, sizeof *table->cells))
    memory_needed(NULL);
  for (size_t i = 0; i < table->column_count; i++) {
    const char *text = cells[i] ? cells[i] : "";
    size_t size = ESCAPE_BYTES * strlen(text) + 1;
    table->cells[table->cell_count++] = message_escape(memory_needed(malloc(size)), size, text);
  }
}

/* -- how wide the columns are -- */

static size_t widest(const struct table *table, size_t column) {
  size_t most = shorten_width(table->columns[column].name, SIZE_MAX);
  for (size_t i = column; i < table->cell_count; i += table->column_count) {
    size_t width = shorten_width(table->cells[i], SIZE_MAX);
    most = width > most ? width : most;
  }
  return most;
}

static size_t least_of(const struct table *table, size_t column, size_t wanted) {
  size_t least = wanted;
  if (table->columns[column].kind == TABLE_TEXT)
    least = column == 0 ? LEAST_FIRST_TEXT : LEAST_TEXT;
  else if (table->columns[column].kind == TABLE_PROSE)
    least = LEAST_PROSE;
  return least < wanted ? least : wanted;
}

/* Columns of the terminal that are in use. */
static size_t used_by(const struct layout *layout) {
  size_t used = 0;
  for (size_t i = 0; i < layout->shown; i++)
    used += layout->width[i] + (i > 0 ? GAP : 0);
  return used;
}

/* Gives columns of a kind what they want of the room that is left. */
static void widen(const struct table *table, struct layout *layout, enum table_column kind,
                  const size_t *wanted, size_t room) {
  for (size_t i = 0; i < layout->shown; i++) {
    size_t left = room - used_by(layout), more = wanted[i] - layout->width[i];
    if (table->columns[i].kind == kind)
      layout->width[i] += more < left ? more : left;
  }
}

static struct layout lay_out(const struct table *table) {
  struct layout layout = {.shown = table->column_count};
  size_t room = terminal_width(), wanted[TABLE_COLUMNS_MOST];
  for (size_t i = 0; i < table->column_count; i++) {
    wanted[i] = widest(table, i);
    layout.width[i] = room > 0 ? least_of(table, i, wanted[i]) : wanted[i];
  }
  while (room > 0 && layout.shown > 1 && used_by(&layout) > room)
    layout.shown--;
  if (room > 0 && used_by(&layout) <= room) {
    widen(table, &layout, TABLE_TEXT, wanted, room);
    widen(table, &layout, TABLE_PROSE, wanted, room);
  }
  return layout;
}

/* -- printing, of which the library does the rest -- */

static void expect_memory(int result) {
  if (result == -ENOMEM)
    memory_needed(NULL);
}

static void add_column(struct libscols_table *lines, const char *name, enum table_column kind) {
  struct libscols_column *column =
      memory_needed(scols_table_new_column(lines, name, 0, kind == TABLE_NUMBER ? SCOLS_FL_RIGHT : 0));
  if (kind == TABLE_PROSE) {
    expect_memory(scols_column_set_flags(column, SCOLS_FL_WRAP));
    expect_memory(scols_column_set_safechars(column, "\n"));
    expect_memory(scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL));
  }
  expect_memory(scols_cell_set_color(scols_column_get_header(column), "\033[1m"));
}

static void break_lines(char *text, size_t width) {
  for (char *line = text; *line;) {
    size_t length = prose_line(line, width);
    line += length;
    if (*line)
      *line++ = '\n';
  }
}

/* Takes the cell over. */
static void set_cell(struct libscols_line *line, size_t column, enum table_column kind, char *cell,
                     size_t width) {
  if (kind == TABLE_PROSE)
    break_lines(cell, width);
  if (kind == TABLE_TEXT && shorten_width(cell, SIZE_MAX) > width) {
    size_t size = strlen(cell) + 1;
    char *cut = shorten_middle(memory_needed(malloc(size)), size, cell, width);
    free(cell);
    cell = cut;
  }
  expect_memory(scols_line_refer_data(line, column, cell));
}

static void fill(const struct table *table, struct libscols_table *lines, const struct layout *layout) {
  for (size_t i = 0; i < layout->shown; i++)
    add_column(lines, table->columns[i].name, table->columns[i].kind);
  for (size_t row = 0; row < table->cell_count; row += table->column_count) {
    struct libscols_line *line = memory_needed(scols_table_new_line(lines, NULL));
    for (size_t i = 0; i < layout->shown; i++)
      set_cell(line, i, table->columns[i].kind, table->cells[row + i], layout->width[i]);
    for (size_t i = layout->shown; i < table->column_count; i++)
      free(table->cells[row + i]);
  }
}

void table_print(struct table *table) {
  struct layout layout = lay_out(table);
  scols_init_debug(0);
  struct libscols_table *lines = memory_needed(scols_new_table());
  expect_memory(scols_table_set_column_separator(lines, "  "));
  scols_table_enable_colors(lines, terminal_has_colour(STDOUT_FILENO));
  scols_table_set_termwidth(lines, used_by(&layout)); /* all is as wide as it is to be */
  fill(table, lines, &layout);
  expect_memory(scols_print_table(lines));
  scols_unref_table(lines);
  free(table->cells);
  table_begin(table);
}

/* -- lines -- */

void table_heading(const char *text) {
  bool colour = terminal_has_colour(STDOUT_FILENO);
  printf("\n%s%s%s\n", colour ? "\033[1;4m" : "", text, colour ? "\033[0m" : "");
}

void table_fact(const char *name, const char *format, ...) {
  char text[FACT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  bool colour = terminal_has_colour(STDOUT_FILENO);
  printf("%s%-*s%s ", colour ? "\033[1m" : "", NAME_WIDTH, name, colour ? "\033[0m" : "");
  prose_print_fact(NAME_WIDTH + 1, NAME_WIDTH + 1, text);
}
