#include "cli/programs/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#elif defined(__riscv)
enum { OWN_MACHINE = EM_RISCV };
#elif defined(__powerpc64__)
enum { OWN_MACHINE = EM_PPC64 };
#else
#error "elf_file.c has no ELF number of this machine"
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_BYTE_ORDER = ELFDATA2LSB };
#else
enum { OWN_BYTE_ORDER = ELFDATA2MSB };
#endif

/* More versions of one library than any has. */
enum { NEEDED_VERSIONS_MAX = 512 };

/* Copies a structure out of the file, which need not be aligned there. False if it lies outside. */
static bool read_at(const struct elf_file *file, uint64_t offset, void *ret, size_t bytes) {
  if (offset > file->size || bytes > file->size - offset)
    return false;
  memcpy(ret, file->data + offset, bytes);
  return true;
}

/* The terminated string at `index` of the string table at `offset`; NULL if it is not wholly inside. */
static const char *string_at(const struct elf_file *file, uint64_t offset, uint64_t bytes, uint64_t index) {
  if (offset > file->size || bytes > file->size - offset || index >= bytes)
    return NULL;
  const char *text = (const char *)file->data + offset + index;
  return memchr(text, '\0', bytes - index) ? text : NULL;
}

static bool program_header(const struct elf_file *file, unsigned index, Elf64_Phdr *ret) {
  return read_at(file, file->header.e_phoff + (uint64_t)index * sizeof *ret, ret, sizeof *ret);
}

static bool section_header(const struct elf_file *file, uint64_t index, Elf64_Shdr *ret) {
  return index < file->header.e_shnum &&
         read_at(file, file->header.e_shoff + index * sizeof *ret, ret, sizeof *ret);
}

/* Where an address of the loaded image lies in the file; the file's size, which is outside, if nowhere. */
static uint64_t offset_of_address(const struct elf_file *file, uint64_t address) {
  for (unsigned i = 0; i < file->header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!program_header(file, i, &segment))
      break;
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  }
  return file->size;
}

static bool dynamic_entry(const struct elf_file *file, uint64_t index, Elf64_Dyn *ret) {
  return index < file->dynamic_count &&
         read_at(file, file->dynamic_offset + index * sizeof *ret, ret, sizeof *ret) && ret->d_tag != DT_NULL;
}

/* The value of the first entry with this tag; 0 if there is none. */
static uint64_t dynamic_value(const struct elf_file *file, int64_t tag) {
  Elf64_Dyn entry;
  for (uint64_t i = 0; dynamic_entry(file, i, &entry); i++)
    if (entry.d_tag == tag)
      return entry.d_un.d_val;
  return 0;
}

static void find_dynamic_table(struct elf_file *file) {
  for (unsigned i = 0; i < file->header.e_phnum; i++) {
    Elf64_Phdr segment;
    if (!program_header(file, i, &segment))
      return;
    if (segment.p_type == PT_DYNAMIC) {
      file->dynamic_offset = segment.p_offset;
      file->dynamic_count = segment.p_filesz / sizeof(Elf64_Dyn);
    }
  }
  file->strings_offset = offset_of_address(file, dynamic_value(file, DT_STRTAB));
  file->strings_bytes = dynamic_value(file, DT_STRSZ);
}

static int check_header(struct elf_file *file) {
  const unsigned char *ident = file->header.e_ident;
  if (!read_at(file, 0, &file->header, sizeof file->header) || memcmp(ident, ELFMAG, SELFMAG) != 0)
    return file->size >= EI_NIDENT && memcmp(file->data, ELFMAG, SELFMAG) == 0 &&
                   file->data[EI_CLASS] != ELFCLASS64
               ? -EPROTONOSUPPORT
               : -ENOEXEC;
  if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != OWN_BYTE_ORDER ||
      file->header.e_machine != OWN_MACHINE)
    return -EPROTONOSUPPORT;
  if (file->header.e_phnum > 0 && file->header.e_phentsize != sizeof(Elf64_Phdr))
    return -ENOEXEC;
  if (file->header.e_shentsize != sizeof(Elf64_Shdr))
    file->header.e_shnum = 0; /* symbols are a bonus: do without */
  return 0;
}

static int map_file(int fd, struct elf_file *ret) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return -errno;
  if (!S_ISREG(info.st_mode) || info.st_size == 0)
    return -ENOEXEC;
  void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    return -errno;
  *ret = (struct elf_file){.data = data, .size = (size_t)info.st_size};
  return 0;
}

int elf_open(const char *path, struct elf_file *ret) {
  *ret = (struct elf_file){0};
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return -errno;
  int error = map_file(fd, ret);
  close(fd);
  if (error == 0)
    error = check_header(ret);
  if (error != 0) {
    elf_close(ret);
    return error;
  }
  find_dynamic_table(ret);
  return 0;
}

