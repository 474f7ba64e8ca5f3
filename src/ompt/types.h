/* OMPT's types, as its specification (OpenMP 5.1, 4.4 to 4.6; 6.0) has them, so that neither omp-tools.h nor
 * a compiler that brings it is needed. Where that header is, a test compares both. */
#ifndef STAVE_OMPT_TYPES_H
#define STAVE_OMPT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "ompt/values.h"

/* An enumeration may have any value at run time: that of another version. */
#define ENUMERATION(enumeration, type, integer) typedef integer type;
#define VALUE(enumeration, id, number, text, name, since)
#include "ompt/enumerations.def"

typedef uint64_t ompt_id_t;
typedef uint64_t ompt_wait_id_t;
typedef uint64_t ompt_device_time_t;
typedef uint64_t ompt_buffer_cursor_t;
typedef uint64_t ompt_hwid_t;

/* Which no implementation of mutexes has: enumerating them begins here. */
enum { OMPT_MUTEX_IMPL_NONE };

typedef void ompt_device_t;
typedef void ompt_buffer_t;

typedef void (*ompt_callback_t)(void);
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *name);

typedef union ompt_data_t {
  uint64_t value;
  void *ptr;
} ompt_data_t;

typedef struct ompt_frame_t {
  ompt_data_t exit_frame;
  ompt_data_t enter_frame;
  int exit_frame_flags;
  int enter_frame_flags;
} ompt_frame_t;

typedef struct ompt_dependence_t {
  ompt_data_t variable;
  ompt_dependence_type_t dependence_type;
} ompt_dependence_t;

/* Where a chunk's instance points to (OpenMP 5.2, 19.4.4.13). */
typedef struct ompt_dispatch_chunk_t {
  uint64_t start, iterations;
} ompt_dispatch_chunk_t;

/* What ompt_start_tool returns. */
typedef struct ompt_start_tool_result_t {
  int (*initialize)(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data);
  void (*finalize)(ompt_data_t *tool_data);
  ompt_data_t tool_data;
} ompt_start_tool_result_t;

/* -- callbacks -- */

#define OMPT_PARAMETER(meaning, type, name) type name
#define OMPT_ARGUMENT(meaning, type, name) name
/* A signature of callbacks.def as a declarator, and as what a function passes on. */
#define OMPT_PARAMETERS(signature) (SIGNATURE_##signature(OMPT_PARAMETER, OMPT_PARAMETER))
#define OMPT_ARGUMENTS(signature) (SIGNATURE_##signature(OMPT_ARGUMENT, OMPT_ARGUMENT))

#define CALLBACK(name, number, since, result, signature, ...)                                                \
  typedef result(*ompt_callback_##signature##_t) OMPT_PARAMETERS(signature);
#include "ompt/callbacks.def"

/* -- entry points, and records of devices -- */

typedef void (*ompt_callback_buffer_request_t)(int device_num, ompt_buffer_t **buffer, size_t *bytes);
typedef void (*ompt_callback_buffer_complete_t)(int device_num, ompt_buffer_t *buffer, size_t bytes,
                                                ompt_buffer_cursor_t begin, int buffer_owned);

#include "ompt/records.h"

#define ENTRY_POINT(name, result, parameters) typedef result(*ompt_##name##_t) parameters;
#define DEVICE_ENTRY_POINT ENTRY_POINT
#include "ompt/entry_points.def"

#endif
