/* One table as a CSV file, with the columns of schema.def. */
#ifndef STAVE_TABLES_TABLE_CSV_H
#define STAVE_TABLES_TABLE_CSV_H

#include "export/sink.h"
#include "tables/rows.h"

struct table_csv;

/* Writes the header into `sink`. */
struct table_csv *table_csv_open(struct sink *sink, enum schema_table table);

/* Where rows go; of other tables than the one only names of regions are requested. */
struct row_writer *table_csv_writer(struct table_csv *csv);

/* Frees; the sink is the caller's to finish. */
void table_csv_close(struct table_csv *csv);

#endif
