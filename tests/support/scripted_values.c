/* The text after the '=': numbers, names of enumerations, data objects, code addresses. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "scripted_runtime.h"

enum { OBJECTS_MAX = 1024, TEXT_MAX = 256 };

/* The data is a piece of memory of its own, so that a sanitizer knows its end. */
static struct object {
  const char *name;
  ompt_data_t *data;
} objects[OBJECTS_MAX];

const char *line_text(struct line *line, const char *key) {
  for (size_t i = 0; i < line->count; i++) {
    struct word *word = &line->words[i];
    if (word->key && !strcmp(word->key, key)) {
      word->is_used = true;
      return word->value;
    }
  }
  return NULL;
}

const char *line_word(struct line *line) {
  for (size_t i = 0; i < line->count; i++) {
    struct word *word = &line->words[i];
    if (!word->key && !word->is_used) {
      word->is_used = true;
      return word->value;
    }
  }
  return NULL;
}

void line_expect_used(const struct line *line) {
  for (size_t i = 0; i < line->count; i++)
    if (!line->words[i].is_used)
      line_fails(line, "%s does not use '%s'", line->action,
                 line->words[i].key ? line->words[i].key : line->words[i].value);
}

enum { NO_ENUMERATION = -1 };

static const struct value {
  int enumeration;
  const char *id, *text;
  uint64_t value;
} values[] = {
#define VALUE(enumeration, id, number, text, name, since) {OMPT_##enumeration, #id, text, (uint64_t)(number)},
#include "ompt/enumerations.def"
};

static uint64_t parse_one(const struct line *line, const char *text, int enumeration) {
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    if (values[i].enumeration == enumeration &&
        (!strcmp(values[i].id, text) || !strcmp(values[i].text, text)))
      return values[i].value;
  char *end;
  uint64_t value = *text == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
  if (end == text || *end)
    line_fails(line, "'%s' is neither a number nor a name that is known here", text);
  return value;
}

static uint64_t parse(const struct line *line, const char *text, int enumeration) {
  char copy[TEXT_MAX], *rest = copy, *part;
  uint64_t value = 0;
  if (strlen(text) >= sizeof copy)
    line_fails(line, "too long: %s", text);
  strcpy(copy, text);
  while ((part = strsep(&rest, "|")))
    value |= parse_one(line, part, enumeration);
  return value;
}

uint64_t parse_number(const struct line *line, const char *text) {
  return parse(line, text, NO_ENUMERATION);
}

uint64_t parse_value(const struct line *line, const char *text, enum ompt_enumeration enumeration) {
  return parse(line, text, (int)enumeration);
}

uint64_t line_number(struct line *line, const char *key) {
  const char *text = line_text(line, key);
  return text ? parse_number(line, text) : 0;
}

uint64_t line_value(struct line *line, const char *key, enum ompt_enumeration enumeration) {
  const char *text = line_text(line, key);
  return text ? parse_value(line, text, enumeration) : 0;
}

static ompt_data_t *data_of(const struct line *line, const char *name) {
  size_t i = 0;
  while (i < OBJECTS_MAX && objects[i].name && strcmp(objects[i].name, name))
    i++;
  if (i == OBJECTS_MAX)
    line_fails(line, "more than %d names", OBJECTS_MAX);
  if (!objects[i].name)
    objects[i] = (struct object){name, calloc(1, sizeof(ompt_data_t))};
  return objects[i].data;
}

ompt_data_t *line_data(struct line *line, const char *key) {
  const char *name = line_text(line, key), *beside = line_text(line, "beside");
  ompt_data_t *data = !name || !strcmp(name, "NULL") ? NULL : data_of(line, name);
  return data && beside ? (ompt_data_t *)((char *)data + parse_number(line, beside)) : data;
}

uint64_t data_value(const struct line *line, const char *name) {
  return data_of(line, name)->value;
}

void data_forget(const char *name) {
  for (size_t i = 0; i < OBJECTS_MAX && objects[i].name; i++)
    if (!strcmp(objects[i].name, name))
      *objects[i].data = (ompt_data_t){0};
}

const void *line_code(struct line *line, const char *key) {
  const char *text = line_text(line, key);
  char function[TEXT_MAX];
  if (!text || !strcmp(text, "NULL"))
    return NULL;
  size_t length = strcspn(text, "+");
  if (*text >= '0' && *text <= '9')
    return (const void *)(uintptr_t)parse_number(line, text);
  if (length >= sizeof function)
    line_fails(line, "too long: %s", text);
  memcpy(function, text, length);
  function[length] = '\0';
  const char *address = dlsym(RTLD_DEFAULT, function);
  if (!address)
    line_fails(line, "no function is called %s", function);
  return address + (text[length] ? parse_number(line, text + length + 1) : 0);
}
