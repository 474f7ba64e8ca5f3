/* Target tasks on the host. libgomp copies the data of each firstprivate mapping into the memory of its task;
 * the first one is a block of this library, and the program's function gets those after it. */
#include <string.h>
#include <sys/mman.h>

#include "libgomp/callbacks.h"
#include "libgomp/dependences.h"
#include "libgomp/target.h"

struct target_block {
  struct omp_task task;
  ompt_data_t creator; /* which may have ended */
  void (*function)(void *);
  const void *code;
  ompt_target_t kind;
  int device;
};

/* -- running -- */

static void run(struct omp_thread *thread, struct target_block *block, void **addresses) {
  struct omp_call call = call_inside(thread, block->code);
  struct target_region region = {.kind = block->kind,
                                 .device = block->device,
                                 .task = &block->creator,
                                 .target_task = &block->task.data};
  target_begin(call, &region);
  block->function(addresses);
  target_end(call, &region);
}

static void run_task(void *data) {
  void **addresses = data;
  struct target_block *block = addresses[0];
  struct omp_thread *thread = &thread_self;
  struct omp_task *prior = thread->task, *task = &block->task;
  const void *code = thread->code;
  if (!thread->has_started)
    return block->function(addresses + 1);
  task->outer = prior;
  task->implicit = prior->implicit;
  task->frame.exit_frame.ptr = __builtin_frame_address(0);
  thread_set_task(thread, task);
  DELIVER(task_schedule, &prior->data, OMPT_TASK_STATUS_switch, &task->data);
  run(thread, block, addresses + 1);
  thread_set_task(thread, prior);
  thread->code = code;
  DELIVER(task_schedule, &task->data, OMPT_TASK_STATUS_complete, &prior->data);
}

/* -- creating -- */

enum { FIRSTPRIVATE = 12 | 4 << 8 /* aligned to 2^4 bytes */, ON_STACK = 32 };

static void create(struct omp_call call, struct target_block *block, void **dependences) {
  struct omp_task *creator = call.thread->task;
  DELIVER(task_create, &creator->data, &creator->frame, &block->task.data, (int)block->task.flags,
          dependences != NULL, call.code);
  if (dependences)
    dependences_deliver(&block->task.data, dependences);
}

static void prepend(struct target_maps maps, struct target_maps to, struct target_block *block) {
  to.addresses[0] = block;
  to.sizes[0] = sizeof *block;
  to.kinds[0] = FIRSTPRIVATE;
  if (maps.count == 0)
    return;
  memcpy(to.addresses + 1, maps.addresses, maps.count * sizeof *maps.addresses);
  memcpy(to.sizes + 1, maps.sizes, maps.count * sizeof *maps.sizes);
  memcpy(to.kinds + 1, maps.kinds, maps.count * sizeof *maps.kinds);
}

static size_t bytes_of(size_t count) {
  return count * (sizeof(void *) + sizeof(size_t) + sizeof(unsigned short));
}

static struct target_maps maps_at(void *memory, size_t count) {
  void **addresses = memory;
  size_t *sizes = (size_t *)(addresses + count);
  return (struct target_maps){count, addresses, sizes, (unsigned short *)(sizes + count)};
}

static uint32_t flags_of(struct omp_call call, unsigned flags) {
  bool is_deferred = flags & GOMP_TARGET_NOWAIT && !(call.thread->task->flags & OMPT_TASK_final);
  return OMPT_TASK_target | (is_deferred ? 0 : OMPT_TASK_undeferred);
}

bool target_run_as_task(struct omp_call call, int device, void (*fn)(void *), struct target_maps maps,
                        unsigned flags, void **dependences, void **arguments) {
  void *few[ON_STACK * 3], *memory = few;
  size_t bytes = bytes_of(maps.count + 1);
  const struct library *library = call.library;
  if (maps.count >= ON_STACK)
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  struct target_block block = {.creator = call.thread->task->data,
                               .function = fn,
                               .code = call.code,
                               .kind = flags & GOMP_TARGET_NOWAIT ? OMPT_TARGET_nowait : OMPT_TARGET_region,
                               .device = library->omp_get_initial_device()};
  task_init(&block.task, flags_of(call, flags));
  struct target_maps all = maps_at(memory, maps.count + 1);
  prepend(maps, all, &block);
  create(call, &block, dependences);
  library->GOMP_target_ext(device, run_task, all.count, all.addresses, all.sizes, all.kinds, flags,
                           dependences, arguments);
  if (memory != few)
    munmap(memory, bytes);
  call.thread->code = call.code;
  return true;
}
