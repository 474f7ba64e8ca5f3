#include "cli/common/count_condition.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool read_limit(const char *text, uint64_t *ret) {
  char *end;
  text += strspn(text, " ");
  errno = 0;
  *ret = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && errno == 0 && end[strspn(end, " ")] == '\0';
}

bool count_condition_read(struct count_condition *ret, const char *text, const char *(*word)(size_t number)) {
  size_t length = strcspn(text, "<>");
  *ret = (struct count_condition){.text = text, .is_less = text[length] == '<'};
  if (text[length] == '\0' || !read_limit(text + length + 1, &ret->limit))
    return false;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  for (const char *one; (one = word(ret->what)); ret->what++)
    if (strlen(one) == length && strncmp(one, text, length) == 0)
      return true;
  return false;
}

bool count_condition_holds(const struct count_condition *condition, uint64_t value) {
  return condition->is_less ? value < condition->limit : value > condition->limit;
}
