/* Prints the table of the journal's entries that docs/WRITER.md shows. */
#include <stdio.h>
#include <string.h>

static const struct row {
  const char *id, *type, *rest, *doc;
} rows[] = {
#define ENTRY(id, type, rest, doc) {#id, #type, #rest, doc},
#define TEXT(id, doc) {#id, "", "text", doc},
#include "writer/recovery/journal.def"
#undef TEXT
#undef ENTRY
};

int main(void) {
  puts("| | entry | begins with | then | what it defines |\n|---|---|---|---|---|");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct row *row = &rows[i];
    printf("| %zu | %s | %s | %s | %s |\n", i + 1, row->id, row->type,
           strcmp(row->rest, "none") ? row->rest : "", row->doc);
  }
  return 0;
}
