/* Reading a script: lines, words, repetitions. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripted_runtime.h"

void line_fails(const struct line *line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "scripted_runtime: line %u: ", line->number);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(98);
}

/* Cuts the next word off *text, leaving text in quotes as it is; NULL at the end or at a comment. */
static char *next_word(char **text) {
  char *from = *text + strspn(*text, " \t\n"), *to = from;
  bool is_quoted = false;
  if (!*from || *from == '#')
    return NULL;
  char *word = from;
  for (; *from && (is_quoted || !isspace((unsigned char)*from)); from++) {
    if (*from == '"')
      is_quoted = !is_quoted;
    else
      *to++ = *from;
  }
  *text = *from ? from + 1 : from;
  *to = '\0';
  return word;
}

static void add_word(struct line *line, char *text) {
  if (line->count == WORDS_MAX)
    line_fails(line, "more than %d words", WORDS_MAX);
  struct word *word = &line->words[line->count++];
  char *equals = strchr(text, '=');
  *word = (struct word){.value = text};
  if (equals) {
    *equals = '\0';
    *word = (struct word){.key = text, .value = equals + 1};
  }
}

/* "2:" names the thread; without it the line is thread 0's. */
static char *read_thread(struct line *line, char *word, char **rest) {
  char *end;
  line->thread = (unsigned)strtoul(word, &end, 10);
  if (end == word || strcmp(end, ":"))
    return word;
  if (line->thread >= THREADS_MAX)
    line_fails(line, "threads are 0 to %d", THREADS_MAX - 1);
  word = next_word(rest);
  if (!word)
    line_fails(line, "nothing to do");
  return word;
}

/* False for a line without words. */
static bool parse(struct line *line, char *text) {
  char *rest = text, *word = next_word(&rest);
  if (!word)
    return false;
  line->action = read_thread(line, word, &rest);
  while ((word = next_word(&rest)))
    add_word(line, word);
  return true;
}

struct script script_read(const char *path) {
  struct script script = {0};
  char *text = NULL;
  size_t size = 0;
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(98);
  }
  for (unsigned number = 1; getline(&text, &size, file) >= 0; number++) {
    struct line line = {.number = number};
    if (!parse(&line, text))
      continue;
    script.lines = realloc(script.lines, (script.count + 1) * sizeof line);
    script.lines[script.count++] = line;
    text = NULL; /* the line points into it */
  }
  free(text);
  fclose(file);
  return script;
}
