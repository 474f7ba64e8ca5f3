#include "cli/record/settings.h"

#include "cli/common/message.h"
#include "cli/programs/runtime.h"
#include "session/config.h"
#include "session/near.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void settings_put(const char *name, const char *value) {
  if (setenv(name, value, 1) != 0)
    message_print("cannot set %s: %s", name, strerror(errno));
}

static const struct config_row *row_of(const char *variable) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].variable, variable) == 0)
      return &rows[i];
  return NULL;
}

static bool is_word_of(const struct usage_option *option, const char *text, size_t length) {
  const char *word;
  for (size_t i = 0; (word = option->word(i)) != NULL; i++)
    if (strlen(word) == length && memcmp(word, text, length) == 0)
      return true;
  return false;
}

/* The first word of the value that the option does not know. */
static const char *wrong_word(const struct usage_option *option, const char *value, size_t *ret_length) {
  bool is_list = option->kind == USAGE_LIST;
  for (const char *word = value;; word += *ret_length + 1) {
    word += is_list && *word == '-';
    *ret_length = is_list ? strcspn(word, ",") : strlen(word);
    if (!is_word_of(option, word, *ret_length) || word[*ret_length] == '\0')
      return word;
  }
}

static bool refuse(const struct usage_option *option, const char *value, const char *allowed) {
  size_t length = 0;
  const char *word = option->word ? wrong_word(option, value, &length) : NULL;
  const char *meant = word ? near_word(word, length, option->word) : NULL;
  if (meant)
    return usage_error("record", "--%s: unknown word %.*s; did you mean %s?", option->name, (int)length, word,
                       meant);
  if (word)
    return usage_error("record", "--%s: unknown word %.*s; allowed: %s", option->name, (int)length, word,
                       allowed);
  return usage_error("record", "--%s: %s is not valid; allowed: %s", option->name, value, allowed);
}

/* Whether there is one for `llvm` is known when the program runs. */
static bool is_runtime(const char *value) {
  char *path = NULL;
  bool is_word = *value == '\0' || strcmp(value, "none") == 0 || strcmp(value, "llvm") == 0;
  bool is_found = is_word || runtime_find(value, &path) == 0;
  free(path);
  return is_found;
}

bool settings_set(const struct usage_option *option, const char *variable, const char *value) {
  const struct config_row *row = row_of(variable);
  if (row && !config_allows(variable, value))
    return refuse(option, value, row->allowed);
  if (row && strcmp(variable, "STAVE_RUNTIME") == 0 && !is_runtime(value))
    return usage_error("record", "--%s: %s is no libomp.so.5 that can replace libgomp; allowed: %s",
                       option->name, value, row->allowed);
  settings_put(variable, value);
  return true;
}
