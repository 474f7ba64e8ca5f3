/* What the program calls: each function jumps to the address in `entries`, with the program's return address
 * and arguments as they are. Without a tool that is libgomp. Weak: loop_entries.c has some of them. */
#include "libgomp/exports.h"
#include "libgomp/library.h"

#ifdef HAS_ENTRIES

#if defined(__x86_64__)
#ifdef __CET__
#define LANDING "  endbr64\n"
#else
#define LANDING
#endif
#define JUMP LANDING "  jmp *(entries + 8 * entry)(%rip)\n"
#elif defined(__aarch64__)
#define JUMP                                                                                                 \
  "  hint #34\n" /* bti c */                                                                                 \
  "  adrp x16, entries + 8 * entry\n"                                                                        \
  "  ldr x16, [x16, :lo12:(entries + 8 * entry)]\n"                                                          \
  "  br x16\n"
#endif

/* `entry` counts; the table is in the order of struct functions. */
#define FUNCTION(name, traced)                                                                               \
  __asm__(".text\n.p2align 4\n.weak " name "\n.type " name ", %function\n" name ":\n  .cfi_startproc\n" JUMP \
          "  .cfi_endproc\n.size " name ", . - " name "\n"                                                   \
          ".section .data.entries, \"aw\"\n.quad " traced "\n.set entry, entry + 1\n");

__asm__(".section .data.entries, \"aw\"\n.p2align 3\n.globl entries\n.hidden entries\n"
        ".type entries, %object\nentries:\n.set entry, 0\n");
#define EVENT(version, result, name, parameters) FUNCTION(#name, "traced_" #name)
#define OLD_EVENT(version, result, name, parameters)                                                         \
  FUNCTION("old_" #name, "traced_old_" #name)                                                                \
  OLD_VERSION(name)
#include "gomp/events.def"
__asm__(".section .data.entries, \"aw\"\n.size entries, . - entries\n.text\n");

#undef EVENT
#undef OLD_EVENT

static void step_aside(void *entry, void *function) {
  if (function)
    __atomic_store_n((void **)entry, function, __ATOMIC_RELAXED);
}

void entries_step_aside(void) {
#define EVENT(version, result, name, parameters) step_aside(&entries.name, *(void **)&library_in_scope.name);
#define OLD_EVENT(version, result, name, parameters)                                                         \
  step_aside(&entries.old_##name, *(void **)&library_in_scope.old_##name);
  if (library_in_scope.GOMP_parallel) {
#include "gomp/events.def"
  }
#undef EVENT
#undef OLD_EVENT
}

#else

void entries_step_aside(void) {
}

#endif
