/* The addresses of the runtime's functions in the tables of the loaded objects (global offset tables) are
 * replaced by those of functions here, which look at the list of dependences and jump on. The runtime finds
 * stack and return address as the program has left them. A table that the dynamic linker has written in the
 * meantime, or a library that is loaded later, calls the runtime without: then depend_waits_is_safe is false,
 * as it is where nobody knows. */
#include "tool/depend_waits.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/imports.h"
#include "tool/thread.h"
#include "tool/tool.h"
#include "tool/unregister_dependences.h"

const char *const depend_waits_functions[] = {"__kmpc_omp_wait_deps", "__kmpc_omp_taskwait_deps_51", NULL};

bool depend_waits_is_safe(void) {
  bool is_safe = thread_self->waits_safely;
  if (is_safe)
    thread_self->waits_safely = false;
  return is_safe;
}

#if defined(__x86_64__)

/* kmp_depend_info of LLVM's runtimes. */
struct depend_info {
  intptr_t address;
  size_t bytes;
  uint8_t flags;
};

/* Of the other types, mutexinoutset and inoutset among them, the runtime looks after the list. */
enum { FLAGS_IN_OR_OUT = 3 };

static bool are_in_or_out(int32_t count, const struct depend_info *list) {
  for (int32_t i = 0; i < count; i++)
    if (!(list[i].flags & FLAGS_IN_OR_OUT))
      return false;
  return true;
}

/* Returns the runtime's function. */
__attribute__((used, visibility("hidden"))) void *
depend_waits_look(int32_t count, const struct depend_info *list, int32_t count_noalias,
                  const struct depend_info *noalias, int function);

void *depend_waits_look(int32_t count, const struct depend_info *list, int32_t count_noalias,
                        const struct depend_info *noalias, int function) {
  struct thread *self = thread_self;
  bool is_safe = are_in_or_out(count, list) && are_in_or_out(count_noalias, noalias);
  if (!is_safe) /* libomp 11 reports no task before it looks */
    dependences_withdraw();
  if (self->ring.slot)
    self->waits_safely = is_safe && (count > 0 || count_noalias > 0);
  return tool.depend_waits[function];
}

/* Both functions have these parameters first: ident, gtid, count, list, count_noalias, noalias. */
#define IN_FRONT_OF(function)                                                                                \
  void depend_waits_##function(void) __attribute__((visibility("hidden")));                                  \
  __asm__(".pushsection .text\n"                                                                             \
          ".p2align 4\n"                                                                                     \
          ".globl depend_waits_" #function "\n"                                                              \
          ".hidden depend_waits_" #function "\n"                                                             \
          ".type depend_waits_" #function ", @function\n"                                                    \
          "depend_waits_" #function ":\n"                                                                    \
          ".cfi_startproc\n"                                                                                 \
          "endbr64\n"                                                                                        \
          "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\n"                                 \
          "sub $8, %rsp\n"                                                                                   \
          ".cfi_def_cfa_offset 64\n"                                                                         \
          "mov %edx, %edi\nmov %rcx, %rsi\nmov %r8d, %edx\nmov %r9, %rcx\n"                                  \
          "mov $" #function ", %r8d\n"                                                                       \
          "call depend_waits_look\n"                                                                         \
          "add $8, %rsp\n"                                                                                   \
          "pop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"                                       \
          ".cfi_def_cfa_offset 8\n"                                                                          \
          "jmp *%rax\n"                                                                                      \
          ".cfi_endproc\n"                                                                                   \
          ".size depend_waits_" #function ", . - depend_waits_" #function "\n"                               \
          ".popsection\n")

IN_FRONT_OF(0);
IN_FRONT_OF(1);

static void *in_front_of(size_t function) {
  return (void *)(uintptr_t)(function == 0 ? depend_waits_0 : depend_waits_1);
}

static void put(const struct import *import, void *value) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *begin = (void *)((uintptr_t)import->place & ~(page - 1));
  if (import->is_read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(import->place, value, __ATOMIC_RELAXED);
  if (import->is_read_only)
    mprotect(begin, page, PROT_READ);
}

static void watch(const struct import *import) {
  if (tool.depend_waits[import->name])
    put(import, in_front_of(import->name));
}

static void release(const struct import *import) {
  if (*import->place == in_front_of(import->name))
    put(import, tool.depend_waits[import->name]);
}

bool depend_waits_watch(const void *in_runtime) {
  bool is_known = true;
  for (size_t i = 0; depend_waits_functions[i]; i++) {
    tool.depend_waits[i] = imports_function(in_runtime, depend_waits_functions[i]);
    is_known &= tool.depend_waits[i] || !imports_any((const char *[]){depend_waits_functions[i], NULL});
  }
  if (is_known)
    imports_visit(depend_waits_functions, watch);
  return is_known;
}

void depend_waits_release(void) {
  if (tool.depend_waits[0] || tool.depend_waits[1])
    imports_visit(depend_waits_functions, release);
}

#else

bool depend_waits_watch(const void *in_runtime) {
  (void)in_runtime;
  return false;
}

void depend_waits_release(void) {
}

#endif
