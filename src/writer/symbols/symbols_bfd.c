#include "writer/symbols/symbols_bfd.h"

/* bfd.h refuses to be included without the two names that autoconf would define. */
#define PACKAGE "stave"
#define PACKAGE_VERSION STAVE_VERSION
#include <bfd.h>

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "writer/symbols/symbols_rows.h"
#include "writer/symbols/symbols_stubs.h"

/* From demangle.h, which Debian puts into another package: parameters, and const and the like. */
enum { DEMANGLE_PARAMS = 1 << 0, DEMANGLE_ANSI = 1 << 1 };

enum { STUB_BYTES = 16 }; /* of the procedure linkage table, on all processors that Stave knows */

/* Where distributions put separate debug files. */
static const char debug_directory[] = "/usr/lib/debug";

struct symbol_table {
  struct object_symbol *symbols; /* by address, one for each */
  size_t count;
};

struct object {
  bfd *image;          /* the file itself; NULL: only the debug file is there */
  bfd *debug;          /* the separate debug file or NULL */
  bfd *lines;          /* the one of the two that has the debug info; NULL: none */
  asection **sections; /* of `lines`, those in memory, by address */
  size_t n_sections;
  /* What libbfd is given when it looks for lines: with the true symbols it would, finding no debug info,
   * search them all, one by one; with a NULL pointer, 2.40 cannot read compressed debug info. */
  asymbol *no_symbols[1];
  struct symbol_table functions, variables;
  struct line_rows *rows; /* of `lines`; NULL until libbfd has none */
  bfd_byte *row_sections[3];
  /* Of the procedure linkage table: libbfd's symbols and their names in one piece of memory, or the names
   * that those read here have. NULL: none. */
  asymbol *stubs;
  char *stub_names;
  Elf64_Rela *relocations; /* those of pointers; of 32-bit files none */
  size_t n_relocations;
  bool has_relocations; /* they were looked for */
};

/* libbfd would write to stderr, which is not ours. */
static void silent(const char *format, va_list arguments) {
  (void)format;
  (void)arguments;
}

static bool is_regular_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bfd *open_elf(const char *path) {
  bfd *abfd = is_regular_file(path) ? bfd_openr(path, NULL) : NULL;
  if (!abfd)
    return NULL;
  abfd->flags |= BFD_DECOMPRESS;
  if (bfd_check_format(abfd, bfd_object) && bfd_get_flavour(abfd) == bfd_target_elf_flavour)
    return abfd;
  bfd_close(abfd);
  return NULL;
}

static bool has_debug_info(bfd *abfd) {
  asection *info = abfd ? bfd_get_section_by_name(abfd, ".debug_info") : NULL;
  return info && (bfd_section_flags(info) & SEC_HAS_CONTENTS);
}

static bool has_symtab(bfd *abfd) {
  return abfd && (bfd_get_file_flags(abfd) & HAS_SYMS) &&
         bfd_get_symtab_upper_bound(abfd) > (long)sizeof(asymbol *);
}

/* A file without a build id passes: nothing states that it is another one. */
static bool build_id_matches(const bfd *abfd, const uint8_t *build_id, unsigned size) {
  const struct bfd_build_id *own = abfd->build_id;
  return !size || !own || (own->size == size && !memcmp(own->data, build_id, size));
}

static bfd *open_checked(const char *path, const uint8_t *build_id, unsigned size) {
  bfd *abfd = open_elf(path);
  if (!abfd || build_id_matches(abfd, build_id, size))
    return abfd;
  bfd_close(abfd);
  return NULL;
}

/* The debug file of a build id: DIRECTORY/.build-id/01/23456789.debug. */
static bfd *open_by_build_id(const uint8_t *build_id, unsigned size) {
  char path[sizeof(debug_directory) + 2 * 256 + 32];
  if (size < 2 || size > 256)
    return NULL;
  int length = snprintf(path, sizeof(path), "%s/.build-id/%02x/", debug_directory, build_id[0]);
  for (unsigned i = 1; i < size; i++)
    length += snprintf(path + length, sizeof(path) - length, "%02x", build_id[i]);
  snprintf(path + length, sizeof(path) - length, ".debug");
  return open_checked(path, build_id, size);
}

