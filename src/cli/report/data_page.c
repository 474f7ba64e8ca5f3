#include "cli/report/data_page.h"

#include "base/memory.h"
#include "cli/common/message.h"
#include "cli/common/partial_file.h"
#include "cli/common/usage.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_bytes(int fd, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(fd, next, count);
    if (written <= 0)
      return false;
    next += written;
    count -= (size_t)written;
  }
  return true;
}

/* Whatever a region is called, nothing in it ends the element that the data are in. */
static bool write_data(int fd, const char *text) {
  bool is_complete = true;
  for (size_t length; is_complete && *text; text += length) {
    length = strcspn(text, "<");
    is_complete = write_bytes(fd, text, length);
    if (is_complete && text[length] == '<') {
      is_complete = write_bytes(fd, "\\u003c", 6);
      length++;
    }
  }
  return is_complete;
}

int data_page_write(const struct data_page *page, const json_t *data, const char *output) {
  struct partial_file file;
  if (!partial_file_open(&file, output))
    return EXIT_FAILED;
  char *text = memory_given(json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII));
  bool is_complete = write_bytes(file.fd, page->before, page->before_bytes) && write_data(file.fd, text) &&
                     write_bytes(file.fd, page->after, page->after_bytes);
  free(text);
  if (!is_complete)
    message_print("%s cannot be written", output);
  return partial_file_close(&file, is_complete) ? EXIT_SUCCESS : EXIT_FAILED;
}
