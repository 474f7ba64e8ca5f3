/* Dependences of tasks, by their clauses. */
#include "tables/tabulate.h"

void tabulate_dependence(struct tabulator *tabulator, struct dependences_task source,
                         struct dependences_task sink, uint64_t address) {
  ROW(dependences);
  dependences[COLUMN_dependences_run] = tabulate_run(tabulator);
  dependences[COLUMN_dependences_source] = tabulate_id(tabulator, TABLE_tasks, source.id);
  dependences[COLUMN_dependences_sink] = tabulate_id(tabulator, TABLE_tasks, sink.id);
  dependences[COLUMN_dependences_address] = cell_number(address);
  row_write(tabulator->writer, TABLE_dependences, dependences);
}