/* By build id, else by name and checksum. */
static bfd *open_linked(bfd *image) {
  char *path = bfd_follow_build_id_debuglink(image, debug_directory);
  if (!path)
    path = bfd_follow_gnu_debuglink(image, debug_directory);
  bfd *debug = path ? open_elf(path) : NULL;
  free(path);
  return debug;
}

static int section_order(const void *a, const void *b) {
  bfd_vma left = bfd_section_vma(*(asection *const *)a), right = bfd_section_vma(*(asection *const *)b);
  return (left > right) - (left < right);
}

/* Thread-local storage has addresses of its own, which must not be regarded as code. */
static bool is_code_section(const asection *section) {
  flagword flags = bfd_section_flags(section);
  return (flags & SEC_ALLOC) && !(flags & SEC_THREAD_LOCAL) && bfd_section_size(section);
}

static void read_sections(struct object *object) {
  object->sections = calloc(bfd_count_sections(object->lines) + 1, sizeof(*object->sections));
  if (!object->sections)
    return;
  for (asection *section = object->lines->sections; section; section = section->next)
    if (is_code_section(section))
      object->sections[object->n_sections++] = section;
  qsort(object->sections, object->n_sections, sizeof(*object->sections), section_order);
}

/* The raw dynamic symbols: libbfd keeps the size of a symbol to itself. Entry i + 1 belongs to libbfd's
 * symbol i. Returns NULL if there is no such table of `count` symbols; the caller frees the result. */
static Elf64_Sym *raw_dynamic_symbols(bfd *abfd, size_t count) {
  asection *section = bfd_get_section_by_name(abfd, ".dynsym");
  bfd_byte *raw = NULL;
  if (!section || bfd_get_arch_size(abfd) != 64 ||
      bfd_section_size(section) != (count + 1) * sizeof(Elf64_Sym))
    return NULL;
  if (bfd_malloc_and_get_section(abfd, section, &raw))
    return (Elf64_Sym *)raw;
  free(raw);
  return NULL;
}

static bool is_defined(const asymbol *symbol) {
  asection *section = bfd_asymbol_section(symbol);
  return !bfd_is_und_section(section) && !bfd_is_com_section(section) && !bfd_is_abs_section(section);
}

static bool is_function(const asymbol *symbol) {
  return (symbol->flags & (BSF_FUNCTION | BSF_GNU_INDIRECT_FUNCTION)) && is_defined(symbol);
}

static bool is_variable(const asymbol *symbol) {
  return (symbol->flags & BSF_OBJECT) && !(symbol->flags & BSF_THREAD_LOCAL) && is_defined(symbol);
}

static void keep(struct symbol_table *kept, asymbol **table, size_t count, const Elf64_Sym *raw,
                 bool (*is_kept)(const asymbol *symbol)) {
  size_t selected = 0;
  for (size_t i = 0; i < count; i++)
    selected += is_kept(table[i]);
  kept->symbols = calloc(selected + 1, sizeof(*kept->symbols));
  if (!kept->symbols)
    return;
  for (size_t i = 0; i < count; i++)
    if (is_kept(table[i]))
      kept->symbols[kept->count++] = (struct object_symbol){
          bfd_asymbol_value(table[i]), raw ? raw[i + 1].st_size : 0, bfd_asymbol_name(table[i])};
}

static void keep_symbols(struct object *object, asymbol **table, size_t count, const Elf64_Sym *raw) {
  keep(&object->functions, table, count, raw, is_function);
  keep(&object->variables, table, count, raw, is_variable);
}

/* Of several names of one function the shortest is the one least decorated, as in memcpy and __memcpy. */
static int symbol_order(const void *a, const void *b) {
  const struct object_symbol *left = a, *right = b;
  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  size_t left_length = strlen(left->name), right_length = strlen(right->name);
  if (left_length != right_length)
    return left_length < right_length ? -1 : 1;
  return strcmp(left->name, right->name);
}