void elf_close(struct elf_file *file) {
  if (file->data)
    munmap((void *)file->data, file->size);
  *file = (struct elf_file){0};
}

static const char *dynamic_text(const struct elf_file *file, uint64_t index) {
  return string_at(file, file->strings_offset, file->strings_bytes, index);
}

const char *elf_dynamic_string(const struct elf_file *file, int64_t tag, size_t index) {
  Elf64_Dyn entry;
  for (uint64_t i = 0; dynamic_entry(file, i, &entry); i++)
    if (entry.d_tag == tag && index-- == 0)
      return dynamic_text(file, entry.d_un.d_val);
  return NULL;
}

/* One version needed of a library. */
struct needed_version {
  const char *name;
  unsigned index; /* what symbols of this version carry in the version table */
  bool is_weak;
};

/* Finds the `ordinal`-th version in one library's list. */
static bool nth_of_need(const struct elf_file *file, uint64_t offset, unsigned count, size_t *ordinal,
                        struct needed_version *ret) {
  Elf64_Vernaux entry;
  for (unsigned i = 0; i < count && read_at(file, offset, &entry, sizeof entry);
       i++, offset += entry.vna_next) {
    const char *name = dynamic_text(file, entry.vna_name);
    if (name && (*ordinal)-- == 0) {
      *ret = (struct needed_version){name, entry.vna_other, (entry.vna_flags & VER_FLG_WEAK) != 0};
      return true;
    }
    if (entry.vna_next == 0)
      break;
  }
  return false;
}

/* The `ordinal`-th version the file needs of the library; false after the last. */
static bool needed_version(const struct elf_file *file, const char *library, size_t ordinal,
                           struct needed_version *ret) {
  uint64_t offset = offset_of_address(file, dynamic_value(file, DT_VERNEED));
  uint64_t count = dynamic_value(file, DT_VERNEEDNUM);
  Elf64_Verneed need;
  for (uint64_t i = 0; i < count && read_at(file, offset, &need, sizeof need); i++, offset += need.vn_next) {
    const char *name = dynamic_text(file, need.vn_file);
    if (name && strcmp(name, library) == 0 &&
        nth_of_need(file, offset + need.vn_aux, need.vn_cnt, &ordinal, ret))
      return true;
    if (need.vn_next == 0)
      break;
  }
  return false;
}

void elf_needed_versions(const struct elf_file *file, const char *library,
                         void (*each)(void *context, const char *version), void *context) {
  struct needed_version version;
  for (size_t i = 0; i < NEEDED_VERSIONS_MAX && needed_version(file, library, i, &version); i++)
    if (!version.is_weak)
      each(context, version.name);
}

/* Which version numbers of the file mean the library; false if none does. */
static bool versions_of_library(const struct elf_file *file, const char *library, bool *ret_is_of_library) {
  struct needed_version version;
  bool any = false;
  for (size_t i = 0; i < NEEDED_VERSIONS_MAX && needed_version(file, library, i, &version); i++) {
    if (version.index < NEEDED_VERSIONS_MAX)
      any = ret_is_of_library[version.index] = true;
  }
  return any;
}

static void symbols_of_versions(const struct elf_file *file, const Elf64_Shdr *table,
                                const bool *is_requested, void (*each)(void *context, const char *symbol),
                                void *context) {
  uint64_t versions = offset_of_address(file, dynamic_value(file, DT_VERSYM));
  Elf64_Sym symbol;
  uint16_t version;
  for (uint64_t i = 0; (i + 1) * sizeof symbol <= table->sh_size; i++) {
    if (!read_at(file, table->sh_offset + i * sizeof symbol, &symbol, sizeof symbol) ||
        !read_at(file, versions + i * sizeof version, &version, sizeof version))
      return;
    const char *name = dynamic_text(file, symbol.st_name);
    bool is_needed = symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
    version &= 0x7fff; /* the top bit only hides a definition */
    if (is_needed && name && version < NEEDED_VERSIONS_MAX && is_requested[version])
      each(context, name);
  }
}

void elf_needed_symbols(const struct elf_file *file, const char *library,
                        void (*each)(void *context, const char *symbol), void *context) {
  bool is_of_library[NEEDED_VERSIONS_MAX] = {false};
  Elf64_Shdr section;
  if (!versions_of_library(file, library, is_of_library))
    return;
  for (uint64_t i = 0; section_header(file, i, &section); i++)
    if (section.sh_type == SHT_DYNSYM)
      symbols_of_versions(file, &section, is_of_library, each, context);
}

