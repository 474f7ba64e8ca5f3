/* Names of regions come before the rows that have them, and are kept as the text that is in each row. */
#include "tables/table_csv.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"

struct table_csv {
  struct row_writer writer;
  struct sink *sink, *maker;
  enum schema_table table;
  struct sink_memory *names; /* by id of region_names: "NAME,CONSTRUCT,FILE,LINE" */
  size_t name_capacity;
};

static void write_cell(struct sink *sink, const struct cell *cell) {
  if (cell->kind == CELL_INTEGER)
    sink_signed(sink, cell->integer);
  else if (cell->kind == CELL_REAL)
    sink_real(sink, cell->real);
  else if (cell->kind == CELL_TEXT)
    sink_csv(sink, cell->text);
}

static void write_name(const struct table_csv *csv, const struct cell *cell) {
  if (cell->kind != CELL_INTEGER) {
    sink_text(csv->sink, ",,,,");
    return;
  }
  size_t id = (size_t)cell->integer;
  sink_signed(csv->sink, cell->integer);
  sink_byte(csv->sink, ',');
  if (id < csv->name_capacity && csv->names[id].bytes)
    sink_bytes(csv->sink, csv->names[id].bytes, csv->names[id].count);
  else
    sink_text(csv->sink, ",,,");
}

static void keep_name(struct table_csv *csv, const struct cell *cells) {
  static const int kept[] = {COLUMN_region_names_region, COLUMN_region_names_construct,
                             COLUMN_region_names_file, COLUMN_region_names_line};
  size_t id = (size_t)cells[COLUMN_region_names_id].integer;
  array_reserve_zeroed(&csv->names, &csv->name_capacity, id + 1, sizeof *csv->names);
  sink_open_memory(csv->maker, &csv->names[id]);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    if (i > 0)
      sink_byte(csv->maker, ',');
    write_cell(csv->maker, &cells[kept[i]]);
  }
  sink_finish(csv->maker);
}

static void write_row(struct row_writer *writer, enum schema_table table, const struct cell *cells) {
  struct table_csv *csv = (struct table_csv *)writer;
  const struct schema_description *description = schema_describe(table);
  if (table == TABLE_region_names)
    keep_name(csv, cells);
  if (table != csv->table)
    return;
  for (size_t i = 0; i < description->column_count; i++) {
    if (i > 0)
      sink_byte(csv->sink, ',');
    if (description->columns[i].type == SCHEMA_REGION)
      write_name(csv, &cells[i]);
    else
      write_cell(csv->sink, &cells[i]);
  }
  sink_byte(csv->sink, '\n');
  csv->writer.error = csv->sink->error;
}

static void write_header(const struct table_csv *csv) {
  const struct schema_description *description = schema_describe(csv->table);
  for (size_t i = 0; i < description->column_count; i++) {
    sink_text(csv->sink, i ? "," : "");
    if (description->columns[i].type == SCHEMA_REGION)
      sink_text(csv->sink, "region_id,region,construct,file,line");
    else
      sink_text(csv->sink, description->columns[i].name);
  }
  sink_byte(csv->sink, '\n');
}

struct table_csv *table_csv_open(struct sink *sink, enum schema_table table) {
  struct table_csv *csv = memory_get(1, sizeof *csv);
  *csv = (struct table_csv){.writer = {.row = write_row, .ids = {.run = 1}},
                            .sink = sink,
                            .maker = memory_get(1, sizeof *csv->maker),
                            .table = table};
  csv->writer.is_requested[table] = csv->writer.is_requested[TABLE_region_names] = true;
  write_header(csv);
  return csv;
}

struct row_writer *table_csv_writer(struct table_csv *csv) {
  return &csv->writer;
}

void table_csv_close(struct table_csv *csv) {
  for (size_t i = 0; i < csv->name_capacity; i++)
    free(csv->names[i].bytes);
  free(csv->names);
  free(csv->maker);
  free(csv);
}
