/* Holds src/ompt to an omp-tools.h: compiled by `omp_tools`, and wrong where it does not compile.
 *
 * The header is included in a function, so that its names hide ours of the same name there. Headers differ in
 * what they have: what this one lacks is found outside of the function, and is equal to itself. */
#include <stddef.h>
#include <stdint.h>

#include "ompt/types.h"

/* -- ours -- */

enum {
#define VALUE(enumeration, id, number, text, name, since) name = (int)(number),
#include "ompt/enumerations.def"
};

#define STRUCTURES                                                                                           \
  X(ompt_data_t, value)                                                                                      \
  X(ompt_data_t, ptr)                                                                                        \
  X(ompt_frame_t, exit_frame)                                                                                \
  X(ompt_frame_t, enter_frame)                                                                               \
  X(ompt_frame_t, exit_frame_flags)                                                                          \
  X(ompt_frame_t, enter_frame_flags)                                                                         \
  X(ompt_dependence_t, variable)                                                                             \
  X(ompt_dependence_t, dependence_type)                                                                      \
  X(ompt_dispatch_chunk_t, start)                                                                            \
  X(ompt_dispatch_chunk_t, iterations)                                                                       \
  X(ompt_start_tool_result_t, initialize)                                                                    \
  X(ompt_start_tool_result_t, finalize)                                                                      \
  X(ompt_start_tool_result_t, tool_data)                                                                     \
  X(ompt_record_abstract_t, rclass)                                                                          \
  X(ompt_record_abstract_t, type)                                                                            \
  X(ompt_record_abstract_t, start_time)                                                                      \
  X(ompt_record_abstract_t, end_time)                                                                        \
  X(ompt_record_abstract_t, hwid)                                                                            \
  X(ompt_record_work_t, endpoint)                                                                            \
  X(ompt_record_target_map_t, target_id)                                                                     \
  X(ompt_record_target_map_t, nitems)                                                                        \
  X(ompt_record_target_map_t, host_addr)                                                                     \
  X(ompt_record_target_map_t, device_addr)                                                                   \
  X(ompt_record_target_map_t, bytes)                                                                         \
  X(ompt_record_target_map_t, mapping_flags)                                                                 \
  X(ompt_record_target_map_t, codeptr_ra)                                                                    \
  X(ompt_record_ompt_t, type)                                                                                \
  X(ompt_record_ompt_t, time)                                                                                \
  X(ompt_record_ompt_t, thread_id)                                                                           \
  X(ompt_record_ompt_t, target_id)                                                                           \
  X(ompt_record_ompt_t, record)

/* The fields of device_records.def are of structures, too. */
#define FIELD(member, name) X(ompt_record_##member##_t, name)
#define FIELD_AT(offset, bytes, name)
#define DEVICE_RECORD(name, fields) fields

/* Ours under a name that no header has. */
#define X(type, member) typedef type ours_##type;
STRUCTURES
#include "ompt/device_records.def"
#undef X

#define CALLBACK(name, number, since, result, signature, ...)                                                \
  typedef ompt_callback_##signature##_t ours_callback_##signature;
#include "ompt/callbacks.def"

#define ENTRY_POINT(name, result, parameters) typedef ompt_##name##_t ours_##name;
#define DEVICE_ENTRY_POINT ENTRY_POINT
#include "ompt/entry_points.def"

/* -- theirs -- */

#define IS_SIGNED(type) ((type)-1 < (type)1)
#define SAME(a, b) __builtin_types_compatible_p(a, b)

/* A function's type in the words of the header: equal to the header's, unless that has none and finds ours.
 */
#define COMPARE(type, ours, result, parameters)                                                              \
  _Static_assert(SAME(type, ours) || SAME(type, result(*) parameters), #type);

static inline __attribute__((unused)) void compare(void) {
#include OMP_TOOLS_H

#define VALUE(enumeration, id, number, text, name, since)                                                    \
  _Static_assert((uint32_t)name == (uint32_t)(number), #name);
#define ENUMERATION(enumeration, type, integer)                                                              \
  _Static_assert(sizeof(type) == sizeof(integer) && IS_SIGNED(type) == IS_SIGNED(integer), #type);
#include "ompt/enumerations.def"

#define X(type, member)                                                                                      \
  _Static_assert(sizeof(type) == sizeof(ours_##type), #type);                                                \
  _Static_assert(offsetof(type, member) == offsetof(ours_##type, member) &&                                  \
                     sizeof(((type *)0)->member) == sizeof(((ours_##type *)0)->member),                      \
                 #type "." #member);
  STRUCTURES
#include "ompt/device_records.def"
#undef X

#define CALLBACK(name, number, since, result, signature, ...)                                                \
  COMPARE(ompt_callback_##signature##_t, ours_callback_##signature, result, OMPT_PARAMETERS(signature))
#include "ompt/callbacks.def"

#define ENTRY_POINT(name, result, parameters) COMPARE(ompt_##name##_t, ours_##name, result, parameters)
#define DEVICE_ENTRY_POINT ENTRY_POINT
#include "ompt/entry_points.def"
}
