/* Which MPI is there, and its functions. Nothing here is linked to an MPI: that would load it into every
 * program. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

uint32_t mpi_class(uint32_t function) {
  return functions[function].class;
}

unsigned mpi_parameters(uint32_t function) {
  return functions[function].parameters;
}

/* -- finding it -- */

/* What a program loads by dlopen may be out of reach of the search from here. */
static int look_at(struct dl_phdr_info *info, size_t size, void *ret_library) {
  (void)size;
  const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
  if (strncmp(name, "libmpi", strlen("libmpi")) != 0)
    return 0;
  void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library && dlsym(library, "PMPI_Init")) {
    *(void **)ret_library = library;
    return 1;
  }
  if (library)
    dlclose(library);
  return 0;
}

static void find_library(void) {
  if (dlsym(RTLD_NEXT, "PMPI_Init"))
    mpi.library = RTLD_NEXT;
  else
    dl_iterate_phdr(look_at, &mpi.library);
}

static pthread_once_t found = PTHREAD_ONCE_INIT;

static __attribute__((cold, noinline)) mpi_function *find_function(uint32_t function) {
  pthread_once(&found, find_library);
  bool is_found = mpi.library || mpi.library == RTLD_NEXT;
  void *address = is_found ? dlsym(mpi.library, functions[function].name) : NULL;
  if (!address && is_found) /* MPICH 5.0.2's libmpi_abi has no PMPI_File_close */
    address = dlsym(mpi.library, functions[function].name + 1);
  if (!address) {
    fprintf(stderr, "%s: symbol lookup error: undefined symbol: %s\n", program_invocation_name,
            functions[function].name + 1);
    _exit(127); /* as the dynamic linker */
  }
  atomic_store_explicit(&real[function], (mpi_function *)(uintptr_t)address, memory_order_release);
  return (mpi_function *)(uintptr_t)address;
}

mpi_function *mpi_real(uint32_t function) {
  mpi_function *address = atomic_load_explicit(&real[function], memory_order_acquire);
  return __builtin_expect(address != NULL, true) ? address : find_function(function);
}

bool mpi_has(uint32_t function) {
  pthread_once(&found, find_library);
  return mpi.library && dlsym(mpi.library, functions[function].name);
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

/* In the program first: a variable of the MPI's that it names may have been copied into it. */
static word symbol(const char *name) {
  void *address = dlsym(RTLD_DEFAULT, name);
  return (word)(address ? address : dlsym(mpi.library, name));
}

/* Open MPI's handles are the addresses of what they stand for. */
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
                      .comm_null = symbol("ompi_mpi_comm_null"),
                      .comm_world = symbol("ompi_mpi_comm_world"),
                      .comm_self = symbol("ompi_mpi_comm_self"),
                      .request_null = symbol("ompi_request_null"),
                      .message_null = symbol("ompi_message_null"),
                      .message_no_proc = symbol("ompi_message_no_proc"),
                      .byte = symbol("ompi_mpi_byte"),
                      .no_op = symbol("ompi_mpi_op_no_op"),
                      .errors_return = symbol("ompi_mpi_errors_return"),
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

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* Its name is the same whoever made it (MPI 5.0, 20.2); the one of an MPI's own ABI has the same functions.
 */
static bool is_standard(void) {
  Dl_info info;
  const void *function = (const void *)(uintptr_t)mpi_real(MPI_FUNCTION_Initialized);
  if (!dladdr(function, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/');
  return begins_with(slash ? slash + 1 : info.dli_fname, "libmpi_abi");
}

/* MPI_Get_library_version may be called before MPI_Init (MPI 3.1, 8.1.1). */
bool library_open(void) {
  enum { VERSION_BYTES = 8192 };
  static const char *const mpich_family[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "CRAY MPICH"};
  char version[VERSION_BYTES] = "";
  int length = 0;
  if (is_standard()) {
    mpi.abi = standard_abi();
    return true;
  }
  if (symbol("PMPI_Get_library_version"))
    REAL(Get_library_version, (word)version, (word)&length);
  if (begins_with(version, "Open MPI") && symbol("ompi_mpi_comm_world") && symbol("ompi_request_null")) {
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