bool elf_defines_version(const struct elf_file *file, const char *version) {
  uint64_t offset = offset_of_address(file, dynamic_value(file, DT_VERDEF));
  uint64_t count = dynamic_value(file, DT_VERDEFNUM);
  Elf64_Verdef definition;
  for (uint64_t i = 0; i < count && read_at(file, offset, &definition, sizeof definition); i++) {
    Elf64_Verdaux name; /* the first is the version's own, further ones are its parents' */
    const char *text = read_at(file, offset + definition.vd_aux, &name, sizeof name)
                           ? dynamic_text(file, name.vda_name)
                           : NULL;
    if (text && strcmp(text, version) == 0)
      return true;
    if (definition.vd_next == 0)
      return false;
    offset += definition.vd_next;
  }
  return false;
}

/* Whether the text there is this one; `bytes` of it with its end. */
static bool is_text_at(const struct elf_file *file, uint64_t offset, const char *text, size_t bytes) {
  return offset <= file->size && bytes <= file->size - offset &&
         memcmp(file->data + offset, text, bytes) == 0;
}

static bool table_defines(const struct elf_file *file, const Elf64_Shdr *table, const char *symbol) {
  Elf64_Shdr strings;
  size_t bytes = strlen(symbol) + 1;
  if (!section_header(file, table->sh_link, &strings))
    return false;
  Elf64_Sym entry;
  for (uint64_t at = 0; at + sizeof entry <= table->sh_size; at += sizeof entry) {
    if (!read_at(file, table->sh_offset + at, &entry, sizeof entry))
      return false;
    if (entry.st_shndx != SHN_UNDEF && entry.st_name < strings.sh_size &&
        is_text_at(file, strings.sh_offset + entry.st_name, symbol, bytes))
      return true;
  }
  return false;
}

/* -- the linker's hash table (DT_GNU_HASH): large libraries have a hundred thousand names -- */

struct hash_table {
  struct {
    uint32_t buckets, first_symbol, words, shift;
  } head;
  uint64_t bloom, buckets, chains; /* offsets in the file */
};

static uint32_t hash_of(const char *name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; name++)
    hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static bool find_hash_table(const struct elf_file *file, struct hash_table *ret) {
  uint64_t address = dynamic_value(file, DT_GNU_HASH), offset = offset_of_address(file, address);
  if (address == 0 || !read_at(file, offset, &ret->head, sizeof ret->head) || ret->head.buckets == 0 ||
      ret->head.words == 0)
    return false;
  ret->bloom = offset + sizeof ret->head;
  ret->buckets = ret->bloom + ret->head.words * UINT64_C(8);
  ret->chains = ret->buckets + ret->head.buckets * UINT64_C(4);
  return true;
}

/* False: no symbol of the table has this hash. */
static bool may_have(const struct elf_file *file, const struct hash_table *table, uint32_t hash) {
  uint64_t word, bits = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> table->head.shift % 32) % 64;
  return read_at(file, table->bloom + hash / 64 % table->head.words * UINT64_C(8), &word, sizeof word) &&
         (word & bits) == bits;
}

static bool is_symbol(const struct elf_file *file, uint32_t index, const char *name) {
  Elf64_Sym entry;
  uint64_t symbols = offset_of_address(file, dynamic_value(file, DT_SYMTAB)),
           texts = offset_of_address(file, dynamic_value(file, DT_STRTAB));
  return read_at(file, symbols + index * (uint64_t)sizeof entry, &entry, sizeof entry) &&
         entry.st_shndx != SHN_UNDEF && is_text_at(file, texts + entry.st_name, name, strlen(name) + 1);
}

static bool hash_table_defines(const struct elf_file *file, const struct hash_table *table,
                               const char *name) {
  uint32_t hash = hash_of(name), index, other;
  uint64_t bucket = table->buckets + hash % table->head.buckets * UINT64_C(4);
  if (!may_have(file, table, hash) || !read_at(file, bucket, &index, sizeof index) ||
      index < table->head.first_symbol)
    return false;
  uint64_t chain = table->chains + (index - table->head.first_symbol) * UINT64_C(4);
  for (; read_at(file, chain, &other, sizeof other); index++, chain += sizeof other) {
    if ((other | 1) == (hash | 1) && is_symbol(file, index, name))
      return true;
    if (other & 1)
      return false;
  }
  return false;
}

bool elf_defines_symbol(const struct elf_file *file, const char *symbol) {
  Elf64_Shdr section;
  struct hash_table table;
  bool is_hashed = find_hash_table(file, &table);
  if (is_hashed && hash_table_defines(file, &table, symbol))
    return true;
  for (uint64_t i = 0; section_header(file, i, &section); i++)
    if ((section.sh_type == SHT_SYMTAB || (section.sh_type == SHT_DYNSYM && !is_hashed)) &&
        table_defines(file, &section, symbol))
      return true;
  return false;
}
