/* Prints docs/events.md from the tables, or reports where they do not fit together. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/config.h"
#include "session/records.h"

struct field {
  const char *type, *name;
};

struct record_row {
  const char *name, *class;
  struct field fields[3];
  const char *doc;
};

struct callback_row {
  const char *name;
  uint32_t number;
  const char *class;
  const char *results[5];
  const char *carried;
};

static const struct record_row records[] = {
#define RECORD(id, class, a_type, a_name, b_type, b_name, c_type, c_name, doc)                               \
  {#id, #class, {{#a_type, #a_name}, {#b_type, #b_name}, {#c_type, #c_name}}, doc},
#include "session/records.def"
#undef RECORD
};

static const struct callback_row callbacks[] = {
#define CALLBACK(name, number, since, result, signature, class, minimum, llvm14, llvm15, llvm16, llvm19,     \
                 llvm22, carried)                                                                            \
  {#name, number, #class, {#llvm14, #llvm15, #llvm16, #llvm19, #llvm22}, carried},
#include "ompt/callbacks.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Both forms of a callback make the same record. */
static size_t length_without_form(const char *callback) {
  size_t length = strlen(callback), form = strlen("_emi");
  return length > form && strcmp(callback + length - form, "_emi") == 0 ? length - form : length;
}

/* True if the record is the callback's: of its name, or continuing it (implicit_task_begin), or one of
 * several (dependence, dependences). */
static bool is_of(const char *record, const char *callback) {
  size_t length = length_without_form(callback);
  if (strncmp(record, callback, length) == 0)
    return record[length] == '\0' || record[length] == '_';
  return length == strlen(record) + 1 && begins_with(callback, record) && callback[length - 1] == 's';
}

/* The longest name that fits, so that sync_region_wait is not sync_region's. */
static const struct callback_row *callback_of(const struct record_row *record) {
  const struct callback_row *best = NULL;
  for (size_t i = 0; i < COUNT(callbacks); i++)
    if (is_of(record->name, callbacks[i].name) &&
        (!best || length_without_form(best->name) < length_without_form(callbacks[i].name)))
      best = &callbacks[i];
  return best;
}

static bool makes(const struct callback_row *callback, const struct record_row *record) {
  const struct callback_row *of = callback_of(record);
  size_t length = length_without_form(callback->name);
  return of && length == length_without_form(of->name) && strncmp(of->name, callback->name, length) == 0;
}

/* -- do the tables fit together -- */

static int complain(const char *name, const char *what) {
  fprintf(stderr, "events_doc: %s: %s\n", name, what);
  return 1;
}

static int check_callback(const struct callback_row *callback) {
  bool is_recorded = false;
  for (size_t i = 0; i < COUNT(records); i++)
    is_recorded |= makes(callback, &records[i]);
  if (!is_recorded)
    return complain(callback->name, "a row in callbacks.def, but no record in records.def has its name");
  return *callback->carried ? 0 : complain(callback->name, "callbacks.def has no record that carries it");
}

static int check(void) {
  int errors = 0;
  for (size_t i = 0; i < COUNT(callbacks); i++)
    errors += check_callback(&callbacks[i]);
  return errors;
}

/* -- printing -- */

static void print_introduction(void) {
  puts("# What is recorded\n\n"
       "<!-- Made from src/session/records.def and src/ompt/callbacks.def by scripts/render. -->\n\n"
       "For each callback of OMPT: what the tool puts into a thread's ring, what the archive holds, and\n"
       "which runtimes deliver it (what `ompt_set_callback` answers; measured with LLVM's libomp 14, 15,\n"
       "16, 19 and 22; 23 is as 22). A *point* is Enter and Leave at one time. Every record also has its\n"
       "time in clock ticks. What another runtime answered is in the properties\n"
       "`STAVE::SET_CALLBACK::NUMBER` of an archive, and `stave info` shows it. What was not registered,\n"
       "since it could have harmed the program, is in `STAVE::NOT_ASKED::NUMBER`.\n\n"
       "Field types: *id*: Stave's number of a parallel region or task, which OMPT carries in\n"
       "`ompt_data_t`; *address*: an address in the program; *value*: a number as the runtime gave it;\n"
       "*ticks*: a time.\n");
}

