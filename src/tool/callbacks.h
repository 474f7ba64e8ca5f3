/* Registering the callbacks of the table callbacks.def. */
#ifndef STAVE_TOOL_CALLBACKS_H
#define STAVE_TOOL_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <omp-tools.h>

/* Registers what `classes` (config.events) asks for. results[number] becomes what the runtime answered
 * (ompt_set_result_t), or why nothing was asked. Returns the name of a callback without which no archive
 * can be made and that the runtime does not deliver, or NULL. */
const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results,
                               unsigned count);

/* The handlers: on_<callback>, by OMPT's signature of that callback. callbacks_task.c, _sync.c, _mutex.c and
 * _target.c hold them, callbacks_control.c the one that answers. */
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
HANDLER(device_initialize, (int device, const char *type, ompt_device_t *handle,
                            ompt_function_lookup_t lookup, const char *documentation));
HANDLER(device_finalize, (int device));
HANDLER(device_load, (int device, const char *file, int64_t offset_in_file, void *address_in_file,
                      size_t bytes, void *host_address, void *device_address, uint64_t module));
HANDLER(device_unload, (int device, uint64_t module));
HANDLER(target_emi, (ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                     ompt_data_t *target_task, ompt_data_t *target, const void *codeptr));
HANDLER(target, (ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                 ompt_id_t target, const void *codeptr));
HANDLER(target_data_op_emi, (ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                             ompt_id_t *host_op, ompt_target_data_op_t kind, void *source, int source_device,
                             void *destination, int destination_device, size_t bytes, const void *codeptr));
HANDLER(target_data_op,
        (ompt_id_t target, ompt_id_t host_op, ompt_target_data_op_t kind, void *source, int source_device,
         void *destination, int destination_device, size_t bytes, const void *codeptr));
HANDLER(target_submit_emi,
        (ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *host_op, unsigned requested));
HANDLER(target_submit, (ompt_id_t target, ompt_id_t host_op, unsigned requested));
HANDLER(target_map_emi, (ompt_data_t * target, unsigned count, void **host, void **device, size_t *bytes,
                         unsigned *flags, const void *codeptr));
HANDLER(target_map, (ompt_id_t target, unsigned count, void **host, void **device, size_t *bytes,
                     unsigned *flags, const void *codeptr));
#undef HANDLER

/* callbacks_control.c. Returns what omp_control_tool returns: 0, or 1 if the command was ignored. */
int on_control_tool(uint64_t command, uint64_t modifier, void *argument, const void *codeptr);

/* callbacks_user.c: whether omp_control_tool was called by stave.h, and recording what it says. */
bool is_user_call(uint64_t command, uint64_t modifier, const void *argument);
bool put_user_call(uint64_t command, const void *argument, const void *codeptr);

#endif
