/* Registering the callbacks of the table src/ompt/callbacks.def. */
#ifndef STAVE_TOOL_CALLBACKS_H
#define STAVE_TOOL_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt/types.h"

struct session_constants;

/* Registers what the settings request. results[number], of SESSION_CALLBACKS, becomes what the runtime
 * answered (ompt_set_result_t), or why it was not registered. Returns the name of a callback without which no
 * archive can be made and that the runtime does not deliver, or NULL. */
const char *callbacks_register(ompt_set_callback_t set_callback, const struct session_constants *requested,
                               int32_t *results);

/* The handlers: on_<callback>. callbacks_task.c, _sync.c, _mutex.c and _target.c hold them,
 * callbacks_control.c the one that answers: it returns what omp_control_tool returns, 0, or 1 if the command
 * was ignored. */
#define CALLBACK(name, number, since, result, signature, ...) result on_##name OMPT_PARAMETERS(signature);
#include "ompt/callbacks.def"

/* on_parallel_begin, with who called (STAVE_CALLERS). */
void on_parallel_begin_with_callers OMPT_PARAMETERS(parallel_begin);

/* The same with counters (STAVE_COUNTERS). */
void on_implicit_task_with_counters OMPT_PARAMETERS(implicit_task);
void on_task_schedule_with_counters OMPT_PARAMETERS(task_schedule);
void on_work_with_counters OMPT_PARAMETERS(work);
void on_sync_region_with_counters OMPT_PARAMETERS(sync_region);

/* callbacks_user.c: whether omp_control_tool was called by stave.h, and recording its message. */
bool is_user_call(uint64_t command, uint64_t modifier, const void *argument);
bool put_user_call(uint64_t command, const void *argument, const void *codeptr);

#endif