static void print_delivered(const struct callback_row *row) {
  static const char *const versions[] = {"14", "15", "16", "19", "22"};
  printf("Delivered:");
  for (size_t i = 0, next; i < COUNT(versions); i = next) {
    next = i + 1;
    while (next < COUNT(versions) && strcmp(row->results[next], row->results[i]) == 0)
      next++;
    printf("%s libomp %s", i ? ";" : "", versions[i]);
    if (next - i > 1)
      printf(" to %s", versions[next - 1]);
    printf(" %s", row->results[i]);
  }
  printf(".\n");
}

static void print_harm(uint32_t number) {
  static const struct {
    uint32_t number;
    const char *class, *reason;
  } rows[] = {
#define HARMFUL(name, class, reason) {OMPT_CALLBACK_##name, #class, reason},
#include "session/harmful.def"
#undef HARMFUL
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    if (rows[i].number == number)
      printf("Registered only where STAVE_EVENTS names `%s`%s: %s.\n", rows[i].class,
             number == OMPT_CALLBACK_dependences
                 ? ", or it can be foreseen which dependences are waited for without a task; else it is "
                   "unregistered when such a wait comes all the same (gcc's `task if`, libraries that are "
                   "loaded later), and `STAVE::DEPENDENCES_WITHHELD` counts the tasks whose dependences are "
                   "missing"
                 : "",
             rows[i].reason);
}

static void print_record(const struct record_row *record) {
  printf("- record `%s`", record->name);
  const char *join = ": ";
  for (size_t i = 0; i < COUNT(record->fields); i++) {
    if (strcmp(record->fields[i].type, "none") == 0)
      continue;
    printf("%s`%s` (%s)", join, record->fields[i].name, record->fields[i].type);
    join = ", ";
  }
  printf(".\n  %s\n", record->doc);
}

static void print_callback(const struct callback_row *callback) {
  printf("\n## %s (%u)\n\n", callback->name, callback->number);
  for (size_t i = 0; i < COUNT(records); i++)
    if (makes(callback, &records[i]))
      print_record(&records[i]);
  printf("\nIn the archive: %s\n\nClass in STAVE_EVENTS: %s. ", callback->carried, callback->class);
  print_delivered(callback);
  print_harm(callback->number);
}

/* The table is in the order of registration. */
static int by_number(const void *left, const void *right) {
  const struct callback_row *a = left, *b = right;
  return (a->number > b->number) - (a->number < b->number);
}

static void print_callbacks(void) {
  struct callback_row rows[COUNT(callbacks)];
  memcpy(rows, callbacks, sizeof rows);
  qsort(rows, COUNT(rows), sizeof *rows, by_number);
  for (size_t i = 0; i < COUNT(rows); i++)
    print_callback(&rows[i]);
}

static bool is_of_mpi(const struct record_row *record) {
  return strcmp(record->class, "mpi") == 0;
}

static void print_others(void) {
  puts("\n## Without a callback\n\nRecords of the tool itself.\n");
  for (size_t i = 0; i < COUNT(records); i++)
    if (!callback_of(&records[i]) && !is_of_mpi(&records[i]))
      print_record(&records[i]);
}

/* -- MPI -- */

static const struct mpi_row {
  const char *name, *class, *role;
} mpi_functions[] = {
#define PLAIN(name, parameters, class, role) {#name, #class, #role},
#define SPECIAL(name, parameters, class, role, ...) PLAIN(name, parameters, class, role)
#include "mpi/functions.def"
};

/* One line for each class and role: there are hundreds of functions. */
static void print_mpi_functions(const struct mpi_row *of) {
  const char *join = "";
  printf("| mpi-%s | %s | ", of->class, of->role);
  for (size_t i = 0; i < COUNT(mpi_functions); i++)
    if (strcmp(mpi_functions[i].class, of->class) == 0 && strcmp(mpi_functions[i].role, of->role) == 0) {
      printf("%s%s", join, mpi_functions[i].name);
      join = ", ";
    }
  puts(" |");
}

static bool is_first_of_its_line(size_t number) {
  const struct mpi_row *row = &mpi_functions[number];
  for (size_t i = 0; i < number; i++)
    if (strcmp(mpi_functions[i].class, row->class) == 0 && strcmp(mpi_functions[i].role, row->role) == 0)
      return false;
  return true;
}

static void print_mpi(void) {
  puts("\n## MPI\n\nWhat libstave-mpi.so records; [MPI.md](MPI.md) has the events that result.\n");
  for (size_t i = 0; i < COUNT(records); i++)
    if (is_of_mpi(&records[i]))
      print_record(&records[i]);
  puts("\nFunctions, without `MPI_`:\n\n| class | role | functions |\n|---|---|---|");
  for (size_t i = 0; i < COUNT(mpi_functions); i++)
    if (is_first_of_its_line(i))
      print_mpi_functions(&mpi_functions[i]);
}

static void print_device_records(void) {
  static const struct {
    const char *name, *fields;
  } rows[] = {
#define FIELD(member, name) " `" #name "`"
#define FIELD_AT(offset, bytes, name) " `" #name "`"
#define DEVICE_RECORD(name, fields) {#name, "" fields},
#include "ompt/device_records.def"
#undef DEVICE_RECORD
#undef FIELD_AT
#undef FIELD
  };
  puts("\n"
       "## Records of devices\n\n"
       "What a device can record itself (`ompt_record_ompt_t`), each with its time, thread and target,\n"
       "and what becomes of it on a stream of the device. target_data_op: RmaGet or RmaPut and\n"
       "RmaOpCompleteBlocking, or Enter and Leave, as for the callback, with the device's times.\n"
       "target_submit: Enter and Leave `target kernel` with the attributes `requested teams` and `granted\n"
       "teams`. Any other: a point `device record`, the type in its region's description. Thread, target,\n"
       "and fields that no event carries are ParameterUnsignedInt events after the first; the message\n"
       "of an error is its attribute `error message`. A native record is Enter and Leave `device activity`\n"
       "with the attributes `activity`, `matching id` and `hardware id`. The device's properties `trace`,\n"
       "`processors`, `buffers` (their size, where it recommends one) and `clock deviation` have what it\n"
       "agreed to.\n\n"
       "| record | fields |\n"
       "|---|---|");
  for (size_t i = 0; i < COUNT(rows); i++)
    printf("| `%s` |%s |\n", rows[i].name, rows[i].fields);
}

/* A bar would end the cell. */
static void print_cell(const char *text) {
  for (; *text; text++) {
    if (*text == '|')
      putchar('\\');
    putchar(*text);
  }
}

static void print_attributes(void) {
  static const struct {
    const char *name, *type, *doc;
  } rows[] = {
#define ATTRIBUTE(id, name, type, description) {name, #type, description},
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  };
  puts("\n## Attributes of events\n\n| attribute | type | meaning |\n|---|---|---|");
  for (size_t i = 0; i < COUNT(rows); i++) {
    printf("| `%s` | %s | ", rows[i].name, rows[i].type);
    print_cell(rows[i].doc);
    puts(" |");
  }
}

static void print_regions(void) {
  static const struct {
    const char *kind, *name, *role;
  } rows[] = {
#define CONSTRUCT(id, kind, name, role, ...) {#kind, name, #role},
#include "ompt/constructs.def"
#undef CONSTRUCT
  };
  puts("\n## Regions\n\n| name | role |\n|---|---|");
  for (size_t i = 0; i < COUNT(rows); i++) {
    bool is_construct = strcmp(rows[i].kind, "omp") == 0;
    if (strcmp(rows[i].kind, "foreign") == 0 || strcmp(rows[i].kind, "mpi") == 0)
      continue;
    printf("| `%s%s%s` | %s |\n", is_construct ? "!$omp " : "", rows[i].name,
           is_construct ? " @FILE:LINE" : "", rows[i].role);
  }
}

int main(void) {
  if (check() > 0)
    return EXIT_FAILURE;
  print_introduction();
  print_callbacks();
  print_others();
  print_device_records();
  print_mpi();
  print_attributes();
  print_regions();
  return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
