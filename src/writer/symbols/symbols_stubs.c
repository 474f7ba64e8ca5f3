#include "writer/symbols/symbols_stubs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct stub_slot {
  uint64_t address;
  uint32_t symbol;
};

enum { ALIGNMENT = 8, JUMP_BYTES = 6 }; /* of a stub of .plt.got; jmp *OFFSET(%rip) */

static bool is_slot(const Elf64_Rela *relocation) {
  uint32_t type = ELF64_R_TYPE(relocation->r_info);
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

bool stub_file_add(struct stub_file *file, const Elf64_Rela *relocations, size_t count) {
  size_t capacity = file->n_slots, slot_count = 0;
  for (size_t i = 0; i < count; i++)
    slot_count += is_slot(&relocations[i]);
  if (!array_try_reserve(&file->slots, &capacity, file->n_slots + slot_count, sizeof *file->slots))
    return false;
  for (size_t i = 0; i < count; i++)
    if (is_slot(&relocations[i]))
      file->slots[file->n_slots++] =
          (struct stub_slot){relocations[i].r_offset, (uint32_t)ELF64_R_SYM(relocations[i].r_info)};
  return true;
}

static int slot_order(const void *a, const void *b) {
  const struct stub_slot *left = a, *right = b;
  return (left->address > right->address) - (left->address < right->address);
}

void stub_file_sort(struct stub_file *file) {
  if (file->n_slots > 0)
    qsort(file->slots, file->n_slots, sizeof *file->slots, slot_order);
}

void stub_file_clear(struct stub_file *file) {
  free(file->slots);
  file->slots = NULL;
  file->n_slots = 0;
}

static const char *name_of(const struct stub_file *file, uint64_t slot) {
  const struct stub_slot slot_count = {slot, 0};
  const struct stub_slot *found =
      file->n_slots ? bsearch(&slot_count, file->slots, file->n_slots, sizeof slot_count, slot_order) : NULL;
  if (!found || found->symbol == 0 || found->symbol >= file->n_symbols)
    return NULL;
  uint32_t at = file->symbols[found->symbol].st_name;
  return at > 0 && at < file->string_bytes ? file->strings + at : NULL;
}

/* Where its jump is: endbr64 and bnd may be before it. SIZE_MAX: there is none. */
static size_t jump_in(const struct stub_code *code, size_t at) {
  static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25}, bnd = 0xf2;
  if (code->count - at >= sizeof endbr64 && memcmp(code->bytes + at, endbr64, sizeof endbr64) == 0)
    at += sizeof endbr64;
  at += at < code->count && code->bytes[at] == bnd;
  bool is_jump = code->count >= JUMP_BYTES && at <= code->count - JUMP_BYTES &&
                 memcmp(code->bytes + at, jump, sizeof jump) == 0;
  return is_jump ? at : SIZE_MAX;
}

const char *stub_next(const struct stub_file *file, const struct stub_code *code, size_t *at,
                      uint64_t *ret_address) {
  size_t jump = jump_in(code, *at);
  int32_t offset;
  *ret_address = code->address + *at;
  *at += ALIGNMENT;
  if (jump == SIZE_MAX)
    return NULL;
  memcpy(&offset, code->bytes + jump + 2, sizeof offset);
  return name_of(file, code->address + jump + JUMP_BYTES + (uint64_t)(int64_t)offset);
}
