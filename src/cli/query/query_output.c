#include "cli/query/query_output.h"

#include "base/memory.h"
#include "base/shorten.h"
#include "cli/common/message.h"
#include "cli/common/terminal.h"
#include "export/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELL_BYTES = 4096, CELL_WIDTH_ON_TERMINAL = 60, GAP = 2 };

struct query_output {
  enum query_form form;
  struct sink *sink;
  char **names; /* of columns */
  size_t column_count;
  uint64_t row_count, row_limit;
  char **texts; /* of the table's block, row by row; "" stays NULL */
  bool *is_number;
  size_t text_count; /* of the block */
  size_t *widths;
  bool has_header, is_on_terminal, has_more;
};

struct query_output *query_output_open(enum query_form form, uint64_t row_limit) {
  struct query_output *output = memory_get(1, sizeof *output);
  output->form = form;
  output->row_limit = row_limit;
  output->sink = memory_get(sizeof *output->sink, 1);
  output->is_on_terminal = terminal_width() > 0;
  sink_open_file(output->sink, STDOUT_FILENO, NULL);
  return output;
}

/* -- tables -- */

static char *text_of(const struct query_output *output, const struct cell *cell) {
  char text[CELL_BYTES] = "NULL", shown[CELL_BYTES];
  if (cell->kind == CELL_INTEGER)
    snprintf(text, sizeof text, "%lld", (long long)cell->integer);
  else if (cell->kind == CELL_REAL)
    snprintf(text, sizeof text, "%.6g", cell->real);
  else if (cell->kind == CELL_TEXT)
    message_escape(text, sizeof text, cell->text ? cell->text : "");
  if (output->is_on_terminal)
    shorten_middle(shown, sizeof shown, text, CELL_WIDTH_ON_TERMINAL);
  return memory_text(output->is_on_terminal ? shown : text);
}

static size_t width_of(const char *text) {
  return shorten_width(text, strlen(text));
}

static void pad(struct sink *sink, size_t count) {
  while (count-- > 0)
    sink_byte(sink, ' ');
}

/* Numbers to the right; what is last has no blanks after. */
static void write_text(struct query_output *output, const char *text, size_t column, bool is_number) {
  size_t width = width_of(text), room = output->widths[column] > width ? output->widths[column] - width : 0;
  bool is_last = column + 1 == output->column_count;
  pad(output->sink, is_number ? room : 0);
  sink_text(output->sink, text);
  pad(output->sink, is_last ? 0 : GAP + (is_number ? 0 : room));
  if (is_last)
    sink_byte(output->sink, '\n');
}

static void write_header(struct query_output *output) {
  for (size_t i = 0; i < output->column_count; i++)
    write_text(output, output->names[i], i, output->text_count > 0 && output->is_number[i]);
  output->has_header = true;
}

static void write_block(struct query_output *output) {
  for (size_t i = 0; i < output->text_count; i++) {
    size_t *width = &output->widths[i % output->column_count], needed = width_of(output->texts[i]);
    *width = needed > *width ? needed : *width;
  }
  if (!output->has_header)
    write_header(output);
  for (size_t i = 0; i < output->text_count; i++) {
    write_text(output, output->texts[i], i % output->column_count, output->is_number[i]);
    free(output->texts[i]);
  }
  output->text_count = 0;
}

static void add_row(struct query_output *output, const struct cell *cells) {
  for (size_t i = 0; i < output->column_count; i++) {
    output->is_number[output->text_count] = cells[i].kind == CELL_INTEGER || cells[i].kind == CELL_REAL;
    output->texts[output->text_count++] = text_of(output, &cells[i]);
  }
  if (output->text_count == QUERY_BLOCK * output->column_count)
    write_block(output);
}

/* -- CSV and JSON -- */

