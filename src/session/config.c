#include "session/config.h"

#include "session/near.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A span of characters inside another string: the table's lists are never copied. */
struct word {
  const char *text;
  size_t length;
};

static const struct config_row rows[] = {
#define SETTING(id, variable, type, standard, allowed, doc) {variable, #type, standard, allowed, doc},
#include "session/config.def"
#undef SETTING
};

static const struct {
  const char *name;
  uint32_t bits;
} classes[] = {
#define CLASS(id, name, scorep) {name, EVENT_CLASS_##id},
#include "ompt/classes.def"
    {"all", EVENT_CLASS_all},
    {"mpi", EVENT_CLASS_mpi},
    {"scorep", 0
#define CLASS(id, name, scorep) | ((scorep) ? (uint32_t)EVENT_CLASS_##id : 0)
#include "ompt/classes.def"
    },
};

const struct config_row *config_rows(size_t *ret_count) {
  *ret_count = sizeof rows / sizeof *rows;
  return rows;
}

const char *config_event_class(size_t number) {
  return number < sizeof classes / sizeof *classes ? classes[number].name : NULL;
}

/* Removes the next word up to `separator` off *text; false at the end. */
static bool next_word(const char **text, char separator, struct word *ret_word) {
  if (!*text)
    return false;
  const char *end = strchr(*text, separator);
  *ret_word = (struct word){*text, end ? (size_t)(end - *text) : strlen(*text)};
  *text = end ? end + 1 : NULL;
  return true;
}

static bool word_is(struct word word, const char *text) {
  return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

static bool parse_digits(const char *text, bool with_unit, uint64_t *ret_value) {
  if (!isdigit((unsigned char)*text))
    return false;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  static const char units[] = "KMG";
  const char *unit = with_unit && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
  unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
  if (errno || end[unit != NULL] || (shift && value >> (64 - shift)))
    return false;
  *ret_value = (uint64_t)value << shift;
  return true;
}

static bool parse_range(const char *text, const char *allowed, bool with_unit, uint64_t *ret_value) {
  char low_text[32];
  const char *dots = strstr(allowed, "..");
  snprintf(low_text, sizeof low_text, "%.*s", (int)(dots - allowed), allowed);
  uint64_t low, high;
  return parse_digits(low_text, true, &low) && parse_digits(dots + 2, true, &high) &&
         parse_digits(text, with_unit, ret_value) && *ret_value >= low && *ret_value <= high;
}

static bool parse_text(const char *text, const char *allowed, config_text *ret_value) {
  (void)allowed;
  size_t length = strlen(text);
  if (length >= sizeof *ret_value)
    return false;
  memcpy(*ret_value, text, length + 1);
  return true;
}

static bool parse_size(const char *text, const char *allowed, config_size *ret_value) {
  return parse_range(text, allowed, true, ret_value);
}

static bool parse_number(const char *text, const char *allowed, config_number *ret_value) {
  uint64_t value;
  if (!parse_range(text, allowed, false, &value))
    return false;
  *ret_value = (config_number)value;
  return true;
}

static bool parse_choice(const char *text, const char *allowed, config_choice *ret_value) {
  struct word word;
  for (config_choice i = 0; next_word(&allowed, '|', &word); i++) {
    if (word_is(word, text)) {
      *ret_value = i;
      return true;
    }
  }
  return false;
}

/* A list that begins by leaving something out starts from everything. */
static bool is_one_class(uint64_t bits) {
  return (bits & (bits - 1)) == 0;
}

static bool parse_classes(const char *text, const char *allowed, config_classes *ret_value) {
  (void)allowed;
  uint64_t set = *text == '-' ? EVENT_CLASS_all : 0;
  struct word word;
  while (next_word(&text, ',', &word)) {
    bool leave_out = word.length && *word.text == '-';
    struct word name = {word.text + leave_out, word.length - leave_out};
    size_t i = 0;
    while (i < sizeof classes / sizeof *classes && !word_is(name, classes[i].name))
      i++;
    if (i == sizeof classes / sizeof *classes)
      return false;
    uint64_t bits = classes[i].bits, named = is_one_class(bits) ? bits << EVENT_CLASS_NAMED_SHIFT : 0;
    set = leave_out ? set & ~(bits | bits << EVENT_CLASS_NAMED_SHIFT) : set | bits | named;
  }
  *ret_value = set | EVENT_CLASS_thread | EVENT_CLASS_parallel;
  return true;
}

/* "10s": ns of a duration; false: the word is none. */
static bool parse_duration(struct word word, uint64_t *ret_ns) {
  static const struct {
    const char *unit;
    uint64_t ns;
  } units[] = {{"ms", 1000000},
               {"s", UINT64_C(1000000000)},
               {"min", UINT64_C(60000000000)},
               {"h", UINT64_C(3600000000000)}};
  char text[32], *end;
  *ret_ns = 0;
  snprintf(text, sizeof text, "%.*s", (int)word.length, word.text);
  unsigned long value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
  for (size_t i = 0; value && value <= UINT32_MAX && i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].unit) == 0)
      *ret_ns = value * units[i].ns;
  return *ret_ns != 0;
}

