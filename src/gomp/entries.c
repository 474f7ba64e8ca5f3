/* The functions themselves: no frame, no return address of their own, so that the runtime sees the
 * program's. */
#include "gomp/entries.h"

#define TEXT_OF(text) #text
#define TEXT(text) TEXT_OF(text)

#if defined(__x86_64__)
/* `entry` counts. After the jump lies where it leads to at first. */
#define FUNCTION(label)                                                                                      \
  ".globl " label "\n.type " label ", @function\n.p2align 4\n" label ":\n"                                   \
  "  endbr64\n"                                                                                              \
  "  jmp *(entry_table + 8 * entry)(%rip)\n"                                                                 \
  "0:\n"                                                                                                     \
  "  endbr64\n"                                                                                              \
  "  push $entry\n"                                                                                          \
  "  jmp entry_first\n"                                                                                      \
  ".size " label ", . - " label "\n"
/* The arguments survive; the number on the stack is removed. */
__asm__(".text\n"
        ".type entry_first, @function\n"
        "entry_first:\n"
        "  push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n"
        "  mov 56(%rsp), %rdi\n"
        "  sub $8, %rsp\n"
        "  call entry_resolve\n"
        "  add $8, %rsp\n"
        "  pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n"
        "  pop %r11\n"
        "  lea entry_table(%rip), %r10\n"
        "  jmp *(%r10, %r11, 8)\n"
        ".size entry_first, . - entry_first\n");
#elif defined(__aarch64__)
#define FUNCTION(label)                                                                                      \
  ".globl " label "\n.type " label ", %function\n.p2align 4\n" label ":\n"                                   \
  "  hint #34\n"                                                                                             \
  "  adrp x16, entry_table + 8 * entry\n"                                                                    \
  "  add x16, x16, :lo12:(entry_table + 8 * entry)\n"                                                        \
  "  ldr x16, [x16]\n"                                                                                       \
  "  br x16\n"                                                                                               \
  "0:\n"                                                                                                     \
  "  hint #36\n"                                                                                             \
  "  mov x17, #entry\n"                                                                                      \
  "  b entry_first\n"                                                                                        \
  ".size " label ", . - " label "\n"
__asm__(".text\n"
        ".type entry_first, %function\n"
        "entry_first:\n"
        "  stp x29, x30, [sp, #-96]!\n"
        "  stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n"
        "  stp x8, x17, [sp, #80]\n"
        "  mov x0, x17\n"
        "  bl entry_resolve\n"
        "  ldp x8, x17, [sp, #80]\n"
        "  ldp x6, x7, [sp, #64]\n ldp x4, x5, [sp, #48]\n ldp x2, x3, [sp, #32]\n ldp x0, x1, [sp, #16]\n"
        "  ldp x29, x30, [sp], #96\n"
        "  adrp x16, entry_table\n"
        "  add x16, x16, :lo12:entry_table\n"
        "  ldr x16, [x16, x17, lsl #3]\n"
        "  br x16\n"
        ".size entry_first, . - entry_first\n");
#endif

__asm__(".data\n"
        ".globl entry_table\n.hidden entry_table\n.hidden entry_resolve\n"
        ".type entry_table, STT_OBJECT\n.p2align 3\n"
        "entry_table:\n");

#define ONE(label, name, bound)                                                                              \
  __asm__(".text\n" FUNCTION(label) ".data\n.quad 0b\n.symver " label ", " name bound "\n"                   \
                                    ".set entry, entry + 1\n");
#define ENTRY(version, name) ONE("stave_" TEXT(name), TEXT(name), "@@" TEXT(version))
#define OLD_ENTRY(version, name) ONE("stave_old_" TEXT(name), TEXT(name), "@" TEXT(version))

__asm__(".set entry, 0\n");
#include "gomp/entries.def"
__asm__(".data\n.size entry_table, . - entry_table\n.text\n");
