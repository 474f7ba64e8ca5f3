/* `stave report`: messages from process to process, calls of MPI by process and place, collective operations.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "cli/report/report_print.h"
#include "cli/report/report_values.h"
#include "report/text.h"

enum { NUMBER_BYTES = 32 };

static bool is_there(const struct traffic *traffic) {
  return traffic->pair_count + traffic->call_count > 0;
}

static const char *process_name(const struct report *report, uint32_t process) {
  const struct trace *trace = report->trace;
  return process < trace->location_group_count ? trace->location_groups[process].name : "a process";
}

/* What two clocks were compared for. */
static const char *compared(char text[TEXT_TIME_BYTES], const struct report *report, double ticks) {
  return report_lacks_clock(report) ? "not known" : text_time(text, report->trace, ticks);
}

static void begin_table(struct table *ret, const char *heading, const char *const *columns, size_t names) {
  table_heading(heading);
  table_begin(ret);
  for (size_t i = 0; columns[i]; i++)
    table_column(ret, columns[i], i < names ? TABLE_PLACE : TABLE_NUMBER);
}

/* -- messages -- */

static int by_bytes(const void *one, const void *other) {
  const struct traffic_pair *first = one, *second = other;
  if (first->bytes != second->bytes)
    return first->bytes > second->bytes ? -1 : 1;
  return first->messages > second->messages ? -1 : first->messages < second->messages;
}

static void pair_row(struct table *table, const struct report *report, const struct traffic_pair *pair) {
  char messages[NUMBER_BYTES], bytes[NUMBER_BYTES], mean[TEXT_TIME_BYTES], longest[TEXT_TIME_BYTES],
      wait[TEXT_TIME_BYTES], sender[TEXT_TIME_BYTES], early[TEXT_TIME_BYTES];
  table_row(table,
            (const char *const[]){process_name(report, pair->from), process_name(report, pair->to),
                                  summary_number(messages, pair->messages), summary_size(bytes, pair->bytes),
                                  compared(mean, report, (double)pair->ticks / (double)pair->messages),
                                  compared(longest, report, (double)pair->longest),
                                  compared(wait, report, (double)pair->wait),
                                  compared(sender, report, (double)pair->sender_wait),
                                  compared(early, report, (double)pair->early)});
}

static void print_pairs(const struct report_print *print) {
  static const char *const columns[] = {"from",    "to",     "messages",       "bytes", "mean under way",
                                        "longest", "waited", "senders waited", "early", NULL};
  const struct traffic *traffic = &print->report->traffic;
  struct table table;
  if (traffic->pair_count == 0)
    return;
  struct traffic_pair *pairs = memory_get(traffic->pair_count, sizeof *pairs);
  memcpy(pairs, traffic->pairs, traffic->pair_count * sizeof *pairs);
  qsort(pairs, traffic->pair_count, sizeof *pairs, by_bytes);
  begin_table(&table, "Messages from process to process", columns, 2);
  for (size_t i = 0; i < traffic->pair_count && i < print->top; i++)
    pair_row(&table, print->report, &pairs[i]);
  table_print_first(&table, traffic->pair_count, print->top);
  free(pairs);
}

/* -- calls -- */

/* The calls of all processes at a place. */
struct calls_at {
  struct traffic_call sum; /* process: in which most time went there */
  uint64_t most;
  size_t processes;
};

static int by_place(const void *one, const void *other) {
  const struct traffic_call *first = one, *second = other;
  if (first->region != second->region)
    return first->region < second->region ? -1 : 1;
  return first->site < second->site ? -1 : first->site > second->site;
}

static int places_by_ticks(const void *one, const void *other) {
  const struct calls_at *first = one, *second = other;
  return first->sum.ticks > second->sum.ticks ? -1 : first->sum.ticks < second->sum.ticks;
}

static void add_call(struct calls_at *place, const struct traffic_call *call) {
  if (place->processes++ == 0)
    place->sum = (struct traffic_call){.process = call->process, .region = call->region, .site = call->site};
  if (call->ticks > place->most)
    place->sum.process = call->process;
  place->most = call->ticks > place->most ? call->ticks : place->most;
  place->sum.count += call->count;
  place->sum.ticks += call->ticks;
  place->sum.wait += call->wait;
  place->sum.bytes += call->bytes;
}

/* Returns how many. */
static size_t make_places(const struct traffic *traffic, struct calls_at *places) {
  struct traffic_call *calls = memory_get(traffic->call_count + 1, sizeof *calls);
  size_t count = 0;
  if (traffic->call_count > 0)
    memcpy(calls, traffic->calls, traffic->call_count * sizeof *calls);
  qsort(calls, traffic->call_count, sizeof *calls, by_place);
  for (size_t i = 0; i < traffic->call_count; i++) {
    count += i == 0 || by_place(&calls[i - 1], &calls[i]) != 0;
    add_call(&places[count - 1], &calls[i]);
  }
  free(calls);
  qsort(places, count, sizeof *places, places_by_ticks);
  return count;
}

static void place_row(struct table *table, const struct report *report, const struct calls_at *place) {
  const struct traffic_call *sum = &place->sum;
  char label[LABEL_BYTES], processes[NUMBER_BYTES], count[NUMBER_BYTES], ticks[TEXT_TIME_BYTES],
      wait[TEXT_TIME_BYTES], bytes[NUMBER_BYTES], most[TEXT_TIME_BYTES];
  table_row(table,
            (const char *const[]){
                label_call(label, report->trace, sum->region, sum->site),
                summary_number(processes, place->processes), summary_number(count, sum->count),
                text_time(ticks, report->trace, (double)sum->ticks),
                compared(wait, report, (double)sum->wait), sum->bytes ? summary_size(bytes, sum->bytes) : "",
                text_time(most, report->trace, (double)place->most), process_name(report, sum->process)});
}