static bool parse_keep(const char *text, const char *allowed, config_keep *ret_value) {
  (void)allowed;
  struct word word;
  *ret_value = (config_keep){0, 0};
  if (!*text)
    return true;
  while (next_word(&text, ',', &word)) {
    char size[32];
    snprintf(size, sizeof size, "%.*s", (int)word.length, word.text);
    if (!ret_value->ns && parse_duration(word, &ret_value->ns))
      continue;
    if (ret_value->bytes || word.length >= sizeof size || !parse_digits(size, true, &ret_value->bytes) ||
        ret_value->bytes < KEEP_BYTES_MIN)
      return false;
  }
  return true;
}

/* Without the blanks around it. False: it does not fit. */
static bool copy_trimmed(char *target, size_t size, const char *begin, const char *end) {
  while (begin < end && *begin == ' ')
    begin++;
  while (end > begin && end[-1] == ' ')
    end--;
  if ((size_t)(end - begin) >= size)
    return false;
  memcpy(target, begin, (size_t)(end - begin));
  target[end - begin] = '\0';
  return true;
}

/* "parallel", "parallel @app.c:12" or "region step". */
static bool parse_watched(const char *text, struct config_watch *trigger) {
  uint64_t line;
  const char *colon = strrchr(text, ':');
  if (strcmp(text, "parallel") == 0) {
    trigger->kind = TRIGGER_parallel;
    return true;
  }
  if (strncmp(text, "region ", 7) == 0) {
    trigger->kind = TRIGGER_region;
    return copy_trimmed(trigger->name, sizeof trigger->name, text + 7, text + strlen(text)) && *trigger->name;
  }
  if (strncmp(text, "parallel @", 10) != 0 || !colon || !parse_digits(colon + 1, false, &line))
    return false;
  trigger->kind = TRIGGER_parallel;
  trigger->line = (uint32_t)line;
  return line > 0 && line < UINT32_MAX &&
         copy_trimmed(trigger->name, sizeof trigger->name, text + 10, colon) && *trigger->name;
}

/* "50ms" or "3 x median". */
static bool parse_limit(const char *text, struct config_watch *trigger) {
  char number[32];
  const char *times = strstr(text, " x median");
  if (!times)
    return parse_duration((struct word){text, strlen(text)}, &trigger->limit_ns);
  return strcmp(times, " x median") == 0 && copy_trimmed(number, sizeof number, text, times) &&
         parse_digits(number, false, &trigger->medians) && trigger->medians > 0 &&
         trigger->medians <= UINT32_MAX;
}