static void order_symbols(struct symbol_table *table) {
  size_t kept = 0;
  if (!table->count)
    return;
  qsort(table->symbols, table->count, sizeof(*table->symbols), symbol_order);
  for (size_t i = 1; i < table->count; i++)
    if (table->symbols[i].address != table->symbols[kept].address)
      table->symbols[++kept] = table->symbols[i];
  table->count = kept + 1;
}

static void read_symtab(struct object *object, bfd *abfd) {
  asymbol **table = malloc(bfd_get_symtab_upper_bound(abfd));
  long count = table ? bfd_canonicalize_symtab(abfd, table) : 0;
  if (count > 0)
    keep_symbols(object, table, (size_t)count, NULL);
  free(table);
}

/* Only what is exported has a name here: without sizes, every static function would get its neighbour's. */
static void read_dynamic_symbols(struct object *object, bfd *abfd) {
  long bytes = bfd_get_dynamic_symtab_upper_bound(abfd);
  asymbol **table = bytes > 0 ? malloc(bytes) : NULL;
  long count = table ? bfd_canonicalize_dynamic_symtab(abfd, table) : 0;
  Elf64_Sym *raw = count > 0 ? raw_dynamic_symbols(abfd, count) : NULL;
  if (raw)
    keep_symbols(object, table, (size_t)count, raw);
  free(raw);
  free(table);
}

/* A stub of the procedure linkage table is named as the function that it calls: else it would belong to
 * whatever symbol comes before, which is _init. libbfd has NAME@plt. */
static void add_stubs(struct symbol_table *table, asymbol *stubs, size_t count) {
  size_t capacity = table->count;
  if (!array_try_reserve(&table->symbols, &capacity, table->count + count, sizeof *table->symbols))
    return;
  for (size_t i = 0; i < count; i++) {
    char *version = strchr((char *)stubs[i].name, '@');
    if (version)
      *version = '\0';
    table->symbols[table->count++] =
        (struct object_symbol){bfd_asymbol_value(&stubs[i]), STUB_BYTES, stubs[i].name};
  }
}

static void read_stubs_by_bfd(struct object *object) {
  long bytes = bfd_get_dynamic_symtab_upper_bound(object->image);
  asymbol **table = bytes > 0 ? malloc(bytes) : NULL;
  long count = table ? bfd_canonicalize_dynamic_symtab(object->image, table) : 0;
  long found = count > 0 ? bfd_get_synthetic_symtab(object->image, 0, NULL, count, table, &object->stubs) : 0;
  if (found > 0)
    add_stubs(&object->functions, object->stubs, (size_t)found);
  free(table);
}

/* All of a section, *ret_count items of `item_bytes`. NULL: there is nothing. The caller frees it. */
static void *section_items(bfd *abfd, const char *name, size_t item_bytes, size_t *ret_count) {
  asection *section = bfd_get_section_by_name(abfd, name);
  bfd_byte *contents = NULL;
  *ret_count = 0;
  if (!section || !(bfd_section_flags(section) & SEC_HAS_CONTENTS) ||
      !bfd_malloc_and_get_section(abfd, section, &contents)) {
    free(contents);
    return NULL;
  }
  *ret_count = bfd_section_size(section) / item_bytes;
  return contents;
}

static void add_slots(bfd *image, struct stub_file *file, const char *section) {
  size_t count;
  Elf64_Rela *relocations = section_items(image, section, sizeof *relocations, &count);
  if (relocations)
    stub_file_add(file, relocations, count);
  free(relocations);
}

static void add_stubs_of(struct object *object, const struct stub_file *file, const char *section) {
  struct symbol_table *table = &object->functions;
  size_t capacity = table->count, at = 0;
  struct stub_code code = {0};
  unsigned char *bytes = section_items(object->image, section, 1, &code.count);
  if (bytes)
    code.address = bfd_section_vma(bfd_get_section_by_name(object->image, section));
  code.bytes = bytes;
  while (at < code.count &&
         array_try_reserve(&table->symbols, &capacity, table->count + 1, sizeof *table->symbols)) {
    struct object_symbol stub = {.size = STUB_BYTES};
    stub.name = stub_next(file, &code, &at, &stub.address);
    if (stub.name)
      table->symbols[table->count++] = stub;
  }
  free(bytes);
}

