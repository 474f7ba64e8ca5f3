#include "cli/record/counters_help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/usage.h"
#include "session/counters.h"

enum { NAME_COLUMNS = 28 };

static void print_counter(const char *name) {
  struct kernel_counter counter[COUNTERS_MAX];
  char error[256], meaning[256];
  if (counters_parse(name, counter, error, sizeof error) != 1)
    return;
  int fd = counter_open(counter, -1);
  if (fd < 0)
    snprintf(meaning, sizeof meaning, "not available on this machine%s",
             fd == -ENOENT || fd == -EOPNOTSUPP ? " (often so in virtual machines)"
             : fd == -EACCES || fd == -EPERM    ? ": not permitted (kernel.perf_event_paranoid)"
                                                : "");
  else
    snprintf(meaning, sizeof meaning, "available%s%s", *counter_unit(name) ? ", in " : "",
             counter_unit(name));
  if (fd >= 0 && counter->is_user_only)
    strcat(meaning, ", of the user's own code");
  if (fd >= 0)
    close(fd);
  usage_print_row(name, meaning, NAME_COLUMNS);
}

void counters_print_help(void) {
  puts("Counters that can be named, with commas in between (STAVE_COUNTERS):");
  const char *name;
  for (size_t i = 0; (name = counter_known(i)); i++)
    print_counter(name);
  usage_print_row("rNNN", "a raw event of the processor, its number in hexadecimal digits", NAME_COLUMNS);
  usage_print_row("NAME:u", "of the user's own code alone", NAME_COLUMNS);
}
