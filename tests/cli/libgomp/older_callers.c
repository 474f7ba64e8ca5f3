/* Older compilers hand over fewer arguments to GOMP_task than it has today: gcc 4.4 seven, 4.9 eight, 6 nine.
 * After them on the stack are variables of the caller, here those of a call that is made by hand. Another
 * thread writes them while the task is created, or nobody may write them, as they are in a page of their own.
 * Prints how many calls there were and how many tasks ran, and the words that did not keep what was written.
 * x86-64. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

enum {
  SEVEN = 7,
  EIGHT,
  NINE,
  ALL = 10,
  ON_STACK = ALL - SEVEN + 1,
  PAGE_BYTES = 4096,
  STACK_BYTES = 1 << 20
};
enum { FINAL = 2, DEPEND = 8 };

struct call {
  void (*fn)(void *);
  void *data;
  void (*copy)(void *, void *);
  long bytes, alignment, is_deferred;
  uint64_t *stack;
};

void call_by_hand(const struct call *call);
__asm__(".text\n.globl call_by_hand\n.type call_by_hand, @function\ncall_by_hand:\n"
        "  push %rbp\n  mov %rsp, %rbp\n  push %rbx\n  push %rbx\n  mov %rdi, %rbx\n"
        "  mov (%rbx), %rdi\n  mov 8(%rbx), %rsi\n  mov 16(%rbx), %rdx\n  mov 24(%rbx), %rcx\n"
        "  mov 32(%rbx), %r8\n  mov 40(%rbx), %r9\n  mov 48(%rbx), %rsp\n"
        "  call GOMP_task@PLT\n"
        "  lea -16(%rbp), %rsp\n  pop %rbx\n  pop %rbx\n  pop %rbp\n  ret\n");

static struct {
  char *stack;
  sem_t created, written;
  volatile uint64_t *words; /* after the arguments of the call that is being made. NULL: none */
  int count;
  uint64_t value;
  int calls, run, lost;
} state;

static void *write_words(void *unused) {
  for (;;) {
    sem_wait(&state.created);
    state.value++;
    for (int i = 0; i < state.count; i++)
      state.words[i] = state.value + (uint64_t)i;
    sem_post(&state.written);
  }
  return unused;
}

/* Called by the tool, in the callback. */
__attribute__((visibility("default"))) void task_is_created(void) {
  if (!state.words)
    return;
  sem_post(&state.created);
  sem_wait(&state.written);
}

static void task(void *data) {
  if (*(long *)data == ALL)
    __atomic_fetch_add(&state.run, 1, __ATOMIC_RELAXED);
}

static void copy_long(void *to, void *from) {
  *(long *)to = *(long *)from;
}

/* `passed` arguments; what follows them is at the end of the stack, or in the next page. */
static void create(int passed, int is_deferred, unsigned flags, void (*copy)(void *, void *),
                   int is_at_page) {
  static int variable;
  static void *dependences[] = {(void *)1, (void *)1, &variable};
  long data = ALL;
  uint64_t *stack = (uint64_t *)(state.stack + STACK_BYTES) - (is_at_page ? passed - SEVEN + 1 : ON_STACK);
  stack[0] = flags;
  if (passed >= EIGHT)
    stack[1] = (uint64_t)(uintptr_t)(flags & DEPEND ? dependences : NULL);
  if (passed >= NINE)
    stack[2] = 0;
  state.count = ALL - passed;
  state.words = is_at_page ? NULL : stack + ON_STACK - state.count;
  uint64_t before = state.value;
  call_by_hand(&(struct call){task, &data, copy, sizeof data, _Alignof(long), is_deferred, stack});
  for (int i = 0; state.words && state.value > before && i < state.count; i++)
    state.lost += state.words[i] != state.value + (uint64_t)i;
  state.words = NULL;
  state.calls++;
}

static void create_all(void) {
  for (int passed = SEVEN; passed <= NINE; passed++)
    for (int kind = 0; kind < 8; kind++)
      for (unsigned flags = 0; flags <= DEPEND; flags += flags ? DEPEND - FINAL : FINAL) {
        if (flags == DEPEND && passed < EIGHT)
          continue;
        int is_at_page = (kind & 4) && passed == EIGHT; /* the stack is to be aligned */
        create(passed, kind & 1, flags, kind & 2 ? copy_long : NULL, is_at_page);
      }
}

static void *thread(void *unused) {
  create_all();
#pragma omp parallel num_threads(2)
#pragma omp single
  create_all();
#pragma omp parallel num_threads(1)
  create_all();
  return unused;
}

int main(void) {
  pthread_t writer;
  state.stack =
      mmap(NULL, STACK_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(state.stack + STACK_BYTES, PAGE_BYTES, PROT_READ);
  sem_init(&state.created, 0, 0);
  sem_init(&state.written, 0, 0);
  pthread_create(&writer, NULL, write_words, NULL);
  thread(NULL);
  printf("%d calls, %d tasks, %d words lost\n", state.calls, state.run, state.lost);
  fprintf(stderr, "written %d times\n", (int)state.value);
  return 3;
}
