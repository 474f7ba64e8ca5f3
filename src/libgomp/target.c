/* Constructs for devices, as the host sees them: what is copied, and what runs on a device and when, libgomp
 * does not show. */
#include "libgomp/exports.h"
#include "libgomp/runtime.h"
#include "libgomp/tasks.h"

/* Of a target construct's flags, and of its device. */
enum { GOMP_TARGET_NOWAIT = 1 << 0, GOMP_TARGET_EXIT_DATA = 1 << 1 };
enum { GOMP_DEVICE_DEFAULT = -1, GOMP_DEVICE_HOST_FALLBACK = -2 };

/* Where the construct runs: on the host, if there is no such device. */
static int device_of(const struct library *library, int device) {
  int count = library->omp_get_num_devices();
  if (device == GOMP_DEVICE_DEFAULT)
    device = library->omp_get_default_device();
  return device < 0 || device >= count ? library->omp_get_initial_device() : device;
}

struct target_construct {
  ompt_target_t kind;
  int device;
  ompt_data_t data, task_data;
  ompt_id_t id;
};

static void deliver(struct omp_call call, struct target_construct *target, ompt_scope_endpoint_t endpoint) {
  ompt_data_t *task = &call.thread->task->data;
  if (__atomic_load_n(&callbacks.target_emi, __ATOMIC_RELAXED))
    DELIVER(target_emi, target->kind, endpoint, target->device, task, &target->task_data, &target->data,
            call.code);
  else
    DELIVER(target, target->kind, endpoint, target->device, task, target->id, call.code);
}

/* `kind` and its nowait form, which are 8 apart. */
static struct target_construct begin(struct omp_call call, ompt_target_t kind, unsigned flags, int device) {
  const ompt_target_t to_nowait = OMPT_TARGET_nowait - OMPT_TARGET_region;
  struct target_construct target = {.kind = kind + (flags & GOMP_TARGET_NOWAIT ? to_nowait : 0),
                                    .device = device_of(call.thread->library, device)};
  target.id = runtime_unique_id();
  task_frame_enter(call);
  deliver(call, &target, OMPT_SCOPE_begin);
  return target;
}

static void end(struct omp_call call, struct target_construct *target) {
  deliver(call, target, OMPT_SCOPE_end);
  task_frame_leave(call);
}

#define CONSTRUCT(name, kind, flags, device, parameters, arguments)                                          \
  void name parameters {                                                                                     \
    struct omp_call call = CALL_ENTER();                                                                     \
    const struct library *library = call.thread->library;                                                    \
    if (!call.thread->is_traced)                                                                             \
      return library->name arguments;                                                                        \
    struct target_construct target = begin(call, OMPT_TARGET_##kind, flags, device);                         \
    library->name arguments;                                                                                 \
    end(call, &target);                                                                                      \
  }

#define MAPS size_t maps, void **addresses, size_t *sizes

CONSTRUCT(GOMP_target, region, 0, device,
          (int device, void (*fn)(void *), const void *unused, MAPS, unsigned char *kinds),
          (device, fn, unused, maps, addresses, sizes, kinds))
CONSTRUCT(GOMP_target_ext, region, flags, device,
          (int device, void (*fn)(void *), MAPS, unsigned short *kinds, unsigned flags, void **dependences,
           void **values),
          (device, fn, maps, addresses, sizes, kinds, flags, dependences, values))
CONSTRUCT(GOMP_target_data, enter_data, 0, device,
          (int device, const void *unused, MAPS, unsigned char *kinds),
          (device, unused, maps, addresses, sizes, kinds))
CONSTRUCT(GOMP_target_data_ext, enter_data, 0, device, (int device, MAPS, unsigned short *kinds),
          (device, maps, addresses, sizes, kinds))
CONSTRUCT(GOMP_target_end_data, exit_data, 0, GOMP_DEVICE_DEFAULT, (void), ())
CONSTRUCT(GOMP_target_update, update, 0, device, (int device, const void *unused, MAPS, unsigned char *kinds),
          (device, unused, maps, addresses, sizes, kinds))
CONSTRUCT(GOMP_target_update_ext, update, flags, device,
          (int device, MAPS, unsigned short *kinds, unsigned flags, void **dependences),
          (device, maps, addresses, sizes, kinds, flags, dependences))

void GOMP_target_enter_exit_data(int device, MAPS, unsigned short *kinds, unsigned flags,
                                 void **dependences) {
  struct omp_call call = CALL_ENTER();
  const struct library *library = call.thread->library;
  if (!call.thread->is_traced)
    return library->GOMP_target_enter_exit_data(device, maps, addresses, sizes, kinds, flags, dependences);
  ompt_target_t kind = flags & GOMP_TARGET_EXIT_DATA ? OMPT_TARGET_exit_data : OMPT_TARGET_enter_data;
  struct target_construct target = begin(call, kind, flags, device);
  library->GOMP_target_enter_exit_data(device, maps, addresses, sizes, kinds, flags, dependences);
  end(call, &target);
}