/* "slowest 5 parallel"; else what is watched and its limit, with a sign between. */
static bool parse_watch(const char *text, struct config_watch *watch) {
  char watched[TRIGGER_NAME_BYTES + 32], word[64];
  const char *sign = strrchr(text, '>'),
             *space = strncmp(text, "slowest ", 8) == 0 ? strchr(text + 8, ' ') : NULL;
  if (space)
    return copy_trimmed(word, sizeof word, text + 8, space) && parse_digits(word, false, &watch->slowest) &&
           watch->slowest > 0 && watch->slowest <= TRIGGER_SLOWEST_MAX && parse_watched(space + 1, watch);
  return sign && copy_trimmed(watched, sizeof watched, text, sign) &&
         copy_trimmed(word, sizeof word, sign + 1, text + strlen(text)) && parse_watched(watched, watch) &&
         parse_limit(word, watch);
}

/* Several are separated by semicolons. */
static bool parse_trigger(const char *text, const char *allowed, config_trigger *ret_value) {
  (void)allowed;
  *ret_value = (config_trigger){0};
  for (const char *end; *text; text = *end ? end + 1 : end) {
    char one[TRIGGER_NAME_BYTES + 128];
    const char *sign = strchr(text, ';');
    end = sign ? sign : text + strlen(text);
    if (ret_value->count == TRIGGERS_MAX || !copy_trimmed(one, sizeof one, text, end) ||
        !parse_watch(one, &ret_value->watches[ret_value->count++]))
      return false;
  }
  return true;
}

static bool parse_setting(struct config *config, size_t row, const char *value) {
  size_t i = 0;
#define SETTING(id, variable, type, standard, allowed, doc)                                                  \
  if (i++ == row)                                                                                            \
    return parse_##type(value, allowed, &config->id);
#include "session/config.def"
#undef SETTING
  return false;
}

/* The row of a "STAVE_NAME=value" string, or -1. */
static int find_row(const char *setting) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t length = strlen(rows[i].variable);
    if (strncmp(setting, rows[i].variable, length) == 0 && setting[length] == '=')
      return (int)i;
  }
  return -1;
}

static void copy_printable(char *target, size_t size, const char *source, size_t length) {
  size_t n = 0;
  for (; n < length && n + 1 < size && source[n]; n++)
    target[n] = isprint((unsigned char)source[n]) ? source[n] : '?';
  target[n] = '\0';
}

static const char prefix[] = "STAVE_";

static int refuse(char error[CONFIG_ERROR_BYTES], const struct config_row *row, const char *value) {
  char shown[128];
  copy_printable(shown, sizeof shown, value, strlen(value));
  snprintf(error, CONFIG_ERROR_BYTES, "%s=%s is not valid; allowed: %s", row->variable, shown, row->allowed);
  return -EINVAL;
}

int config_read(struct config *config, char *const *environment, char error[CONFIG_ERROR_BYTES],
                char unknown[CONFIG_ERROR_BYTES]) {
  *unknown = '\0';
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!parse_setting(config, i, rows[i].standard))
      return refuse(error, &rows[i], rows[i].standard);
  for (; environment && *environment; environment++) {
    if (strncmp(*environment, prefix, strlen(prefix)) != 0)
      continue;
    const char *value = strchr(*environment, '=');
    int row = find_row(*environment);
    if (row < 0 && value && !*unknown)
      copy_printable(unknown, CONFIG_ERROR_BYTES, *environment, (size_t)(value - *environment));
    if (row >= 0 && !parse_setting(config, (size_t)row, *++value ? value : rows[row].standard))
      return refuse(error, &rows[row], value);
  }
  return 0;
}

static const char *name_of_row(size_t number) {
  return number < sizeof rows / sizeof *rows ? rows[number].variable + strlen(prefix) : NULL;
}

const char *config_near(const char *unknown) {
  size_t length = strlen(prefix);
  const char *name = strncmp(unknown, prefix, length) == 0
                         ? near_word(unknown + length, strlen(unknown) - length, name_of_row)
                         : NULL;
  return name ? name - length : NULL;
}

bool config_allows(const char *variable, const char *value) {
  struct config config;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(rows[i].variable, variable) == 0)
      return parse_setting(&config, i, *value ? value : rows[i].standard);
  return false;
}
