/* The functions that programs find in front of the MPI's own. */
#include <string.h>

#include "mpi/files.h"
#include "mpi/messages.h"
#include "mpi/windows.h"

#define PARAMETERS_0 void
#define ARGUMENTS_0 0
#define PARAMETERS_1 word a0
#define ARGUMENTS_1 a0
#define PARAMETERS_2 PARAMETERS_1, word a1
#define ARGUMENTS_2 ARGUMENTS_1, a1
#define PARAMETERS_3 PARAMETERS_2, word a2
#define ARGUMENTS_3 ARGUMENTS_2, a2
#define PARAMETERS_4 PARAMETERS_3, word a3
#define ARGUMENTS_4 ARGUMENTS_3, a3
#define PARAMETERS_5 PARAMETERS_4, word a4
#define ARGUMENTS_5 ARGUMENTS_4, a4
#define PARAMETERS_6 PARAMETERS_5, word a5
#define ARGUMENTS_6 ARGUMENTS_5, a5
#define PARAMETERS_7 PARAMETERS_6, word a6
#define ARGUMENTS_7 ARGUMENTS_6, a6
#define PARAMETERS_8 PARAMETERS_7, word a7
#define ARGUMENTS_8 ARGUMENTS_7, a7
#define PARAMETERS_9 PARAMETERS_8, word a8
#define ARGUMENTS_9 ARGUMENTS_8, a8
#define PARAMETERS_10 PARAMETERS_9, word a9
#define ARGUMENTS_10 ARGUMENTS_9, a9
#define PARAMETERS_11 PARAMETERS_10, word a10
#define ARGUMENTS_11 ARGUMENTS_10, a10
#define PARAMETERS_12 PARAMETERS_11, word a11
#define ARGUMENTS_12 ARGUMENTS_11, a11
#define PARAMETERS_13 PARAMETERS_12, word a12
#define ARGUMENTS_13 ARGUMENTS_12, a12

/* A program's own reference to a function of MPI is its C prototype's, which is not seen here. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static inline bool is_off(void) {
  return __builtin_expect(atomic_load_explicit(&mpi.classes, memory_order_relaxed) == 0, false);
}

static inline bool starts_mpi(enum mpi_function_number function) {
  return function == MPI_FUNCTION_Init || function == MPI_FUNCTION_Init_thread;
}

#define EXPORT __attribute__((visibility("default")))

#define PLAIN(name, parameters, class, role)                                                                 \
  EXPORT word MPI_##name(PARAMETERS_##parameters);                                                           \
  EXPORT word MPI_##name(PARAMETERS_##parameters) {                                                          \
    mpi_function *function = mpi_real(MPI_FUNCTION_##name);                                                  \
    if (!mpi_records(EVENT_CLASS_mpi_##class))                                                               \
      return function(ARGUMENTS_##parameters);                                                               \
    call_put_enter(MPI_FUNCTION_##name, 0, __builtin_return_address(0));                                     \
    word result = function(ARGUMENTS_##parameters);                                                          \
    call_put_leave(MPI_FUNCTION_##name);                                                                     \
    return result;                                                                                           \
  }
#define SPECIAL(name, parameters, class, role, handler, its_argument, has_large_counts)                      \
  EXPORT word MPI_##name(PARAMETERS_##parameters);                                                           \
  EXPORT word MPI_##name(PARAMETERS_##parameters) {                                                          \
    if (is_off() && !starts_mpi(MPI_FUNCTION_##name))                                                        \
      return mpi_real(MPI_FUNCTION_##name)(ARGUMENTS_##parameters);                                          \
    struct call call = {.function = MPI_FUNCTION_##name,                                                     \
                        .argument = its_argument,                                                            \
                        .is_large = has_large_counts,                                                        \
                        .code = __builtin_return_address(0),                                                 \
                        .a = {ARGUMENTS_##parameters}};                                                      \
    mpi_on_##handler(&call);                                                                                 \
    return call.result;                                                                                      \
  }
#include "mpi/functions.def"

static const struct {
  const char *name;
  const void *function;
} wrappers[] = {
#define PLAIN(name, parameters, class, role) {"MPI_" #name, (const void *)(uintptr_t)MPI_##name},
#define SPECIAL(name, parameters, class, role, ...) PLAIN(name, parameters, class, role)
#include "mpi/functions.def"
};

const void *mpi_wrapper(const char *name) {
  for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
    if (strcmp(wrappers[i].name, name) == 0)
      return wrappers[i].function;
  return NULL;
}
