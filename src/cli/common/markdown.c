#include "cli/common/markdown.h"

#include "cli/common/message.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 4096 };

static size_t longest_fence(const char *text) {
  size_t longest = 0;
  for (text += strcspn(text, "`"); *text; text += strcspn(text, "`")) {
    size_t run = strspn(text, "`");
    longest = run > longest ? run : longest;
    text += run;
  }
  return longest;
}

static void print_fence(size_t count) {
  for (size_t i = 0; i < count; i++)
    putchar('`');
}

/* A bar would end a cell, in code too. */
static void print_code(const char *text, size_t length) {
  size_t fence = longest_fence(text) + 1;
  print_fence(fence);
  if (fence > 1)
    putchar(' ');
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '|')
      putchar('\\');
    putchar(text[i]);
  }
  if (fence > 1)
    putchar(' ');
  print_fence(fence);
}

void markdown_print_code(const char *name) {
  char text[TEXT_BYTES];
  message_escape(text, sizeof text, *name ? name : " ");
  print_code(text, strlen(text));
}

static size_t word_length(const char *word) {
  size_t length = strcspn(word, " ");
  while (length > 1 && strchr(".,;:)", word[length - 1]))
    length--;
  return length;
}

static void print_word(const char *word, size_t length) {
  if (memchr(word, '@', length)) {
    print_code(word, length);
    return;
  }
  for (size_t i = 0; i < length; i++) {
    if (strchr("\\`*_[]<>|#~$&", word[i]))
      putchar('\\');
    putchar(word[i]);
  }
}

void markdown_print(const char *text) {
  char clean[TEXT_BYTES];
  message_escape(clean, sizeof clean, text);
  for (const char *at = clean; *at;) {
    size_t length = word_length(at);
    print_word(at, length);
    at += length;
    while (*at && strchr(" .,;:)", *at))
      putchar(*at++);
  }
}

void markdown_print_row(const char *const *cells, unsigned count) {
  putchar('|');
  for (unsigned i = 0; i < count; i++)
    printf(" %s |", cells[i] ? cells[i] : "");
  putchar('\n');
}
