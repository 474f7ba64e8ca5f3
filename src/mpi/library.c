/* Which MPI is there, and its functions. Nothing here is linked to an MPI: that would load it into every
 * program. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "image/elf_image.h"
#include "image/mappings.h"
#include "mpi/call.h"

static _Atomic(mpi_function *) real[MPI_FUNCTION_COUNT];

static const struct {
  const char *name; /* PMPI_... */
  uint8_t parameters;
  uint32_t class;
} functions[] = {
#define PLAIN(name, parameters, class, role) {"PMPI_" #name, parameters, EVENT_CLASS_mpi_##class},
#define SPECIAL(name, parameters, class, role, handler, argument, is_large)                                  \
  PLAIN(name, parameters, class, role)
#include "mpi/functions.def"
};

/* Open MPI's handles are the addresses of what they represent. */
enum openmpi_variable {
  VARIABLE_COMM_NULL,
  VARIABLE_COMM_WORLD,
  VARIABLE_COMM_SELF,
  VARIABLE_REQUEST_NULL,
  VARIABLE_MESSAGE_NULL,
  VARIABLE_MESSAGE_NO_PROC,
  VARIABLE_BYTE,
  VARIABLE_NO_OP,
  VARIABLE_ERRORS_RETURN,
  VARIABLE_COUNT
};

static const char *const variable_names[VARIABLE_COUNT] = {
    [VARIABLE_COMM_NULL] = "ompi_mpi_comm_null",
    [VARIABLE_COMM_WORLD] = "ompi_mpi_comm_world",
    [VARIABLE_COMM_SELF] = "ompi_mpi_comm_self",
    [VARIABLE_REQUEST_NULL] = "ompi_request_null",
    [VARIABLE_MESSAGE_NULL] = "ompi_message_null",
    [VARIABLE_MESSAGE_NO_PROC] = "ompi_message_no_proc",
    [VARIABLE_BYTE] = "ompi_mpi_byte",
    [VARIABLE_NO_OP] = "ompi_mpi_op_no_op",
    [VARIABLE_ERRORS_RETURN] = "ompi_mpi_errors_return",
};

static _Atomic word variables[VARIABLE_COUNT];
static atomic_bool has_standard_abi;

uint32_t mpi_class(uint32_t function) {
  return functions[function].class;
}

unsigned mpi_parameters(uint32_t function) {
  return functions[function].parameters;
}

/* -- finding it -- */

/* Where an MPI's name and addresses come from: the dynamic linker, while this library is loaded, or the MPI's
 * file in memory, when the program has loaded it itself. Then the linker is not called, whose lock another
 * thread may hold. */
typedef void *find_symbol(const struct elf_image *image, const char *name);

static void *query_linker(const struct elf_image *image, const char *name) {
  (void)image;
  return dlsym(RTLD_NEXT, name);
}

/* MPICH 5.0.2's libmpi_abi has no PMPI_File_close. */
static void find_functions(find_symbol *find, const struct elf_image *image) {
  for (size_t i = 0; i < MPI_FUNCTION_COUNT; i++) {
    void *address = find(image, functions[i].name);
    address = address ? address : find(image, functions[i].name + 1);
    atomic_store_explicit(&real[i], (mpi_function *)(uintptr_t)address, memory_order_release);
  }
}

/* A variable of the MPI's that the program names may have been copied into the program. */
static void find_variables(find_symbol *find, const struct elf_image *image) {
  for (size_t i = 0; i < VARIABLE_COUNT; i++) {
    void *address = image ? NULL : dlsym(RTLD_DEFAULT, variable_names[i]);
    atomic_store(&variables[i], (word)(address ? address : find(image, variable_names[i])));
  }
}

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The name of the standard ABI's library is the same whoever made it (MPI 5.0, 20.2); the one of an MPI's own
 * ABI has the same functions. */
static void note_file(const char *path) {
  atomic_store(&has_standard_abi, begins_with(name_in(path), "libmpi_abi"));
}

bool library_prepare(void) {
  void *init = dlsym(RTLD_NEXT, "PMPI_Init");
  Dl_info info;
  if (!init)
    return false;
  note_file(dladdr(init, &info) && info.dli_fname ? info.dli_fname : "");
  find_variables(query_linker, NULL);
  find_functions(query_linker, NULL);
  return true;
}

static bool look_at(void *data, const struct mapped_file *file) {
  struct elf_image image;
  bool *ret_found = data;
  if (!file->has_code || !begins_with(name_in(file->path), "libmpi") ||
      !elf_image_read(file->begin, &image) || !elf_image_find(&image, "PMPI_Init"))
    return true;
  note_file(file->path);
  find_variables(elf_image_find, &image);
  find_functions(elf_image_find, &image);
  *ret_found = true;
  return false;
}