static void read_stubs_of_x86(struct object *object) {
  static const char *const sections[] = {".plt", ".plt.got", ".plt.sec", ".plt.bnd"};
  struct stub_file file = {0};
  Elf64_Sym *symbols = section_items(object->image, ".dynsym", sizeof *symbols, &file.n_symbols);
  object->stub_names = section_items(object->image, ".dynstr", 1, &file.string_bytes);
  file.symbols = symbols;
  file.strings = object->stub_names;
  if (file.string_bytes > 0 && file.strings[file.string_bytes - 1] == '\0') {
    add_slots(object->image, &file, ".rela.plt");
    add_slots(object->image, &file, ".rela.dyn");
    stub_file_sort(&file);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
      add_stubs_of(object, &file, sections[i]);
  }
  stub_file_clear(&file);
  free(symbols);
}

static void read_stubs(struct object *object) {
  if (bfd_get_arch(object->image) == bfd_arch_i386 && bfd_get_arch_size(object->image) == 64)
    read_stubs_of_x86(object);
  else
    read_stubs_by_bfd(object);
}

static void read_tables(struct object *object) {
  object->lines = has_debug_info(object->image)   ? object->image
                  : has_debug_info(object->debug) ? object->debug
                                                  : NULL;
  if (object->lines)
    read_sections(object);
  if (has_symtab(object->image))
    read_symtab(object, object->image);
  else if (has_symtab(object->debug))
    read_symtab(object, object->debug);
  else if (object->image)
    read_dynamic_symbols(object, object->image);
  if (object->image)
    read_stubs(object);
  order_symbols(&object->functions);
  order_symbols(&object->variables);
}

struct object *object_open(const char *path, const uint8_t *build_id, unsigned build_id_size) {
  bfd_init();
  bfd_set_error_handler(silent);
  struct object *object = calloc(1, sizeof(*object));
  if (!object)
    return NULL;
  object->image = open_checked(path, build_id, build_id_size);
  if (!object->image)
    object->debug = open_by_build_id(build_id, build_id_size);
  else if (!has_debug_info(object->image) || !has_symtab(object->image))
    object->debug = open_linked(object->image);
  if (!object->image && !object->debug) {
    free(object);
    return NULL;
  }
  read_tables(object);
  return object;
}

void objects_close_descriptors(void) {
  bfd_cache_close_all();
}

void object_close(struct object *object) {
  if (!object)
    return;
  rows_close(object->rows);
  for (unsigned i = 0; i < 3; i++)
    free(object->row_sections[i]);
  free(object->sections);
  free(object->functions.symbols);
  free(object->stubs);
  free(object->stub_names);
  free(object->variables.symbols);
  free(object->relocations);
  if (object->debug)
    bfd_close(object->debug);
  if (object->image)
    bfd_close(object->image);
  free(object);
}

const struct object_symbol *object_symbols(const struct object *object, size_t *ret_count) {
  *ret_count = object->functions.count;
  return object->functions.symbols;
}

static const struct object_symbol *covering(const struct symbol_table *table, uint64_t address) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->symbols[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return NULL;
  const struct object_symbol *symbol = &table->symbols[low - 1];
  return !symbol->size || address - symbol->address < symbol->size ? symbol : NULL;
}

const struct object_symbol *object_symbol_at(const struct object *object, uint64_t address) {
  return covering(&object->functions, address);
}

const struct object_symbol *object_variable_at(const struct object *object, uint64_t address) {
  return covering(&object->variables, address);
}

