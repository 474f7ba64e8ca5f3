#include "writer/symbols/symbols_ident.h"

#include <stdlib.h>
#include <string.h>

#include "writer/symbols/symbols_names.h"

#ifdef __x86_64__
enum { KNOWS_CODE = true };
#else
enum { KNOWS_CODE = false };
#endif

enum {
  CODE_BYTES = 96,        /* how far before the call the argument may be set */
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
  const char *name = base_name(path, end), *wanted = base_name(file, file + strlen(file));
  return strlen(wanted) == (size_t)(end - name) && memcmp(wanted, name, (size_t)(end - name)) == 0;
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

/* Samples are addresses, too: an argument that was set before them means nothing. */
static bool ends_a_call(const unsigned char *code, size_t bytes) {
  return (bytes >= 5 && code[bytes - 5] == 0xe8) ||
         (bytes >= 6 && code[bytes - 6] == 0xff && code[bytes - 5] == 0x15);
}

/* Whether a call of something in the file is encoded there: what is set before it is not its caller's
 * argument. */
static bool is_call(struct object *object, const unsigned char *code, size_t bytes, uint64_t address) {
  enum { CALL_BYTES = 5 };
  int32_t offset;
  unsigned char target;
  if (bytes < CALL_BYTES || (*code != 0xe8 && (*code != 0xff || code[1] != 0x15)))
    return false;
  memcpy(&offset, code + 1, sizeof offset);
  return *code == 0xff || object_read(object, address + CALL_BYTES + (uint64_t)(int64_t)offset, &target, 1);
}

static bool begins_outlined(const struct object *object, uint64_t address) {
  const struct object_symbol *symbol = address ? object_symbol_at(object, address) : NULL;
  return symbol && symbol->address == address && name_is_outlined(symbol->name);
}

uint64_t ident_outlined(struct object *object, uint64_t address, const struct object_symbol *symbol) {
  unsigned char code[CODE_BYTES + 1];
  if (!KNOWS_CODE || !symbol || address < CODE_BYTES)
    return 0;
  uint64_t begin = address - CODE_BYTES > symbol->address ? address - CODE_BYTES : symbol->address;
  size_t bytes = object_read(object, begin, code, (size_t)(address + 1 - begin));
  size_t call = ends_a_call(code, bytes) ? bytes - (code[bytes - 5] == 0xe8 ? 5 : 6) : 0;
  for (size_t i = call; i-- > 0 && !is_call(object, code + i, bytes - i, begin + i);) {
    uint64_t function = argument_at(code + i, bytes - i, begin + i);
    if (begins_outlined(object, function))
      return function;
  }
  return 0;
}

unsigned ident_line(struct object *object, uint64_t address, const struct object_symbol *symbol,
                    const char *file) {
  unsigned char code[CODE_BYTES + 1];
  if (!KNOWS_CODE || !symbol || !file || address < CODE_BYTES)
    return 0;
  uint64_t begin = address - CODE_BYTES > symbol->address ? address - CODE_BYTES : symbol->address;
  size_t bytes = object_read(object, begin, code, (size_t)(address + 1 - begin));
  unsigned line = 0;
  for (size_t i = ends_a_call(code, bytes) ? bytes : 0; i-- > 0 && line == 0;) {
    uint64_t ident = argument_at(code + i, bytes - i, begin + i);
    line = ident ? line_of(object, ident, file) : 0;
  }
  return line;
}
