/* Dependences of tasks, by their clauses. */
#include "export/values.h"
#include "tables/tabulate.h"

static void on_before(void *data, struct dependences_task source, struct dependences_task sink,
                      uint64_t address) {
  struct tabulator *tabulator = data;
  ROW(dependences);
  dependences[COLUMN_dependences_run] = tabulate_run(tabulator);
  dependences[COLUMN_dependences_source] = tabulate_id(tabulator, TABLE_tasks, source.id);
  dependences[COLUMN_dependences_sink] = tabulate_id(tabulator, TABLE_tasks, sink.id);
  dependences[COLUMN_dependences_address] = cell_number(address);
  row_write(tabulator->writer, TABLE_dependences, dependences);
}

bool tabulate_dependences_open(struct tabulator *tabulator) {
  const struct dependences_observer observer = {.before = on_before};
  tabulator->dependences = dependences_create(&observer, tabulator);
  return tabulator->dependences != NULL;
}

void tabulate_creation(struct tabulator *tabulator, const struct replay_task_event *step) {
  struct tabulate_place *place = &tabulator->places[step->location];
  place->created = (struct dependences_task){step->task->id, step->task->slot};
  place->creator = step->other ? step->other->id : 0;
}

void tabulate_dependence(struct tabulator *tabulator, const struct trace_event *event,
                         enum construct construct) {
  const struct tabulate_place *place = &tabulator->places[event->location];
  uint64_t address;
  if (construct_class(construct) != CONSTRUCT_CLASS_depend || place->creator == 0 ||
      !values_attribute(tabulator->trace, event, "dependence address", &address))
    return;
  tabulator->is_out_of_memory |=
      !dependences_add(tabulator->dependences, place->creator, place->created, construct, address);
}