static asection *section_at(const struct object *object, uint64_t address) {
  size_t low = 0, high = object->n_sections;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (bfd_section_vma(object->sections[middle]) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  asection *section = low ? object->sections[low - 1] : NULL;
  return section && address - bfd_section_vma(section) < bfd_section_size(section) ? section : NULL;
}

/* A section's contents without compression. */
static struct rows_section row_section(struct object *object, const char *name, bfd_byte **ret_own) {
  asection *section = bfd_get_section_by_name(object->lines, name);
  bool is_there = section && bfd_section_flags(section) & SEC_HAS_CONTENTS &&
                  bfd_get_full_section_contents(object->lines, section, ret_own);
  return is_there ? (struct rows_section){*ret_own, bfd_section_size(section)}
                  : (struct rows_section){NULL, 0};
}

static bool has_rows(struct object *object) {
  bfd_byte **own = object->row_sections;
  if (!object->rows)
    object->rows = rows_open(row_section(object, ".debug_line", &own[0]),
                             row_section(object, ".debug_line_str", &own[1]),
                             row_section(object, ".debug_str", &own[2]));
  return object->rows;
}

/* What gcc's link-time optimisation calls the file that it compiles. */
static bool is_artificial(const char *file) {
  const char *slash = strrchr(file, '/');
  return strcmp(slash ? slash + 1 : file, "<artificial>") == 0;
}

bool object_line_at(struct object *object, uint64_t address, struct object_line *ret) {
  asection *section = section_at(object, address);
  *ret = (struct object_line){NULL, NULL, 0};
  if (!section)
    return false;
  bool is_found =
      bfd_find_nearest_line(object->lines, section, object->no_symbols, address - bfd_section_vma(section),
                            &ret->file, &ret->function, &ret->line);
  if (!is_found) /* libbfd may have written something all the same */
    *ret = (struct object_line){NULL, NULL, 0};
  if (ret->file && !is_artificial(ret->file))
    return true;
  return (has_rows(object) && rows_find(object->rows, address, &ret->file, &ret->line)) || is_found;
}

bool object_inlined_into(struct object *object, struct object_line *ret) {
  *ret = (struct object_line){NULL, NULL, 0};
  return object->lines && bfd_find_inliner_info(object->lines, &ret->file, &ret->function, &ret->line);
}

size_t object_read(struct object *object, uint64_t address, void *bytes, size_t size) {
  for (asection *section = object->image ? object->image->sections : NULL; section; section = section->next) {
    uint64_t offset = address - bfd_section_vma(section), length = bfd_section_size(section);
    if (!is_code_section(section) || !(bfd_section_flags(section) & SEC_HAS_CONTENTS) || offset >= length)
      continue;
    size_t found = length - offset < size ? length - offset : size;
    return bfd_get_section_contents(object->image, section, bytes, (file_ptr)offset, found) ? found : 0;
  }
  return 0;
}

static void read_relocations(struct object *object) {
  asection *section = bfd_get_section_by_name(object->image, ".rela.dyn");
  bfd_byte *raw = NULL;
  object->has_relocations = true;
  if (!section || bfd_get_arch_size(object->image) != 64 ||
      !bfd_malloc_and_get_section(object->image, section, &raw))
    return;
  object->relocations = (Elf64_Rela *)raw;
  object->n_relocations = bfd_section_size(section) / sizeof(Elf64_Rela);
}

/* In a position-independent file such a pointer is an entry of the table of relocations. */
static bool relocated_pointer(struct object *object, uint64_t address, uint64_t *ret) {
  if (!object->has_relocations)
    read_relocations(object);
  for (size_t i = 0; i < object->n_relocations; i++) {
    const Elf64_Rela *entry = &object->relocations[i];
    if (entry->r_offset != address || ELF64_R_SYM(entry->r_info) != 0)
      continue;
    *ret = (uint64_t)entry->r_addend;
    return true;
  }
  return false;
}

bool object_pointer_at(struct object *object, uint64_t address, uint64_t *ret) {
  if (object_read(object, address, ret, sizeof *ret) != sizeof *ret)
    return false;
  return relocated_pointer(object, address, ret) || *ret != 0;
}

char *symbol_demangle(const char *name) {
  return bfd_demangle(NULL, name, DEMANGLE_PARAMS | DEMANGLE_ANSI);
}

char *object_demangle(struct object *object, const char *name) {
  return bfd_demangle(object->image ? object->image : object->debug, name, DEMANGLE_PARAMS | DEMANGLE_ANSI);
}
