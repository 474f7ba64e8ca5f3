/* Regions of target constructs: their events, and what the thread is in meanwhile. */
#include "libgomp/callbacks.h"
#include "libgomp/target.h"

static void deliver(struct target_region *region, ompt_scope_endpoint_t endpoint) {
  if (IS_REGISTERED(target_emi))
    DELIVER(target_emi, region->kind, endpoint, region->device, region->task, region->target_task,
            &region->data, region->code);
  else
    DELIVER(target, region->kind, endpoint, region->device, region->task, region->id, region->code);
}

static uint32_t state_in(ompt_target_t kind) {
  switch (kind) {
  case OMPT_TARGET_update:
  case OMPT_TARGET_update_nowait:
    return OMPT_STATE_wait_target_update;
  case OMPT_TARGET_enter_data:
  case OMPT_TARGET_enter_data_nowait:
  case OMPT_TARGET_exit_data:
  case OMPT_TARGET_exit_data_nowait:
    return OMPT_STATE_wait_target_map;
  default:
    return OMPT_STATE_wait_target;
  }
}

/* A region on the host may have worksharing regions in it, which are not those around it. */
static void keep_work(struct target_region *region, struct implicit *implicit) {
  region->work = implicit->work;
  region->loop_dimensions = implicit->loop_dimensions;
  region->is_after_single = implicit->is_after_single;
  implicit->work.kind = 0;
  implicit->is_after_single = false;
}

static void restore_work(const struct target_region *region, struct implicit *implicit) {
  implicit->work = region->work;
  implicit->loop_dimensions = region->loop_dimensions;
  implicit->is_after_single = region->is_after_single;
}

void target_begin(struct omp_call call, struct target_region *region) {
  struct omp_thread *thread = call.thread;
  region->code = call.code;
  region->id = callbacks_unique_id();
  region->innermost = thread->task;
  region->state = thread->state;
  thread->unit_loop = NULL;
  keep_work(region, implicit_of(thread));
  deliver(region, OMPT_SCOPE_begin);
  thread->state = target_is_on_host(thread, region) ? thread->work_state : state_in(region->kind);
}

void target_end(struct omp_call call, struct target_region *region) {
  struct omp_thread *thread = call.thread;
  target_end_leagues(thread, region->innermost);
  thread->state = region->state;
  thread->code = call.code;
  deliver(region, OMPT_SCOPE_end);
  thread->unit_loop = NULL;
  restore_work(region, implicit_of(thread));
}
