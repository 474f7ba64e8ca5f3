#include "writer/symbols/symbols_schedule.h"

#include <string.h>

#include "writer/symbols/symbols_call.h"

/* What an instruction writes a constant to. */
enum operand { OPERAND_EDX, OPERAND_ECX, OPERAND_R8, OPERAND_STACK, OPERAND_NONE };

/* MOV of a constant of 32 bits to each, as many bytes as it has. */
static const struct {
  enum operand target;
  unsigned char bytes[4], count;
} movs[] = {{OPERAND_EDX, {0xba}, 1},
            {OPERAND_ECX, {0xb9}, 1},
            {OPERAND_R8, {0x41, 0xb8}, 2},
            {OPERAND_STACK, {0xc7, 0x04, 0x24}, 3}};

static bool is_mov(const struct call_code *code, size_t i, size_t kind, uint32_t *ret_value) {
  size_t count = movs[kind].count;
  if (code->call - i < count + sizeof *ret_value || memcmp(code->bytes + i, movs[kind].bytes, count) != 0)
    return false;
  memcpy(ret_value, code->bytes + i + count, sizeof *ret_value);
  return true;
}

/* The constant that is last written to the target before the call; false: there is none. */
static bool constant(const struct call_code *code, struct object *object, enum operand target,
                     bool (*is_requested)(uint32_t value), uint32_t *ret_value) {
  for (size_t i = code->call; i-- > 0 && !call_is_at(code, i, object);)
    for (size_t kind = 0; kind < sizeof movs / sizeof *movs; kind++)
      if (movs[kind].target == target && is_mov(code, i, kind, ret_value) && is_requested(*ret_value))
        return true;
  return false;
}

/* PUSH of a constant right before the call. */
static bool pushed(const struct call_code *code, uint32_t *ret_value) {
  enum { PUSH_BYTE = 0x6a, PUSH_BYTES = 2 };
  if (code->call < PUSH_BYTES || code->bytes[code->call - PUSH_BYTES] != PUSH_BYTE)
    return false;
  *ret_value = code->bytes[code->call - 1];
  return true;
}

/* -- LLVM's functions: enum sched_type of its kmp.h -- */

/* Ordered loops have the same numbers plus 32; monotonic and nonmonotonic are bits. */
static enum schedule_kind kind_of(uint32_t type) {
  enum { MODIFIERS = 3 << 29, PLAIN_TO_ORDERED = 32 };
  uint32_t base = type & ~(uint32_t)MODIFIERS;
  static const enum schedule_kind kinds[] = {
      [33] = SCHEDULE_STATIC, [34] = SCHEDULE_STATIC, [35] = SCHEDULE_DYNAMIC,
      [36] = SCHEDULE_GUIDED, [37] = SCHEDULE_OTHER,  [38] = SCHEDULE_OTHER};
  base -= base > 64 ? PLAIN_TO_ORDERED : 0;
  return base < sizeof kinds / sizeof *kinds ? kinds[base] : SCHEDULE_UNKNOWN;
}

static bool is_type(uint32_t value) {
  return kind_of(value) != SCHEDULE_UNKNOWN;
}

static bool is_chunk(uint32_t value) {
  return value > 0 && value < INT32_MAX;
}

static bool has_chunks(enum schedule_kind kind) {
  return kind == SCHEDULE_DYNAMIC || kind == SCHEDULE_GUIDED;
}

static bool begins_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static struct loop_schedule schedule_of_llvm(const struct call_code *code, struct object *object,
                                             const char *function) {
  bool is_dispatched = begins_with(function, "__kmpc_dispatch_init_");
  struct loop_schedule ret = {SCHEDULE_UNKNOWN, 0};
  uint32_t type;
  if ((is_dispatched || begins_with(function, "__kmpc_for_static_init_")) &&
      constant(code, object, OPERAND_EDX, is_type, &type))
    ret.kind = kind_of(type);
  bool has_chunk = is_dispatched && has_chunks(ret.kind) &&
                   (pushed(code, &ret.chunk) || constant(code, object, OPERAND_STACK, is_chunk, &ret.chunk));
  ret.chunk = has_chunk ? ret.chunk : 0;
  return ret;
}

/* -- gcc's functions state it in their names -- */

static const char *after(const char *text, const char *prefix) {
  return begins_with(text, prefix) ? text + strlen(prefix) : text;
}

static bool ends_in(const char *text, const char *end) {
  size_t length = strlen(text), count = strlen(end);
  return length >= count && strcmp(text + length - count, end) == 0;
}

static enum schedule_kind kind_by_name(const char *word) {
  static const struct {
    const char *word;
    enum schedule_kind kind;
  } known[] = {{"static", SCHEDULE_STATIC},
               {"dynamic", SCHEDULE_DYNAMIC},
               {"guided", SCHEDULE_GUIDED},
               {"runtime", SCHEDULE_OTHER}};
  word = after(after(after(word, "ordered_"), "maybe_"), "nonmonotonic_");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (begins_with(word, known[i].word))
      return known[i].kind;
  return SCHEDULE_UNKNOWN;
}

static struct loop_schedule schedule_of_gcc(const struct call_code *code, struct object *object,
                                            const char *function) {
  static const struct {
    const char *prefix;
    enum operand chunk;
  } families[] = {
      {"GOMP_loop_ull_", OPERAND_R8}, {"GOMP_loop_", OPERAND_ECX}, {"GOMP_parallel_loop_", OPERAND_STACK}};
  struct loop_schedule ret = {SCHEDULE_UNKNOWN, 0};
  for (size_t i = 0; i < sizeof families / sizeof *families && !ret.kind; i++) {
    if (!begins_with(function, families[i].prefix) || ends_in(function, "_next"))
      continue;
    ret.kind = kind_by_name(function + strlen(families[i].prefix));
    bool has_chunk = has_chunks(ret.kind) && constant(code, object, families[i].chunk, is_chunk, &ret.chunk);
    ret.chunk = has_chunk ? ret.chunk : 0;
  }
  return ret;
}

struct loop_schedule schedule_read(struct object *object, uint64_t address,
                                   const struct object_symbol *symbol) {
  struct call_code code;
  const char *function = call_read(&code, object, address, symbol) ? call_target(&code, object) : NULL;
  if (!function)
    return (struct loop_schedule){SCHEDULE_UNKNOWN, 0};
  return begins_with(function, "__kmpc_") ? schedule_of_llvm(&code, object, function)
                                          : schedule_of_gcc(&code, object, function);
}
