/* Prints the table of causes that docs/REPORT.md shows; with an argument, the list in stave-report-json(5).
 */
#include <stdio.h>

static const struct row {
  const char *name, *section, *confidence, *reason, *advice;
} rows[] = {
#define FINDING(cause, name, section, confidence, reason, traits, advice)                                    \
  {name, section, #confidence, reason, advice},
#include "report/findings.def"
#undef FINDING
};

enum { COUNT = sizeof rows / sizeof *rows };

static void print_lower(const char *text) {
  for (; *text; text++)
    putchar(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text);
}

static void print_table(void) {
  puts("| cause | confidence | because | usual advice (none: each finding has its own) |\n|---|---|---|---|");
  for (int i = 0; i < COUNT; i++) {
    printf("| [%s](%s) | ", rows[i].name, rows[i].section);
    print_lower(rows[i].confidence);
    printf(" | %s | %s |\n", rows[i].reason, rows[i].advice);
  }
}

int main(int count, char **arguments) {
  (void)arguments;
  if (count == 1)
    print_table();
  for (int i = 0; i < COUNT && count > 1; i++)
    printf("%s%s\n", rows[i].name, i + 1 < COUNT ? "," : ".");
  return 0;
}
