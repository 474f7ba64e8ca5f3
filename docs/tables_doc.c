/* Prints docs/man/stave-tables.5 from the tables. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tables/schema.h"

struct view {
  const char *name, *meaning;
};

static const struct view views[] = {
#define VIEW(name, meaning, sql) {#name, meaning},
#define INDEX(...)
#include "tables/views.def"
#undef VIEW
#undef INDEX
};

static const char head[] =
    ".\\\" Made from src/tables/schema.def and src/tables/views.def by scripts/render.\n"
    ".Dd November 27, 2026\n"
    ".Dt STAVE-TABLES 5\n"
    ".Os\n"
    ".Sh NAME\n"
    ".Nm stave-tables\n"
    ".Nd tables of what an archive holds\n"
    ".Sh DESCRIPTION\n"
    ".Ic stave export -f sqlite -o\n"
    ".Ar file archive ...\n"
    "writes the tables below into a database of SQLite, with indexes and views;\n"
    ".Ic stave export -f csv --table\n"
    ".Ar name archive\n"
    "writes one of them, with the same columns.\n"
    ".Pp\n"
    "Times, in columns whose names end in\n"
    ".Li _ns ,\n"
    "are nanoseconds since the beginning of the run, or lengths in nanoseconds.\n"
    "What is not known, and what does not apply, is NULL, and never 0; in CSV it is empty.\n"
    "So is a number of 2^63 or more, which no column holds.\n"
    "An id is a number that no two rows of a table share, also where several archives are in one database; "
    "column\n"
    ".Li run\n"
    "has the run of each row.\n"
    "Texts are UTF-8: a byte of a name that belongs to no character is U+FFFD.\n"
    ".Pp\n"
    "Of an archive that cannot be read to its end the tables hold what came until then:\n"
    "column\n"
    ".Li incomplete\n"
    "of the table\n"
    ".Li runs\n"
    "has the reason, and\n"
    ".Li lost_events\n"
    "how many events the recording itself lacks.\n"
    ".Pp\n"
    "Columns of the type region are five:\n"
    ".Li region_id\n"
    "(id of\n"
    ".Li region_names ) ,\n"
    ".Li region\n"
    "(its name),\n"
    ".Li construct , file\n"
    "and\n"
    ".Li line .\n"
    "In a database the rows of such a table are in\n"
    ".Ar table Ns Li _rows ,\n"
    "with\n"
    ".Li region_id\n"
    "alone, and\n"
    ".Ar table\n"
    "is a view of these.\n"
    ".Pp\n";

static const char *type_of(enum schema_type type) {
  static const char *const names[] = {[SCHEMA_INTEGER] = "integer",
                                      [SCHEMA_NUMBER] = "integer or real",
                                      [SCHEMA_TEXT] = "text",
                                      [SCHEMA_ID] = "id",
                                      [SCHEMA_REGION] = "region"};
  return names[type];
}

/* A line of its own must not begin as a request does. */
static void print_text(const char *text) {
  printf("%s%s", *text == '.' || *text == '\'' ? "\\&" : "", text);
}

static void print_table(const struct schema_description *table) {
  printf(".Ss %s\n", table->name);
  print_text(table->meaning);
  printf("\n.Bl -tag -width \"suspended_ns\"\n");
  for (size_t i = 0; i < table->column_count; i++) {
    const struct schema_column *column = &table->columns[i];
    printf(".It Li %s\n%s", column->name, type_of(column->type));
    if (*column->meaning)
      printf(": %s", column->meaning);
    printf("\n");
  }
  printf(".El\n");
}

static void print_views(void) {
  printf(".Sh VIEWS\nOf the database only.\n.Bl -tag -width Ds\n");
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    printf(".It Li %s\n%s\n", views[i].name, views[i].meaning);
  printf(".El\n");
}

int main(void) {
  printf(
      "%sThe version of what this page describes is %d, which is the database's\n.Li PRAGMA user_version .\n",
      head, SCHEMA_VERSION);
  printf(".Sh TABLES\n");
  for (int table = 0; table < SCHEMA_TABLE_COUNT; table++)
    print_table(schema_describe((enum schema_table)table));
  print_views();
  printf(".Sh EXAMPLES\n.Bd -literal -offset indent\n"
         "$ stave export -f sqlite -o run.db stave-program-4711\n"
         "$ sqlite3 run.db \"SELECT region, count(*), sum(self_ns) FROM regions GROUP BY region\"\n"
         ".Ed\n.Sh SEE ALSO\n.Xr stave 1 ,\n.Xr stave-export 1\n");
  return 0;
}
