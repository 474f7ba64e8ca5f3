/* Target constructs. The entry points show when a thread comes to one and goes on; what a device does, and
 * which data it gets, they do not show. A region that runs on the host does so in the thread that calls. */
#include "libgomp/target.h"

#include "libgomp/callbacks.h"
#include "libgomp/exports.h"

/* -- devices -- */

/* Compilers' numbers: -1 is the default device, the others below 0, and those that do not exist, the host. */
static int device_of(const struct library *library, int device) {
  enum { DEFAULT = -1 };
  if (device == DEFAULT)
    device = library->omp_get_default_device();
  return device >= 0 && device < library->omp_get_num_devices() ? device : library->omp_get_initial_device();
}

/* -- entry points -- */

/* CONSTRUCT(name, parameters, arguments, kind): one whose region is in its call. */
#define CONSTRUCT(name, parameters, arguments, kind_)                                                        \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    if (!call.is_traced)                                                                                     \
      return library->name arguments;                                                                        \
    struct target_region region = {                                                                          \
        .kind = kind_, .device = device_of(library, device), .task = &call.thread->task->data};              \
    target_begin(call, &region);                                                                             \
    library->name arguments;                                                                                 \
    target_end(call, &region);                                                                               \
  }

#define OLD_MAPS const void *unused, size_t maps, void **addresses, size_t *sizes, unsigned char *kinds
#define MAPS size_t maps, void **addresses, size_t *sizes, unsigned short *kinds

static ompt_target_t with_nowait(ompt_target_t kind, unsigned flags) {
  enum { NOWAIT = OMPT_TARGET_nowait - OMPT_TARGET_region };
  return flags & GOMP_TARGET_NOWAIT ? kind + NOWAIT : kind;
}

static ompt_target_t data_kind(unsigned flags) {
  return with_nowait(flags & GOMP_TARGET_EXIT_DATA ? OMPT_TARGET_exit_data : OMPT_TARGET_enter_data, flags);
}

CONSTRUCT(GOMP_target, (int device, void (*fn)(void *), OLD_MAPS),
          (device, fn, unused, maps, addresses, sizes, kinds), OMPT_TARGET_region)
CONSTRUCT(GOMP_target_update, (int device, OLD_MAPS), (device, unused, maps, addresses, sizes, kinds),
          OMPT_TARGET_update)
CONSTRUCT(GOMP_target_update_ext, (int device, MAPS, unsigned flags, void **dependences),
          (device, maps, addresses, sizes, kinds, flags, dependences), with_nowait(OMPT_TARGET_update, flags))
CONSTRUCT(GOMP_target_enter_exit_data, (int device, MAPS, unsigned flags, void **dependences),
          (device, maps, addresses, sizes, kinds, flags, dependences), data_kind(flags))

void GOMP_target_ext(int device, void (*fn)(void *), MAPS, unsigned flags, void **dependences,
                     void **arguments) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.library;
  if (!call.is_traced)
    return library->GOMP_target_ext(device, fn, maps, addresses, sizes, kinds, flags, dependences, arguments);
  struct target_region region = {.kind = with_nowait(OMPT_TARGET_region, flags),
                                 .device = device_of(library, device),
                                 .task = &call.thread->task->data};
  if (flags & GOMP_TARGET_NOWAIT)
    implicit_of(call.thread)->has_target_tasks = true;
  bool is_task = target_is_on_host(call.thread, &region) && (flags & GOMP_TARGET_NOWAIT || dependences);
  if (is_task && target_run_as_task(call, device, fn, (struct target_maps){maps, addresses, sizes, kinds},
                                    flags, dependences, arguments))
    return;
  target_begin(call, &region);
  library->GOMP_target_ext(device, fn, maps, addresses, sizes, kinds, flags, dependences, arguments);
  target_end(call, &region);
}

/* -- target data: an enter and an exit, of the same device -- */

static void push_device(struct omp_thread *thread, int device) {
  if (thread->data_depth < DATA_DEVICES_MAX)
    thread->data_devices[thread->data_depth] = device;
  thread->data_depth++;
}

/* Of a region deeper than is kept: that of the deepest one that is. */
static int pop_device(struct omp_thread *thread) {
  unsigned depth = thread->data_depth > 0 ? --thread->data_depth : 0;
  return thread->data_devices[depth < DATA_DEVICES_MAX ? depth : DATA_DEVICES_MAX - 1];
}

#define DATA(name, parameters, arguments)                                                                    \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.library;                                                            \
    if (!call.is_traced)                                                                                     \
      return library->name arguments;                                                                        \
    struct target_region region = {.kind = OMPT_TARGET_enter_data,                                           \
                                   .device = device_of(library, device),                                     \
                                   .task = &call.thread->task->data};                                        \
    push_device(call.thread, region.device);                                                                 \
    target_begin(call, &region);                                                                             \
    library->name arguments;                                                                                 \
    target_end(call, &region);                                                                               \
  }

DATA(GOMP_target_data, (int device, OLD_MAPS), (device, unused, maps, addresses, sizes, kinds))
DATA(GOMP_target_data_ext, (int device, MAPS), (device, maps, addresses, sizes, kinds))

void GOMP_target_end_data(void) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.library;
  if (!call.is_traced)
    return library->GOMP_target_end_data();
  struct target_region region = {
      .kind = OMPT_TARGET_exit_data, .device = pop_device(call.thread), .task = &call.thread->task->data};
  target_begin(call, &region);
  library->GOMP_target_end_data();
  target_end(call, &region);
}
