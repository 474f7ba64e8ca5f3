/* Calls from Fortran. The MPI's Fortran interfaces (mpif.h, the modules mpi and mpi_f08) are libraries that
 * call PMPI_X, past whatever precedes MPI_X. So where these libraries import PMPI_X they get MPI_X, before
 * the program begins: their import slots are filled by then, or are filled when they are first used and have
 * not been. A page of slots that is read-only by now stays writable afterwards: it may hold other data that
 * was so. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/call.h"

#if defined(__x86_64__)
enum { IMPORT_CALL = R_X86_64_JUMP_SLOT, IMPORT_ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { IMPORT_CALL = R_AARCH64_JUMP_SLOT, IMPORT_ADDRESS = R_AARCH64_GLOB_DAT };
#elif defined(__powerpc64__)
enum { IMPORT_CALL = R_PPC64_JMP_SLOT, IMPORT_ADDRESS = R_PPC64_GLOB_DAT };
#elif defined(__riscv)
enum { IMPORT_CALL = R_RISCV_JUMP_SLOT, IMPORT_ADDRESS = R_RISCV_64 };
#else
enum { IMPORT_CALL = -1, IMPORT_ADDRESS = -1 };
#endif

/* What the dynamic linker needs of a library; pointers into its memory. */
struct import_table {
  uint64_t bias;
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Rela) * calls, *addresses;
  size_t call_bytes, address_bytes;
};

/* Addresses in the dynamic section are absolute with glibc, and relative with others. */
static uint64_t absolute(uint64_t bias, uint64_t address) {
  return address < bias ? bias + address : address;
}

static void read_dynamic(const ElfW(Dyn) * entry, struct import_table *imports) {
  for (; entry->d_tag != DT_NULL; entry++) {
    const void *address = (const void *)(uintptr_t)absolute(imports->bias, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB)
      imports->symbols = address;
    else if (entry->d_tag == DT_STRTAB)
      imports->names = address;
    else if (entry->d_tag == DT_JMPREL)
      imports->calls = address;
    else if (entry->d_tag == DT_RELA)
      imports->addresses = address;
    else if (entry->d_tag == DT_PLTRELSZ)
      imports->call_bytes = entry->d_un.d_val;
    else if (entry->d_tag == DT_RELASZ)
      imports->address_bytes = entry->d_un.d_val;
  }
}

static void set_slot(uint64_t slot, const void *function) {
  uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE), page = slot / page_bytes * page_bytes;
  if (mprotect((void *)(uintptr_t)page, page_bytes, PROT_READ | PROT_WRITE) == 0)
    __atomic_store_n((const void **)(uintptr_t)slot, function, __ATOMIC_RELAXED);
}

static void point_imports(const struct import_table *imports, const ElfW(Rela) * relocations, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *relocations; i++) {
    unsigned type = (unsigned)ELF64_R_TYPE(relocations[i].r_info);
    if (type != (unsigned)IMPORT_CALL && type != (unsigned)IMPORT_ADDRESS)
      continue;
    const char *name = imports->names + imports->symbols[ELF64_R_SYM(relocations[i].r_info)].st_name;
    const void *wrapper = strncmp(name, "PMPI_", 5) == 0 ? mpi_wrapper(name + 1) : NULL;
    if (wrapper)
      set_slot(imports->bias + relocations[i].r_offset, wrapper);
  }
}

static bool is_of_fortran(const char *path) {
  static const char *const names[] = {"libmpi_mpifh", "libmpi_usempi", "libmpichfort",
                                      "libmpichf90",  "libmpifort",    "libfmpich"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

static bool note_range(const struct dl_phdr_info *info) {
  uint64_t least = UINT64_MAX, most = 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    uint64_t base = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = base + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD)
      continue;
    least = base < least ? base : least;
    most = end > most ? end : most;
  }
  return fortran_add(least, most);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data) {
  struct import_table imports = {.bias = info->dlpi_addr};
  (void)size, (void)data;
  if (!is_of_fortran(info->dlpi_name))
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      read_dynamic((const void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), &imports);
  if (!imports.symbols || !imports.names || !note_range(info))
    return 0;
  point_imports(&imports, imports.calls, imports.calls ? imports.call_bytes : 0);
  point_imports(&imports, imports.addresses, imports.addresses ? imports.address_bytes : 0);
  return 0;
}

void fortran_prepare(void) {
  dl_iterate_phdr(look_at, NULL);
}
