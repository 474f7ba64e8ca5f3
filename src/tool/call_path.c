#include "tool/call_path.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "tool/own_memory.h"
#include "tool/thread.h"

enum { TASKS_MAX = 16 };

/* The frame that comes next outward. */
struct walk {
  struct call_path *path;
  uint64_t address; /* of its code; 0: the chain is broken */
  uint64_t frame;   /* where its frame pointer points */
  uint64_t low;     /* nothing below is read: the stack is only walked outward */
  uint64_t end;     /* after the stack */
  uint64_t mark;    /* SAMPLE_OUTER_TASK for the next address */
  unsigned inside;  /* addresses from this one on are called by those that follow */
  bool is_settled;  /* the thread does not go from one task to another just now */
};

/* Where the runtime gave control to the task's code, and where that gave it back; 0: nowhere on this
 * stack. */
struct task_frames {
  uint64_t exit, enter;
};

static bool is_on_stack(const struct walk *walk, uint64_t address) {
  return address >= walk->low && address % 8 == 0 && address < walk->end && walk->end - address >= 16;
}

static uint64_t word_at(uint64_t address) {
  return *(const uint64_t *)(uintptr_t)address;
}

static bool is_in_runtime(uint64_t address) {
  return address - tool.constants.runtime_base < tool.constants.runtime_size;
}

/* What the runtime calls within a task, such as functions of the C library, is not the program's. */
static void add(struct walk *walk, uint64_t in_runtime) {
  struct call_path *path = walk->path;
  path->is_cut = path->count == SAMPLE_ADDRESSES_MAX;
  if (path->is_cut)
    return;
  path->addresses[path->count++] = walk->address | walk->mark | in_runtime;
  walk->mark = 0;
  if (!is_in_runtime(walk->address))
    return;
  for (unsigned i = walk->inside; i < path->count; i++)
    path->addresses[i] |= SAMPLE_IN_RUNTIME;
}

/* On to the next frame. Returns its address, which may be none; 0: it is not further out. */
static uint64_t go_outward(struct walk *walk) {
  if (!is_on_stack(walk, walk->frame))
    return 0;
  uint64_t frame = walk->frame;
  walk->low = frame + 16;
  walk->frame = word_at(frame);
  return word_at(frame + 8);
}

/* On to the caller. What is no code is no frame. */
static void step(struct walk *walk) {
  uint64_t caller = go_outward(walk);
  walk->address = caller && modules_know(caller) ? caller : 0;
}

/* The place of the walk is inside, whatever its frame pointer is: code without one has its caller's there. */
static void add_inside(struct walk *walk, uint64_t limit, uint64_t in_runtime) {
  if (!walk->address)
    return;
  add(walk, in_runtime);
  while (walk->frame < limit && !walk->path->is_cut) {
    step(walk);
    if (!walk->address || walk->frame >= limit)
      return;
    add(walk, in_runtime);
  }
  walk->address = 0;
}

/* Goes on after the frame with which the task entered the runtime. Runtimes report "canonical frame address"
 * and give the frame pointer: whichever way the return address leads into the program is taken. */
static void resume_at(struct walk *walk, uint64_t enter) {
  walk->address = 0;
  for (int i = 0; i < 2 && !walk->address; i++, enter -= 16) {
    if (!is_on_stack(walk, enter))
      return;
    uint64_t caller = word_at(enter + 8);
    if (!modules_know(caller) || is_in_runtime(caller))
      continue;
    walk->address = caller;
    walk->frame = word_at(enter);
    walk->low = enter + 16;
  }
}

/* False where the chain of tasks on this thread ends: a worker's implicit task was made on another thread.
 * Which task was suspended for an explicit one LLVM's runtime writes down only after its callback of
 * task_schedule, when the explicit one is the current task already, and finds what was in that memory before.
 */
static bool has_outer(const struct walk *walk, int level, unsigned flags, int thread_number) {
  return flags & OMPT_TASK_explicit ? level > 0 || walk->is_settled
                                    : !(flags & OMPT_TASK_implicit && thread_number != 0);
}

static bool find_task(struct walk *walk, int level, struct task_frames *ret) {
  int flags = 0, thread_number = 0;
  ompt_data_t *task = NULL, *parallel = NULL;
  ompt_frame_t *frame = NULL;
  *ret = (struct task_frames){0};
  if (!tool.get_task_info || !tool.get_task_info(level, &flags, &task, &frame, &parallel, &thread_number) ||
      !frame)
    return false;
  uint64_t exit = (uint64_t)(uintptr_t)frame->exit_frame.ptr,
           enter = (uint64_t)(uintptr_t)frame->enter_frame.ptr;
  ret->exit = is_on_stack(walk, exit) ? exit : 0;
  ret->enter = is_on_stack(walk, enter) ? enter : 0;
  return has_outer(walk, level, (unsigned)flags, thread_number);
}

/* The runtime's frames inside of the task, the task's own ones; leaves the walk at the frame that called the
 * task. */
static void add_task(struct walk *walk, const struct task_frames *task) {
  uint64_t outside = task->exit ? task->exit : UINT64_MAX;
  if (task->enter && task->enter < outside) {
    add_inside(walk, task->enter, SAMPLE_IN_RUNTIME);
    resume_at(walk, task->enter);
  }
  add_inside(walk, outside, 0);
}

/* A chain that broke inside goes on at the frame from which the runtime called the task. */
static void go_out_of(struct walk *walk, uint64_t exit) {
  walk->inside = walk->path->count;
  if (!walk->address && is_on_stack(walk, exit)) {
    walk->frame = exit;
    step(walk);
  }
  walk->mark = SAMPLE_OUTER_TASK;
}

