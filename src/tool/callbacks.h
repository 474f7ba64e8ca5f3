/* Registering the callbacks of the table callbacks.def. */
#ifndef STAVE_TOOL_CALLBACKS_H
#define STAVE_TOOL_CALLBACKS_H

#include <stdint.h>

#include <omp-tools.h>

/* Registers what `classes` (config.events) asks for. results[number] becomes what the runtime answered
 * (ompt_set_result_t), -1 where nothing was asked. Returns the name of a callback without which no archive can be
 * made and that the runtime does not deliver, or NULL. */
const char *callbacks_register(ompt_set_callback_t set_callback, uint32_t classes, int32_t *results, unsigned count);

#endif
