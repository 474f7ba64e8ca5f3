#include "cli/report/fail_condition.h"

#include "report/report.h"
#include "session/near.h"

#include <stdlib.h>
#include <string.h>

static bool read_limit(struct fail_condition *ret, const char *text) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"%", 1e-2}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  char *end;
  ret->limit = strtod(text, &end);
  if (end == text || !(ret->limit >= 0 && ret->limit < 1e12))
    return false;
  end += strspn(end, " ");
  ret->is_count = *end == '\0';
  if (ret->is_count)
    return true;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0) {
      ret->is_percent = i == 0;
      ret->limit *= units[i].factor;
      return true;
    }
  return false;
}

static bool is_cause(const char *name) {
  const char *word = report_cause_word(0);
  for (size_t i = 1; word && strcmp(word, name) != 0; i++)
    word = report_cause_word(i);
  return word != NULL;
}

/* Only the run shows which activities and regions there are. */
static bool read_name(struct fail_condition *ret) {
  switch (ret->kind) {
  case CONDITION_CAUSE:
    return is_cause(ret->name);
  case CONDITION_REGION:
    return *ret->name != '\0' && regcomp(&ret->pattern, ret->name, REG_EXTENDED | REG_NOSUB) == 0;
  case CONDITION_ACTIVITY:
  case CONDITION_RUN:
    break;
  }
  return *ret->name != '\0';
}

static const char *run_word(const void *words, size_t number) {
  return ((const char *const *)words)[number];
}

static bool read_what(struct fail_condition *ret, const char *const *words) {
  static const char *const prefixes[] = {
      [CONDITION_CAUSE] = "cause:", [CONDITION_ACTIVITY] = "activity:", [CONDITION_REGION] = "region:"};
  for (int kind = CONDITION_CAUSE; kind <= CONDITION_REGION; kind++) {
    size_t length = strlen(prefixes[kind]);
    if (strncmp(ret->name, prefixes[kind], length) != 0)
      continue;
    ret->kind = (enum fail_condition_kind)kind;
    memmove(ret->name, ret->name + length, strlen(ret->name + length) + 1);
    bool is_known = read_name(ret);
    if (!is_known && ret->kind == CONDITION_CAUSE)
      ret->meant = near_word(ret->name, strlen(ret->name), report_cause_word);
    return is_known;
  }
  ret->kind = CONDITION_RUN;
  for (const char *const *word = words; *word; word++)
    if (strcmp(*word, ret->name) == 0)
      return true;
  ret->meant = near_word_of(ret->name, strlen(ret->name), run_word, words);
  return false;
}

/* The sign is the last one: a region's expression may have others. */
static const char *sign_of(const char *text, const char *signs) {
  const char *last = NULL;
  for (const char *at = strpbrk(text, signs); at; at = strpbrk(at + 1, signs))
    last = at;
  return last;
}

bool fail_condition_read(struct fail_condition *ret, const char *text, const char *signs,
                         const char *const *words) {
  const char *sign = sign_of(text, signs);
  size_t length = sign ? (size_t)(sign - text) : 0;
  *ret = (struct fail_condition){.text = text, .is_less = sign && *sign == '<'};
  while (length > 0 && text[length - 1] == ' ')
    length--;
  if (length == 0 || length >= sizeof ret->name)
    return false;
  memcpy(ret->name, text, length);
  return read_limit(ret, sign + 1) && read_what(ret, words);
}

void fail_condition_free(struct fail_condition *condition) {
  if (condition->kind == CONDITION_REGION)
    regfree(&condition->pattern);
}

bool fail_condition_is_beyond(const struct fail_condition *condition, double value) {
  return condition->is_less ? value < condition->limit : value > condition->limit;
}