static void walk_tasks(struct walk *walk) {
  struct task_frames task;
  bool is_on = true;
  for (int level = 0; level < TASKS_MAX && is_on && !walk->path->is_cut; level++) {
    is_on = find_task(walk, level, &task);
    add_task(walk, &task);
    if (!task.exit)
      return;
    go_out_of(walk, task.exit);
  }
}

#if defined(__x86_64__)

static void begin(struct walk *walk, const void *context) {
  const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
  walk->address = (uint64_t)registers[REG_RIP];
  walk->frame = (uint64_t)registers[REG_RBP];
  walk->low = (uint64_t)registers[REG_RSP];
}

#elif defined(__aarch64__)

static void begin(struct walk *walk, const void *context) {
  const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
  walk->address = registers->pc;
  walk->frame = registers->regs[29];
  walk->low = registers->sp;
}

#elif defined(__riscv) || defined(__powerpc64__)

/* Frames lie otherwise here, and nobody has tried it: no stack is walked, as if it were another thread's. */
static void begin(struct walk *walk, const void *context) {
  const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__riscv)
  walk->address = registers->__gregs[REG_PC];
#else
  enum { PROGRAM_COUNTER = 32 }; /* PT_NIP of asm/ptrace.h */
  walk->address = registers->gp_regs[PROGRAM_COUNTER];
#endif
}

#else
#error "which registers hold the program counter, the frame pointer and the stack pointer?"
#endif

/* -- what threads need -- */

struct stack_search {
  uint64_t here, before; /* an address on the stack; where the mapping before ends */
  struct thread *thread;
};

/* A process's own stack grows downward up to a limit. */
static uint64_t lowest_of_first_stack(uint64_t end, uint64_t before) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur > end - before)
    return before;
  return end - limit.rlim_cur;
}

/* The C library has what it knows of a thread at the end of its stack, the kernel what it gave the process at
 * the end of the first one. A stack without either, a coroutine's, may go while it is read. */
static bool try_stack(const struct own_mapping *mapping, void *data) {
  struct stack_search *search = data;
  uint64_t here = search->here, self = (uint64_t)pthread_self(), given = getauxval(AT_RANDOM);
  if (here >= mapping->end) {
    search->before = mapping->end;
    return false;
  }
  if (here >= mapping->begin && given > here && given < mapping->end) {
    search->thread->stack_low = lowest_of_first_stack(mapping->end, search->before);
    search->thread->stack_end = given;
  } else if (here >= mapping->begin && self > here && self < mapping->end) {
    search->thread->stack_low = mapping->begin;
    search->thread->stack_end = self;
  }
  return true;
}

/* pthread_getattr_np(3) requests memory. */
static void find_stack(struct thread *thread) {
  struct stack_search search = {(uint64_t)(uintptr_t)__builtin_frame_address(0), 0, thread};
  own_memory_each(try_stack, &search);
}

void call_path_prepare(struct thread *thread, uint64_t ticks) {
  modules_publish_all(ticks);
  find_stack(thread);
}

/* -- paths -- */

/* The module that the address is in, if it may call the program's functions for what they are to it. Most
 * callers are in one module, so it is looked for once. */
static bool find_program_code(uint64_t address, struct module_range *ret) {
  return modules_range(address, ret) && !is_in_runtime(address) &&
         (uint64_t)(uintptr_t)&getauxval - ret->base >= ret->size; /* the C library */
}

unsigned call_path_callers(uint64_t *addresses, unsigned most, const struct thread *thread,
                           const ompt_frame_t *frame) {
  struct walk walk = {.low = (uint64_t)(uintptr_t)__builtin_frame_address(0), .end = thread->stack_end};
  unsigned count = 0;
  if (!frame || walk.low < thread->stack_low || walk.low >= thread->stack_end)
    return 0;
  resume_at(&walk, (uint64_t)(uintptr_t)frame->enter_frame.ptr);
  struct module_range code = {0};
  for (uint64_t caller; walk.address && count < most && (caller = go_outward(&walk));) {
    if (caller - code.base >= code.size && !find_program_code(caller, &code))
      break;
    addresses[count++] = caller;
  }
  return count;
}

/* The runtime's own code, and Stave's that it calls: counters and, without a processor's, clocks are read by
 * the C library, and room in the ring is waited for by it. */
static bool is_between_tasks(const struct thread *thread, uint64_t address) {
  struct module_range own, code;
  bool is_own = modules_range((uint64_t)(uintptr_t)&is_between_tasks, &own) && address - own.base < own.size;
  bool may_read_clock = tool.clock != CLOCK_KIND_TSC && !find_program_code(address, &code);
  return is_own || is_in_runtime(address) || thread->is_counting || thread->is_slow || may_read_clock;
}

void call_path_find(struct call_path *path, const void *context, const struct thread *thread,
                    bool is_waiting) {
  uint64_t stack_low = thread->stack_low, stack_end = thread->stack_end;
  struct walk walk = {.path = path, .end = stack_end};
  begin(&walk, context);
  walk.is_settled = is_waiting || !is_between_tasks(thread, walk.address);
  path->count = 0;
  path->is_cut = false;
  uint64_t innermost = walk.address;
  if (walk.low >= stack_low && walk.low < stack_end)
    walk_tasks(&walk);
  if (path->count == 0)
    path->addresses[path->count++] = innermost;
  if (is_waiting)
    path->addresses[0] |= SAMPLE_IN_RUNTIME;
}