/* Several threads may do it, with one result. */
static void find_late(void) {
  bool is_found = false;
  if (!atomic_load_explicit(&real[MPI_FUNCTION_Init], memory_order_acquire))
    mappings_each(look_at, &is_found);
}

static _Noreturn void end_as_linker(const char *name) {
  char line[PATH_MAX];
  int length = snprintf(line, sizeof line, "%s: symbol lookup error: undefined symbol: %s\n",
                        program_invocation_name, name);
  ssize_t written = write(STDERR_FILENO, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
  (void)written;
  _exit(127);
}

static __attribute__((cold, noinline)) mpi_function *find_function(uint32_t function) {
  find_late();
  mpi_function *address = atomic_load_explicit(&real[function], memory_order_acquire);
  if (!address)
    end_as_linker(functions[function].name + 1);
  return address;
}

mpi_function *mpi_real(uint32_t function) {
  mpi_function *address = atomic_load_explicit(&real[function], memory_order_acquire);
  return __builtin_expect(address != NULL, true) ? address : find_function(function);
}

bool mpi_has(uint32_t function) {
  find_late();
  return atomic_load_explicit(&real[function], memory_order_acquire) != NULL;
}

/* -- the ABIs -- */

/* Open MPI's MPI_Status: source, tag, error, whether cancelled, bytes (ompi_status_public_t). */
static uint64_t openmpi_received(const void *status) {
  return *(const uint64_t *)((const char *)status + 16);
}

static bool openmpi_is_cancelled(const void *status) {
  return ((const int *)status)[3];
}

/* MPICH's (the ABI that it shares with Intel MPI, MVAPICH, Cray MPICH): the low half of the bytes, the high
 * half with the lowest bit for whether it was cancelled, source, tag, error. */
static uint64_t mpich_received(const void *status) {
  const uint32_t *words = status;
  return words[0] | (uint64_t)(words[1] >> 1) << 32;
}

static bool mpich_is_cancelled(const void *status) {
  return ((const uint32_t *)status)[1] & 1;
}

static struct abi openmpi_abi(void) {
  return (struct abi){.name = "Open MPI",
                      .handle_bytes = sizeof(word),
                      .any_source = -1,
                      .proc_null = -2,
                      .any_tag = -1,
                      .root = -4,
                      .lock_exclusive = 1,
                      .seek_set = 600,
                      .seek_cur = 602,
                      .mode_create = 1,
                      .mode_wronly = 4,
                      .mode_rdwr = 8,
                      .mode_delete_on_close = 16,
                      .mode_unique_open = 32,
                      .mode_excl = 64,
                      .mode_append = 128,
                      .mode_sequential = 256,
                      .status_bytes = 24,
                      .source_at = 0,
                      .tag_at = 4,
                      .in_place = 1,
                      .status_ignore = 0,
                      .comm_null = atomic_load(&variables[VARIABLE_COMM_NULL]),
                      .comm_world = atomic_load(&variables[VARIABLE_COMM_WORLD]),
                      .comm_self = atomic_load(&variables[VARIABLE_COMM_SELF]),
                      .request_null = atomic_load(&variables[VARIABLE_REQUEST_NULL]),
                      .message_null = atomic_load(&variables[VARIABLE_MESSAGE_NULL]),
                      .message_no_proc = atomic_load(&variables[VARIABLE_MESSAGE_NO_PROC]),
                      .byte = atomic_load(&variables[VARIABLE_BYTE]),
                      .no_op = atomic_load(&variables[VARIABLE_NO_OP]),
                      .errors_return = atomic_load(&variables[VARIABLE_ERRORS_RETURN]),
                      .received = openmpi_received,
                      .is_cancelled = openmpi_is_cancelled};
}

static struct abi mpich_abi(void) {
  return (struct abi){.name = "MPICH",
                      .handle_bytes = sizeof(int),
                      .any_source = -2,
                      .proc_null = -1,
                      .any_tag = -1,
                      .root = -3,
                      .lock_exclusive = 234,
                      .seek_set = 600,
                      .seek_cur = 602,
                      .mode_create = 1,
                      .mode_wronly = 4,
                      .mode_rdwr = 8,
                      .mode_delete_on_close = 16,
                      .mode_unique_open = 32,
                      .mode_excl = 64,
                      .mode_append = 128,
                      .mode_sequential = 256,
                      .status_bytes = 20,
                      .source_at = 8,
                      .tag_at = 12,
                      .in_place = (word)-1,
                      .status_ignore = 1,
                      .comm_null = 0x04000000,
                      .comm_world = 0x44000000,
                      .comm_self = 0x44000001,
                      .request_null = 0x2c000000,
                      .message_null = 0x2c000000,
                      .message_no_proc = 0x6c000000,
                      .byte = 0x4c00010d,
                      .no_op = 0x5800000e,
                      .errors_return = 0x54000001,
                      .received = mpich_received,
                      .is_cancelled = mpich_is_cancelled};
}

/* MPI 5.0, chapter 20. What a status has beside is the library's own. */
static uint64_t standard_received(const void *status) {
  int64_t bytes = 0;
  bool is_known = REAL(Get_elements_c, (word)status, mpi.abi.byte, (word)&bytes) == 0;
  return is_known && bytes > 0 ? (uint64_t)bytes : 0;
}

static bool standard_is_cancelled(const void *status) {
  int flag = 0;
  return REAL(Test_cancelled, (word)status, (word)&flag) == 0 && flag;
}

static struct abi standard_abi(void) {
  return (struct abi){.name = "MPI 5",
                      .handle_bytes = sizeof(word),
                      .any_source = -1,
                      .any_tag = -2,
                      .proc_null = -3,
                      .root = -4,
                      .lock_exclusive = 301,
                      .seek_set = 401,
                      .seek_cur = 402,
                      .mode_append = 1,
                      .mode_create = 2,
                      .mode_delete_on_close = 4,
                      .mode_excl = 8,
                      .mode_rdwr = 32,
                      .mode_sequential = 64,
                      .mode_unique_open = 128,
                      .mode_wronly = 256,
                      .status_bytes = 32,
                      .source_at = 0,
                      .tag_at = 4,
                      .in_place = 1,
                      .status_ignore = 0,
                      .comm_null = 0x100,
                      .comm_world = 0x101,
                      .comm_self = 0x102,
                      .request_null = 0x180,
                      .message_null = 0x128,
                      .message_no_proc = 0x129,
                      .byte = 0x247,
                      .no_op = 0x3d,
                      .errors_return = 0x143,
                      .received = standard_received,
                      .is_cancelled = standard_is_cancelled};
}

/* MPI_Get_library_version may be called before MPI_Init (MPI 3.1, 8.1.1). */
bool library_open(void) {
  enum { VERSION_BYTES = 8192 };
  static const char *const mpich_family[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"};
  char version[VERSION_BYTES] = "";
  int length = 0;
  if (atomic_load(&has_standard_abi)) {
    mpi.abi = standard_abi();
    return true;
  }
  if (mpi_has(MPI_FUNCTION_Get_library_version))
    REAL(Get_library_version, (word)version, (word)&length);
  if (begins_with(version, "Open MPI") && atomic_load(&variables[VARIABLE_COMM_WORLD]) &&
      atomic_load(&variables[VARIABLE_REQUEST_NULL])) {
    mpi.abi = openmpi_abi();
    return true;
  }
  for (size_t i = 0; i < sizeof mpich_family / sizeof *mpich_family; i++)
    if (begins_with(version, mpich_family[i])) {
      mpi.abi = mpich_abi();
      return true;
    }
  return false;
}

/* -- calling -- */

void call_invoke(struct call *call) {
  mpi_function *f = mpi_real(call->function);
  const word *a = call->a;
  switch (functions[call->function].parameters) {
#define CASE(n, ...)                                                                                         \
  case n:                                                                                                    \
    call->result = f(__VA_ARGS__);                                                                           \
    return
    CASE(0, 0);
    CASE(1, a[0]);
    CASE(2, a[0], a[1]);
    CASE(3, a[0], a[1], a[2]);
    CASE(4, a[0], a[1], a[2], a[3]);
    CASE(5, a[0], a[1], a[2], a[3], a[4]);
    CASE(6, a[0], a[1], a[2], a[3], a[4], a[5]);
    CASE(7, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
    CASE(8, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    CASE(9, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
    CASE(10, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    CASE(11, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10]);
    CASE(12, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    CASE(13, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12]);
#undef CASE
  }
}

uint64_t bytes_of(int64_t count, word datatype) {
  int size = 0;
  if (count <= 0 || REAL(Type_size, datatype, (word)&size) != 0)
    return 0;
  if (size >= 0)
    return (uint64_t)count * (uint64_t)size;
  int64_t large = 0; /* MPI_UNDEFINED: it does not fit into an int */
  REAL(Type_size_x, datatype, (word)&large);
  return large > 0 ? (uint64_t)count * (uint64_t)large : 0;
}
