#include "writer/symbols/symbols_call.h"

#include <string.h>

#ifdef __x86_64__
enum { KNOWS_CODE = true };
#else
enum { KNOWS_CODE = false };
#endif

enum { NEAR = 0xe8, NEAR_BYTES = 5, INDIRECT = 0xff, INDIRECT_RIP = 0x15, INDIRECT_BYTES = 6 };

/* 0: none ends there. */
static size_t call_bytes(const unsigned char *code, size_t bytes) {
  if (bytes >= NEAR_BYTES && code[bytes - NEAR_BYTES] == NEAR)
    return NEAR_BYTES;
  bool is_indirect = bytes >= INDIRECT_BYTES && code[bytes - INDIRECT_BYTES] == INDIRECT &&
                     code[bytes - INDIRECT_BYTES + 1] == INDIRECT_RIP;
  return is_indirect ? INDIRECT_BYTES : 0;
}

bool call_read(struct call_code *ret, struct object *object, uint64_t address,
               const struct object_symbol *symbol) {
  if (!KNOWS_CODE || !symbol || address < CALL_CODE_BYTES)
    return false;
  ret->begin = address - CALL_CODE_BYTES > symbol->address ? address - CALL_CODE_BYTES : symbol->address;
  ret->count = object_read(object, ret->begin, ret->bytes, (size_t)(address + 1 - ret->begin));
  size_t bytes = call_bytes(ret->bytes, ret->count);
  ret->call = ret->count - bytes;
  return bytes > 0;
}

static uint64_t near_target(const struct call_code *code, size_t i) {
  int32_t offset;
  memcpy(&offset, code->bytes + i + 1, sizeof offset);
  return code->begin + i + NEAR_BYTES + (uint64_t)(int64_t)offset;
}

bool call_is_at(const struct call_code *code, size_t i, struct object *object) {
  const unsigned char *bytes = code->bytes + i;
  unsigned char target;
  if (code->count - i < NEAR_BYTES)
    return false;
  if (*bytes == INDIRECT)
    return bytes[1] == INDIRECT_RIP;
  return *bytes == NEAR && object_read(object, near_target(code, i), &target, 1);
}

const char *call_target(const struct call_code *code, struct object *object) {
  if (code->bytes[code->call] != NEAR)
    return NULL;
  const struct object_symbol *symbol = object_symbol_at(object, near_target(code, code->call));
  return symbol ? symbol->name : NULL;
}