static void print_calls(const struct report_print *print) {
  static const char *const columns[] = {"call", "processes", "count", "time", "waited",
                                        "sent", "most",      "in",    NULL};
  const struct traffic *traffic = &print->report->traffic;
  struct calls_at *places = memory_get(traffic->call_count + 1, sizeof *places);
  size_t count = make_places(traffic, places);
  struct table table;
  if (count > 0) {
    begin_table(&table, "Calls of MPI, of all processes", columns, 1);
    for (size_t i = 0; i < count && i < print->top; i++)
      place_row(&table, print->report, &places[i]);
    table_print_first(&table, count, print->top);
  }
  free(places);
}

/* -- collective operations -- */

static const char *operation_name(const struct report *report, const struct traffic_operation *operation) {
  return operation->region < report->trace->region_count ? report->trace->regions[operation->region].name
                                                         : "an operation";
}

/* NULL: all processes, in MPI_Finalize. */
static const char *comm_name(const struct report *report, const struct traffic_operation *operation) {
  return operation->comm < report->trace->comm_count ? report->trace->comms[operation->comm].name : NULL;
}

static void operation_row(struct table *table, const struct report *report,
                          const struct traffic_operation *operation) {
  char count[NUMBER_BYTES], ticks[TEXT_TIME_BYTES], wait[TEXT_TIME_BYTES], longest[TEXT_TIME_BYTES];
  table_row(table, (const char *const[]){operation_name(report, operation), comm_name(report, operation),
                                         summary_number(count, operation->count),
                                         text_time(ticks, report->trace, (double)operation->ticks),
                                         compared(wait, report, (double)operation->wait),
                                         compared(longest, report, (double)operation->longest),
                                         operation->longest && !report_lacks_clock(report)
                                             ? process_name(report, operation->last)
                                             : ""});
}

static void print_operations(const struct report_print *print) {
  static const char *const columns[] = {"operation", "communicator", "count", "time",
                                        "waited",    "longest",      "for",   NULL};
  const struct traffic *traffic = &print->report->traffic;
  struct table table;
  if (traffic->operation_count == 0)
    return;
  begin_table(&table, "Collective operations, of all processes", columns, 2);
  for (size_t i = 0; i < traffic->operation_count && i < print->top; i++)
    operation_row(&table, print->report, &traffic->operations[i]);
  table_print_first(&table, traffic->operation_count, print->top);
}

void report_print_mpi(const struct report_print *print) {
  if (!is_there(&print->report->traffic))
    return;
  print_pairs(print);
  print_calls(print);
  print_operations(print);
}

/* -- JSON -- */

/* What two clocks were compared for. */
static void put_compared(json_t *object, const char *name, const struct report *report, double ticks) {
  if (report_lacks_clock(report))
    json_put(object, name, json_null());
  else
    report_put_seconds(object, name, report, ticks);
}

static json_t *process_json(const struct report *report, uint32_t process) {
  return process < report->trace->location_group_count ? json_from_text(process_name(report, process))
                                                       : json_null();
}

static json_t *messages_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->traffic.pair_count; i++) {
    const struct traffic_pair *pair = &report->traffic.pairs[i];
    json_t *object = json_pack("{s:o,s:o}", "from", process_json(report, pair->from), "to",
                               process_json(report, pair->to));
    json_put(object, "messages", json_from_number(pair->messages));
    json_put(object, "bytes", json_from_number(pair->bytes));
    put_compared(object, "mean_s", report, (double)pair->ticks / (double)pair->messages);
    put_compared(object, "longest_s", report, (double)pair->longest);
    put_compared(object, "wait_s", report, (double)pair->wait);
    put_compared(object, "sender_wait_s", report, (double)pair->sender_wait);
    put_compared(object, "early_s", report, (double)pair->early);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *calls_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->traffic.call_count; i++) {
    const struct traffic_call *call = &report->traffic.calls[i];
    json_t *object = json_pack("{s:o,s:o,s:o}", "process", process_json(report, call->process), "function",
                               report_region_json(report, call->region), "call_site",
                               report_call_site_json(report, call->site));
    json_put(object, "count", json_from_number(call->count));
    report_put_seconds(object, "time_s", report, (double)call->ticks);
    put_compared(object, "wait_s", report, (double)call->wait);
    json_put(object, "sent_bytes", json_from_number(call->bytes));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *operations_json(const struct report *report) {
  json_t *array = json_array();
  for (size_t i = 0; i < report->traffic.operation_count; i++) {
    const struct traffic_operation *operation = &report->traffic.operations[i];
    json_t *object =
        json_pack("{s:o,s:o}", "function", report_region_json(report, operation->region), "communicator",
                  comm_name(report, operation) ? json_from_text(comm_name(report, operation)) : json_null());
    json_put(object, "count", json_from_number(operation->count));
    report_put_seconds(object, "time_s", report, (double)operation->ticks);
    put_compared(object, "wait_s", report, (double)operation->wait);
    put_compared(object, "longest_wait_s", report, (double)operation->longest);
    json_put(object, "longest_wait_for",
             operation->longest && !report_lacks_clock(report) ? process_json(report, operation->last)
                                                               : json_null());
    json_array_append_new(array, object);
  }
  return array;
}

json_t *report_mpi_json(const struct report *report) {
  if (!is_there(&report->traffic))
    return json_null();
  return json_pack("{s:o,s:o,s:o}", "messages", messages_json(report), "calls", calls_json(report),
                   "collectives", operations_json(report));
}
