#include "cli/mcp/mcp_answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void append(struct mcp_answer *answer, const char *format, va_list arguments) {
  size_t room = sizeof answer->text - answer->length;
  int length = vsnprintf(answer->text + answer->length, room, format, arguments);
  answer->is_cut |= length >= (int)room;
  answer->length = strlen(answer->text);
}

void mcp_answer_add(struct mcp_answer *answer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(answer, format, arguments);
  va_end(arguments);
}

void mcp_answer_fail(struct mcp_answer *answer, const char *format, ...) {
  va_list arguments;
  answer->is_error = true;
  va_start(arguments, format);
  append(answer, format, arguments);
  va_end(arguments);
}

/* The last line may be a part of one. */
static void mark_cut(struct mcp_answer *answer) {
  static const char note[] = "\n(cut here: the answer is longer than 12,000 bytes; request less)";
  size_t most = sizeof answer->text - sizeof note;
  answer->length = answer->length > most ? most : answer->length;
  while (answer->length > 0 && answer->text[answer->length - 1] != '\n')
    answer->length--;
  if (answer->length == 0)
    answer->length = most;
  memcpy(answer->text + answer->length, note, sizeof note);
}

json_t *mcp_answer_result(struct mcp_answer *answer) {
  if (answer->is_cut)
    mark_cut(answer);
  json_t *text = json_from_text(answer->length ? answer->text : "(nothing)");
  return json_pack("{s:[{s:s,s:o}],s:b}", "content", "type", "text", "text", text, "isError",
                   answer->is_error);
}
