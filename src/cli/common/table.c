#include "cli/common/table.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/shorten.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/terminal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FACT_BYTES = 8192, NAME_WIDTH = 14, GAP = 2, ESCAPE_BYTES = 4 };

/* What a column gets at least, if it needs as much. */
enum { MIN_TEXT = 12, MIN_FIRST_TEXT = 24, MIN_PROSE = 20, MIN_PLACE = 20 };

/* How wide the columns become; after `shown` none is printed. */
struct layout {
  size_t width[TABLE_COLUMNS_MAX];
  size_t shown;
};

void table_begin(struct table *ret) {
  *ret = (struct table){.column_count = 0};
}

void table_column(struct table *table, const char *name, enum table_column kind) {
  if (table->column_count == TABLE_COLUMNS_MAX)
    return;
  table->columns[table->column_count].name = name;
  table->columns[table->column_count++].kind = kind;
}

void table_row(struct table *table, const char *const *cells) {
  size_t count = table->cell_count + table->column_count;
  array_reserve(&table->cells, &table->cell_capacity, count, sizeof *table->cells);
  for (size_t i = 0; i < table->column_count; i++) {
    const char *text = cells[i] ? cells[i] : "";
    size_t size = ESCAPE_BYTES * strlen(text) + 1;
    table->cells[table->cell_count++] = message_escape(memory_get(size, 1), size, text);
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

static size_t least_of(const struct table *table, size_t column, size_t needed) {
  size_t least = needed;
  if (table->columns[column].kind == TABLE_TEXT)
    least = column == 0 ? MIN_FIRST_TEXT : MIN_TEXT;
  else if (table->columns[column].kind == TABLE_PLACE)
    least = MIN_PLACE;
  else if (table->columns[column].kind == TABLE_PROSE)
    least = MIN_PROSE;
  return least < needed ? least : needed;
}

/* Columns of the terminal that are in use. */
static size_t used_by(const struct layout *layout) {
  size_t used = 0;
  for (size_t i = 0; i < layout->shown; i++)
    used += layout->width[i] + (i > 0 ? GAP : 0);
  return used;
}

static bool is_broken(enum table_column kind) {
  return kind == TABLE_PROSE;
}

static bool is_cut(enum table_column kind) {
  return kind == TABLE_TEXT || kind == TABLE_PLACE;
}

/* The narrowest column of those that needs more; `shown`: none does. */
static size_t narrowest(const struct table *table, const struct layout *layout,
                        bool (*is_one)(enum table_column kind), const size_t *needed) {
  size_t found = layout->shown;
  for (size_t i = 0; i < layout->shown; i++)
    if (is_one(table->columns[i].kind) && layout->width[i] < needed[i] &&
        (found == layout->shown || layout->width[i] < layout->width[found]))
      found = i;
  return found;
}

/* Gives those columns what they need of the room that is left, the narrowest first. */
static void widen(const struct table *table, struct layout *layout, bool (*is_one)(enum table_column kind),
                  const size_t *needed, size_t room) {
  for (size_t left = room - used_by(layout); left > 0; left--) {
    size_t column = narrowest(table, layout, is_one, needed);
    if (column == layout->shown)
      return;
    layout->width[column]++;
  }
}

static struct layout lay_out(const struct table *table) {
  struct layout layout = {.shown = table->column_count};
  size_t room = terminal_width(), needed[TABLE_COLUMNS_MAX];
  for (size_t i = 0; i < table->column_count; i++) {
    needed[i] = widest(table, i);
    layout.width[i] = room > 0 ? least_of(table, i, needed[i]) : needed[i];
  }
  while (room > 0 && layout.shown > 1 && used_by(&layout) > room)
    layout.shown--;
  if (room > 0 && used_by(&layout) <= room) {
    widen(table, &layout, is_cut, needed, room);
    widen(table, &layout, is_broken, needed, room);
  }
  return layout;
}

/* -- printing -- */

/* The next printed line of a row: cells that are broken go on in it. */
struct line {
  const char *rest[TABLE_COLUMNS_MAX]; /* of each cell */
  size_t gap;                          /* blanks before what comes next */
  const char *begin, *end;             /* of colour around each cell */
};

static void print_blanks(size_t count) {
  printf("%*s", (int)count, "");
}

/* Blanks at the end of a line are never printed. */
static void print_part(struct line *line, const char *text, size_t length, size_t blanks, bool is_number) {
  if (length > 0) {
    print_blanks(line->gap + (is_number ? blanks : 0));
    printf("%s%.*s%s", line->begin, (int)length, text, line->end);
    line->gap = 0;
  }
  line->gap += length > 0 && is_number ? 0 : blanks;
}

static size_t part_length(const char *text, enum table_column kind, size_t width) {
  return kind == TABLE_PROSE ? prose_line(text, width) : strlen(text);
}

static void print_cell(struct line *line, size_t column, enum table_column kind, size_t width) {
  const char *text = line->rest[column];
  size_t length = part_length(text, kind, width);
  char *part = memory_given(strndup(text, length));
  line->gap += column > 0 ? GAP : 0;
  size_t shown = shorten_width(part, SIZE_MAX);
  print_part(line, part, length, shown < width ? width - shown : 0, kind == TABLE_NUMBER);
  line->rest[column] = text + length + (text[length] == ' ');
  free(part);
}

static bool has_more(const struct line *line, size_t columns) {
  for (size_t i = 0; i < columns; i++)
    if (*line->rest[i])
      return true;
  return false;
}

static void print_line(const struct table *table, const struct layout *layout, struct line *line) {
  do {
    for (size_t i = 0; i < layout->shown; i++)
      print_cell(line, i, table->columns[i].kind, layout->width[i]);
    line->gap = 0;
    putchar('\n');
  } while (has_more(line, layout->shown));
}

static void print_header(const struct table *table, const struct layout *layout) {
  bool colour = terminal_has_colour(STDOUT_FILENO);
  struct line line = {.begin = colour ? "\033[1m" : "", .end = colour ? "\033[0m" : ""};
  for (size_t i = 0; i < layout->shown; i++)
    line.rest[i] = table->columns[i].name;
  print_line(table, layout, &line);
}

/* Owns the cell from now on, and returns its visible part. */
static char *cut_cell(char *cell, enum table_column kind, size_t width) {
  if (!is_cut(kind) || shorten_width(cell, SIZE_MAX) <= width)
    return cell;
  size_t size = strlen(cell) + 1;
  char *cut = shorten_middle(memory_get(size, 1), size, cell, width);
  free(cell);
  return cut;
}

static void print_row(const struct table *table, const struct layout *layout, char **cells) {
  struct line line = {.begin = "", .end = ""};
  for (size_t i = 0; i < layout->shown; i++)
    line.rest[i] = cells[i] = cut_cell(cells[i], table->columns[i].kind, layout->width[i]);
  print_line(table, layout, &line);
  for (size_t i = 0; i < table->column_count; i++)
    free(cells[i]);
}

void table_print(struct table *table) {
  struct layout layout = lay_out(table);
  if (table->cell_count > 0)
    print_header(table, &layout);
  for (size_t row = 0; row < table->cell_count; row += table->column_count)
    print_row(table, &layout, table->cells + row);
  free(table->cells);
  table_begin(table);
}

void table_print_first(struct table *table, size_t count, size_t top) {
  table_print(table);
  if (count > top)
    printf("  %zu more: --top %zu\n", count - top, count);
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
