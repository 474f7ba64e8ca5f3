/* Registering the callbacks of the table callbacks.def. */
#ifndef STAVE_TOOL_CALLBACKS_H
#define STAVE_TOOL_CALLBACKS_H

#include <stdint.h>

#include <omp-tools.h>

/* Registers what `classes` (config.events) asks for. results[number] becomes what the runtime answered
 * (ompt_set_result_t), -1 where nothing was asked. Returns the name of a callback without which no archive
 * can be made and that the runtime does not deliver, or NULL. */
const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results,
                               unsigned count);

/* The handlers: on_<callback>, by OMPT's signature of that callback. callbacks_task.c, _sync.c and _mutex.c
 * hold them. */
#define HANDLER(name, type) void on_##name type
HANDLER(thread_begin, (ompt_thread_t thread_type, ompt_data_t *thread_data));
HANDLER(thread_end, (ompt_data_t * thread_data));
HANDLER(parallel_begin, (ompt_data_t * encountering_task, const ompt_frame_t *frame, ompt_data_t *parallel,
                         unsigned requested, int flags, const void *codeptr));
HANDLER(parallel_end, (ompt_data_t * parallel, ompt_data_t *task, int flags, const void *codeptr));
HANDLER(implicit_task, (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                        unsigned actual, unsigned index, int flags));
HANDLER(task_create, (ompt_data_t * encountering_task, const ompt_frame_t *frame, ompt_data_t *new_task,
                      int flags, int has_dependences, const void *codeptr));
HANDLER(task_schedule, (ompt_data_t * prior, ompt_task_status_t prior_status, ompt_data_t *next));
HANDLER(dependences, (ompt_data_t * task, const ompt_dependence_t *dependences, int count));
HANDLER(task_dependence, (ompt_data_t * source, ompt_data_t *sink));
HANDLER(cancel, (ompt_data_t * task, int flags, const void *codeptr));
HANDLER(work, (ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
               uint64_t count, const void *codeptr));
HANDLER(dispatch, (ompt_data_t * parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance));
HANDLER(masked,
        (ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *codeptr));
HANDLER(sync_region, (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                      ompt_data_t *task, const void *codeptr));
HANDLER(sync_region_wait, (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *codeptr));
HANDLER(reduction, (ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                    ompt_data_t *task, const void *codeptr));
HANDLER(flush, (ompt_data_t * thread, const void *codeptr));
HANDLER(error, (ompt_severity_t severity, const char *message, size_t length, const void *codeptr));
HANDLER(mutex_acquire,
        (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr));
HANDLER(lock_init,
        (ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id, const void *codeptr));
HANDLER(mutex_acquired, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr));
HANDLER(mutex_released, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr));
HANDLER(lock_destroy, (ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr));
HANDLER(nest_lock, (ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr));
#undef HANDLER

#endif
