#include "session/counters.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct counter_row {
  const char *name;
  uint32_t type;
  uint64_t config;
  const char *unit;
} rows[] = {
#define COUNTER(name, type, config, unit) {name, type, config, unit},
#include "session/counters.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *counter_known(size_t number) {
  return number < ROWS ? rows[number].name : NULL;
}

static bool is_user_only(const char *name, size_t length) {
  return length > 2 && memcmp(name + length - 2, ":u", 2) == 0;
}

static const struct counter_row *find(const char *name, size_t length) {
  for (size_t i = 0; i < ROWS; i++)
    if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
      return &rows[i];
  return NULL;
}

const char *counter_unit(const char *name) {
  size_t length = strlen(name);
  const struct counter_row *row = find(name, is_user_only(name, length) ? length - 2 : length);
  return row ? row->unit : "";
}

/* -- names -- */

static bool read_raw(const char *name, size_t length, uint64_t *ret_config) {
  enum { DIGITS_MAX = 16 };
  *ret_config = 0;
  if (length < 2 || length > 1 + DIGITS_MAX || *name != 'r')
    return false;
  for (size_t i = 1; i < length; i++) {
    int digit = tolower((unsigned char)name[i]);
    if (!isxdigit(digit))
      return false;
    *ret_config = *ret_config << 4 | (uint64_t)(isdigit(digit) ? digit - '0' : digit - 'a' + 10);
  }
  return true;
}

static bool read_name(const char *name, size_t length, struct kernel_counter *ret) {
  bool is_cut = is_user_only(name, length);
  size_t bare = is_cut ? length - 2 : length;
  const struct counter_row *row = find(name, bare);
  if (length >= sizeof ret->name)
    return false;
  *ret = (struct kernel_counter){.is_user_only = is_cut};
  memcpy(ret->name, name, length);
  ret->type = row ? row->type : PERF_TYPE_RAW;
  ret->config = row ? row->config : 0;
  return row || read_raw(name, bare, &ret->config);
}

/* How many characters have to be put in, left out or changed: Levenshtein's distance. */
static unsigned distance(const char *name, size_t length, const char *other) {
  unsigned row[COUNTER_NAME_BYTES];
  size_t width = strlen(other);
  for (size_t j = 0; j <= width; j++)
    row[j] = (unsigned)j;
  for (size_t i = 0; i < length; i++) {
    unsigned corner = row[0];
    row[0] = (unsigned)i + 1;
    for (size_t j = 0; j < width; j++) {
      unsigned changed = corner + (tolower((unsigned char)name[i]) != tolower((unsigned char)other[j]));
      unsigned left_out = row[j + 1] + 1, put_in = row[j] + 1;
      corner = row[j + 1];
      row[j + 1] = changed < left_out ? changed : left_out;
      row[j + 1] = row[j + 1] < put_in ? row[j + 1] : put_in;
    }
  }
  return row[width];
}

static bool is_close(const char *name, size_t length, const char *other) {
  return distance(name, length, other) <= 1 + length / 4 ||
         (length >= 3 && strncmp(other, name, length) == 0);
}

static void describe_unknown(const char *name, size_t length, char *error, size_t size) {
  char shown[COUNTER_NAME_BYTES];
  size_t n = 0;
  for (; n < length && n + 1 < sizeof shown; n++)
    shown[n] = isprint((unsigned char)name[n]) ? name[n] : '?';
  shown[n] = '\0';
  int used = snprintf(error, size, "there is no counter '%s'", shown);
  const char *between = ": meant may be ";
  for (size_t i = 0; i < ROWS; i++)
    if (is_close(shown, n, rows[i].name) && (size_t)used < size) {
      used += snprintf(error + used, size - (size_t)used, "%s%s", between, rows[i].name);
      between = ", ";
    }
  if ((size_t)used < size)
    snprintf(error + used, size - (size_t)used, " (stave record --counters help lists them)");
}

static bool is_repeated(const struct kernel_counter *counters, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(counters[i].name, counters[count].name) == 0)
      return true;
  return false;
}

int counters_parse(const char *list, struct kernel_counter counters[static COUNTERS_MAX], char *error,
                   size_t size) {
  int count = 0;
  for (const char *name = list; *name;) {
    size_t length = strcspn(name, ",");
    struct kernel_counter counter;
    if (!read_name(name, length, &counter)) {
      describe_unknown(name, length, error, size);
      return -EINVAL;
    }
    if (count == COUNTERS_MAX) {
      snprintf(error, size, "that is more than %d counters", COUNTERS_MAX);
      return -EINVAL;
    }
    counters[count] = counter;
    count += !is_repeated(counters, count);
    name += length + (name[length] == ',');
  }
  return count;
}

/* -- opening -- */

static int open_as_is(const struct kernel_counter *counter, int leader) {
  struct perf_event_attr attributes = {.type = counter->type,
                                       .size = sizeof attributes,
                                       .config = counter->config,
                                       .disabled = leader < 0,
                                       .exclude_kernel = counter->is_user_only,
                                       .exclude_hv = counter->is_user_only,
                                       .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                                                      PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                      PERF_FORMAT_TOTAL_TIME_RUNNING};
  long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
  return fd < 0 ? -errno : (int)fd;
}

/* What happens in the kernel only would always be 0 there. */
static bool is_of_kernel(const struct kernel_counter *counter) {
  return counter->type == PERF_TYPE_SOFTWARE && (counter->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                                 counter->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

int counter_open(struct kernel_counter *counter, int leader) {
  int fd = open_as_is(counter, leader);
  size_t length = strlen(counter->name);
  if ((fd != -EACCES && fd != -EPERM) || counter->is_user_only || is_of_kernel(counter) ||
      length + sizeof ":u" > sizeof counter->name)
    return fd;
  struct kernel_counter cut = *counter;
  cut.is_user_only = true;
  memcpy(cut.name + length, ":u", sizeof ":u");
  int again = open_as_is(&cut, leader);
  if (again >= 0)
    *counter = cut;
  return again;
}

const char *counter_advice(int error) {
  switch (error) {
  case EACCES:
  case EPERM:
    return "allowed by a lower sysctl kernel.perf_event_paranoid, or CAP_PERFMON; in containers also by a "
           "seccomp profile with perf_event_open";
  case ENOENT:
  case EOPNOTSUPP:
  case ENODEV:
    return "this machine does not count it, virtual ones often count nothing of the processor's";
  case EINVAL:
    return "the processor has no room for it beside the others";
  case EMFILE:
    return "allowed by a higher limit of open files, ulimit -n";
  default:
    return "this kernel does not count it";
  }
}