static void write_csv(struct query_output *output, const struct cell *cells) {
  for (size_t i = 0; i < output->column_count; i++) {
    if (i > 0)
      sink_byte(output->sink, ',');
    if (cells[i].kind == CELL_INTEGER)
      sink_signed(output->sink, cells[i].integer);
    else if (cells[i].kind == CELL_REAL)
      sink_real(output->sink, cells[i].real);
    else if (cells[i].kind == CELL_TEXT)
      sink_csv(output->sink, cells[i].text);
  }
  sink_byte(output->sink, '\n');
}

static void write_json_value(struct sink *sink, const struct cell *cell) {
  if (cell->kind == CELL_INTEGER)
    sink_signed(sink, cell->integer);
  else if (cell->kind == CELL_REAL)
    sink_real(sink, cell->real);
  else if (cell->kind == CELL_TEXT)
    sink_json(sink, cell->text);
  else
    sink_text(sink, "null");
}

static void write_json(struct query_output *output, const struct cell *cells) {
  sink_text(output->sink, output->row_count ? ",\n{" : "{");
  for (size_t i = 0; i < output->column_count; i++) {
    if (i > 0)
      sink_byte(output->sink, ',');
    sink_json(output->sink, output->names[i]);
    sink_byte(output->sink, ':');
    write_json_value(output->sink, &cells[i]);
  }
  sink_byte(output->sink, '}');
}

/* -- all of them -- */

static void begin_table(struct query_output *output) {
  size_t cells = QUERY_BLOCK * output->column_count;
  output->texts = memory_get(cells + 1, sizeof *output->texts);
  output->is_number = memory_get(cells + 1, sizeof *output->is_number);
  output->widths = memory_get(output->column_count + 1, sizeof *output->widths);
  for (size_t i = 0; i < output->column_count; i++)
    output->widths[i] = width_of(output->names[i]);
}

static void begin_csv(struct query_output *output) {
  for (size_t i = 0; i < output->column_count; i++) {
    if (i > 0)
      sink_byte(output->sink, ',');
    sink_csv(output->sink, output->names[i]);
  }
  sink_byte(output->sink, '\n');
}

static bool on_columns(void *data, const char *const *names, size_t count) {
  struct query_output *output = data;
  output->column_count = count;
  output->names = memory_get(count + 1, sizeof *output->names);
  for (size_t i = 0; i < count; i++)
    output->names[i] = memory_text(names[i] ? names[i] : "");
  if (output->form == QUERY_TABLE)
    begin_table(output);
  else if (output->form == QUERY_CSV)
    begin_csv(output);
  else
    sink_text(output->sink, "[");
  return true;
}

static bool on_row(void *data, const struct cell *cells, size_t count) {
  struct query_output *output = data;
  (void)count;
  if (output->row_limit > 0 && output->row_count == output->row_limit) {
    output->has_more = true;
    return false;
  }
  if (output->form == QUERY_TABLE)
    add_row(output, cells);
  else if (output->form == QUERY_CSV)
    write_csv(output, cells);
  else
    write_json(output, cells);
  output->row_count++;
  return output->sink->error == 0;
}

const struct query_observer query_output_observer = {on_columns, on_row};

static void finish(struct query_output *output) {
  if (output->form == QUERY_TABLE)
    write_block(output);
  if (output->form == QUERY_JSON)
    sink_text(output->sink, "]\n");
}

bool query_output_close(struct query_output *output, bool is_complete) {
  if (is_complete && output->names)
    finish(output);
  int error = sink_finish(output->sink);
  if (error == -EPIPE)
    message_end_by_pipe();
  if (error < 0)
    message_print("cannot write to standard output: %s", strerror(-error));
  else if (output->has_more)
    message_print("only the first %" PRIu64 " rows: there are more (--rows)", output->row_limit);
  for (size_t i = 0; i < output->column_count; i++)
    free(output->names[i]);
  for (size_t i = 0; i < output->text_count; i++)
    free(output->texts[i]);
  free(output->names);
  free(output->texts);
  free(output->is_number);
  free(output->widths);
  free(output->sink);
  free(output);
  return error == 0;
}
