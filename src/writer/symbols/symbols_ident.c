#include "writer/symbols/symbols_ident.h"

#include <stdlib.h>
#include <string.h>

#include "writer/symbols/symbols_call.h"
#include "writer/symbols/symbols_names.h"

enum {
  PSOURCE_OFFSET = 16,    /* struct ident: four int32_t, then ";FILE;FUNCTION;LINE;COLUMN;;" (LLVM's kmp.h) */
  SOURCE_BYTES_MAX = 4096 /* of that text */
};

static const char *base_name(const char *path, const char *end) {
  const char *name = path;
  for (const char *c = path; c < end; c++)
    name = *c == '/' ? c + 1 : name;
  return name;
}

static bool is_same_name(const char *path, const char *end, const char *file) {
  const char *name = base_name(path, end), *expected = base_name(file, file + strlen(file));
  return strlen(expected) == (size_t)(end - name) && memcmp(expected, name, (size_t)(end - name)) == 0;
}

static unsigned line_in(const char *text, const char *file) {
  const char *file_end = *text == ';' ? strchr(text + 1, ';') : NULL;
  const char *function_end = file_end ? strchr(file_end + 1, ';') : NULL;
  if (!function_end || !is_same_name(text + 1, file_end, file))
    return 0;
  char *end;
  unsigned long line = strtoul(function_end + 1, &end, 10);
  return *end == ';' && line < UINT32_MAX ? (unsigned)line : 0;
}

static unsigned line_of(struct object *object, uint64_t ident, const char *file) {
  char text[SOURCE_BYTES_MAX + 1];
  uint64_t source;
  if (!object_pointer_at(object, ident + PSOURCE_OFFSET, &source))
    return 0;
  size_t bytes = object_read(object, source, text, SOURCE_BYTES_MAX);
  text[bytes] = '\0';
  return line_in(text, file);
}

/* lea ADDRESS(%rip), %rdi or mov $ADDRESS, %edi: the first argument. 0: it is neither. */
static uint64_t argument_at(const unsigned char *code, size_t bytes, uint64_t address) {
  static const unsigned char lea[] = {0x48, 0x8d, 0x3d}, mov = 0xbf;
  int32_t offset;
  if (bytes >= sizeof lea + sizeof offset && memcmp(code, lea, sizeof lea) == 0) {
    memcpy(&offset, code + sizeof lea, sizeof offset);
    return address + sizeof lea + sizeof offset + (uint64_t)(int64_t)offset;
  }
  if (bytes < 1 + sizeof offset || *code != mov)
    return 0;
  memcpy(&offset, code + 1, sizeof offset);
  return (uint32_t)offset;
}

static bool begins_outlined(const struct object *object, uint64_t address) {
  const struct object_symbol *symbol = address ? object_symbol_at(object, address) : NULL;
  return symbol && symbol->address == address && name_is_outlined(symbol->name);
}

uint64_t ident_outlined(struct object *object, uint64_t address, const struct object_symbol *symbol) {
  struct call_code code;
  size_t call = call_read(&code, object, address, symbol) ? code.call : 0;
  for (size_t i = call; i-- > 0 && !call_is_at(&code, i, object);) {
    uint64_t function = argument_at(code.bytes + i, code.count - i, code.begin + i);
    if (begins_outlined(object, function))
      return function;
  }
  return 0;
}

unsigned ident_line(struct object *object, uint64_t address, const struct object_symbol *symbol,
                    const char *file) {
  struct call_code code;
  unsigned line = 0;
  for (size_t i = file && call_read(&code, object, address, symbol) ? code.count : 0; i-- > 0 && line == 0;) {
    uint64_t ident = argument_at(code.bytes + i, code.count - i, code.begin + i);
    line = ident ? line_of(object, ident, file) : 0;
  }
  return line;
}
