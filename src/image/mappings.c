#include "image/mappings.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* A line of /proc/self/maps is addresses, rights, offset, device, inode and path. */
struct maps_reader {
  int fd;
  char buffer[PATH_MAX + 256];
  size_t used, next;
};

static bool fill(struct maps_reader *reader) {
  memmove(reader->buffer, reader->buffer + reader->next, reader->used - reader->next);
  reader->used -= reader->next;
  reader->next = 0;
  ssize_t n = read(reader->fd, reader->buffer + reader->used, sizeof reader->buffer - reader->used);
  reader->used += n > 0 ? (size_t)n : 0;
  return n > 0;
}

/* NULL: at the end, or a line is too long to be one. */
static char *next_line(struct maps_reader *reader) {
  char *end;
  while (!(end = memchr(reader->buffer + reader->next, '\n', reader->used - reader->next)))
    if (!fill(reader))
      return NULL;
  char *line = reader->buffer + reader->next;
  *end = '\0';
  reader->next = (size_t)(end + 1 - reader->buffer);
  return line;
}

static uintptr_t read_decimal(const char *text) {
  uintptr_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++)
    value = value * 10 + (uintptr_t)(*text - '0');
  return value;
}

static uintptr_t read_hexadecimal(char **text) {
  uintptr_t value = 0;
  for (;; (*text)++) {
    char c = **text;
    if (c >= '0' && c <= '9')
      value = value * 16 + (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + (uintptr_t)(c - 'a' + 10);
    else
      return value;
  }
}

struct mapping {
  uintptr_t begin, end, offset, device, inode;
  bool has_code;
  const char *path; /* empty: none */
};

static char *after_blanks(char *text) {
  while (*text == ' ')
    text++;
  return text;
}

static char *after_word(char *text) {
  return after_blanks(text + strcspn(text, " "));
}

static struct mapping read_line(char *line) {
  struct mapping mapping = {.begin = read_hexadecimal(&line)};
  line += *line == '-';
  mapping.end = read_hexadecimal(&line);
  char *rights = after_blanks(line), *offset = after_word(rights);
  mapping.has_code = strcspn(rights, "x ") < strcspn(rights, " ");
  mapping.offset = read_hexadecimal(&offset);
  char *device = after_blanks(offset), *inode = after_word(device);
  mapping.device = read_hexadecimal(&device) << 32;
  device += *device == ':';
  mapping.device |= read_hexadecimal(&device);
  mapping.inode = read_decimal(inode);
  mapping.path = after_word(inode);
  return mapping;
}

/* Mappings without a name (what is zero at a file's end) may lie between those of a file. */
bool mappings_each(bool (*visit)(void *data, const struct mapped_file *file), void *data) {
  struct maps_reader reader = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
  char path[PATH_MAX] = "";
  struct mapped_file file = {.path = path};
  char *line;
  bool goes_on = true;
  while (reader.fd >= 0 && goes_on && (line = next_line(&reader))) {
    struct mapping mapping = read_line(line);
    if (mapping.offset > 0 && strcmp(mapping.path, path) == 0) {
      file.end = mapping.end;
      file.has_code |= mapping.has_code;
      continue;
    }
    if (*mapping.path != '/')
      continue;
    goes_on = *path == '\0' || visit(data, &file);
    file.begin = mapping.begin;
    file.end = mapping.end;
    file.device = mapping.device;
    file.inode = mapping.inode;
    file.has_code = mapping.has_code;
    strncpy(path, mapping.path, sizeof path - 1);
  }
  if (reader.fd >= 0 && goes_on && *path)
    visit(data, &file);
  if (reader.fd >= 0)
    close(reader.fd);
  return reader.fd >= 0;
}
