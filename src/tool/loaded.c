#include "tool/loaded.h"

#include <elf.h>
#include <link.h>
#include <string.h>

enum { SEGMENTS_MAX = 64, NOTE_BYTES_MAX = 1024 };

/* -- the dynamic linker's answer -- */

/* glibc 2.35's, declared here for those that were built where there is none: unwinders need an answer in
 * signal handlers, so it acquires no lock. */
struct linker_answer {
  unsigned long long flags;
  void *map_begin, *map_end;
  const struct link_map *library;
  void *eh_frame;
  unsigned long long reserved[16];
};

extern int find_object(void *address, struct linker_answer *ret) __asm__("_dl_find_object")
    __attribute__((weak));

static bool query_linker(uint64_t address, struct linker_answer *ret) {
  return find_object && find_object((void *)(uintptr_t)address, ret) == 0;
}

/* -- what a file states of itself -- */

/* The build id is in a note (elf(5), NT_GNU_BUILD_ID). */
static void read_notes(const unsigned char *note, size_t bytes, struct loaded *ret) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    memcpy(&header, note, sizeof header);
    uint64_t name = (header.n_namesz + UINT64_C(3)) & ~UINT64_C(3),
             all = sizeof header + name + ((header.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
    if (all > bytes)
      return;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && !memcmp(note + sizeof header, "GNU", 4) &&
        header.n_descsz <= BUILD_ID_BYTES_MAX) {
      memcpy(ret->build_id, note + sizeof header + name, header.n_descsz);
      ret->build_id_bytes = header.n_descsz;
    }
    note += all;
    bytes -= all;
  }
}

static void read_note_segment(const ElfW(Phdr) * segment, struct loaded *ret) {
  unsigned char notes[NOTE_BYTES_MAX] = {0};
  size_t bytes = segment->p_memsz < sizeof notes ? (size_t)segment->p_memsz : sizeof notes;
  read_notes(notes, own_memory_read(ret->bias + segment->p_vaddr, notes, bytes), ret);
}

struct segments {
  ElfW(Phdr) rows[SEGMENTS_MAX];
  unsigned count;
};

static bool read_segments(uint64_t begin, struct segments *ret) {
  ElfW(Ehdr) header = {0};
  ret->count = 0;
  if (own_memory_read(begin, &header, sizeof header) != sizeof header ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof *ret->rows ||
      header.e_phnum > SEGMENTS_MAX)
    return false;
  size_t bytes = header.e_phnum * sizeof *ret->rows;
  if (own_memory_read(begin + header.e_phoff, ret->rows, bytes) != bytes)
    return false;
  ret->count = header.e_phnum;
  return true;
}

/* The file's first byte is mapped with the segment that has it. */
static bool find_extent(const struct segments *segments, uint64_t begin, struct loaded *ret) {
  uint64_t low = UINT64_MAX, high = 0, bias = 0;
  for (unsigned i = 0; i < segments->count; i++) {
    const ElfW(Phdr) *segment = &segments->rows[i];
    if (segment->p_type != PT_LOAD)
      continue;
    if (segment->p_vaddr < low) {
      low = segment->p_vaddr;
      bias = begin - (segment->p_vaddr - segment->p_offset);
    }
    high = segment->p_vaddr + segment->p_memsz > high ? segment->p_vaddr + segment->p_memsz : high;
  }
  ret->base = bias + low;
  ret->size = high > low ? high - low : 0;
  ret->bias = bias;
  return ret->size > 0;
}

bool loaded_read(uint64_t begin, struct loaded *ret) {
  struct segments segments = {.count = 0};
  ret->build_id_bytes = 0;
  ret->dynamic = 0;
  if (!read_segments(begin, &segments) || !find_extent(&segments, begin, ret))
    return false;
  for (unsigned i = 0; i < segments.count; i++) {
    if (segments.rows[i].p_type == PT_NOTE)
      read_note_segment(&segments.rows[i], ret);
    if (segments.rows[i].p_type == PT_DYNAMIC)
      ret->dynamic = ret->bias + segments.rows[i].p_vaddr;
  }
  return true;
}

/* -- by the list of mappings -- */

struct mapped_search {
  uint64_t address;
  struct loaded *loaded;
  bool is_found;
};

static bool try_mapping(const struct own_mapping *mapped, void *data) {
  struct mapped_search *search = data;
  if (search->address >= mapped->end)
    return false;
  if (search->address < mapped->begin || !mapped->file_begin || *mapped->path != '/')
    return true;
  search->is_found = loaded_read(mapped->file_begin, search->loaded);
  strncpy(search->loaded->path, mapped->path, sizeof search->loaded->path - 1);
  search->loaded->path[sizeof search->loaded->path - 1] = '\0';
  return true;
}

bool loaded_find_mapped(uint64_t address, struct loaded *ret) {
  struct mapped_search search = {address, ret, false};
  return own_memory_each(try_mapping, &search) && search.is_found;
}

/* -- either way -- */

/* The library may be closed meanwhile, and all that is known of it with it. */
static void read_path(const struct link_map *library, char *path, size_t bytes) {
  struct link_map copy = {0};
  *path = '\0';
  if (own_memory_read((uintptr_t)library, &copy, sizeof copy) != sizeof copy)
    return;
  size_t got = own_memory_read((uintptr_t)copy.l_name, path, bytes - 1);
  path[got] = '\0';
}

static bool find_by_linker(const struct linker_answer *answer, struct loaded *ret) {
  uint64_t begin = (uintptr_t)answer->map_begin;
  *ret->path = '\0';
  if (!loaded_read(begin, ret)) {
    ret->base = begin;
    ret->size = (uintptr_t)answer->map_end - begin;
    ret->bias = (uintptr_t)answer->library->l_addr;
  }
  read_path(answer->library, ret->path, sizeof ret->path);
  return true;
}

bool loaded_find(uint64_t address, struct loaded *ret) {
  struct linker_answer answer = {0};
  if (query_linker(address, &answer))
    return find_by_linker(&answer, ret);
  return !find_object && loaded_find_mapped(address, ret);
}

bool loaded_queries_linker(void) {
  return find_object != NULL;
}

/* -- whether it is still the same -- */

typedef size_t reader(uint64_t address, void *to, size_t bytes);

static size_t read_used(uint64_t address, void *to, size_t bytes) {
  memcpy(to, (const void *)(uintptr_t)address, bytes);
  return bytes;
}

static uint64_t add_to(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return sum ^ sum >> 32;
}

static uint64_t add_words(uint64_t sum, const void *bytes, size_t count) {
  const unsigned char *from = bytes;
  for (uint64_t word = 0; count > 0; from += sizeof word, count -= sizeof word) {
    memcpy(&word, from, sizeof word);
    sum = add_to(sum, word);
  }
  return sum;
}

/* The sizes of its parts, and its build id, which linkers put into a note after them. */
static uint64_t sum_of_headers(uint64_t begin, reader *read) {
  uint64_t start[96] = {0};
  return add_words(1, start, read(begin, start, sizeof start) / sizeof *start * sizeof *start);
}

static uint64_t identity_by_linker(const struct linker_answer *answer, reader *read) {
  struct link_map library = {0};
  uint64_t sum = add_to((uintptr_t)answer->map_begin, (uintptr_t)answer->map_end);
  if (read((uintptr_t)answer->library, &library, sizeof library) == sizeof library)
    sum = add_to(sum, (uintptr_t)library.l_ld);
  return add_to(sum, sum_of_headers((uintptr_t)answer->map_begin, read)) | 1;
}

struct identity_search {
  uint64_t address, sum;
};

static bool sum_mapping(const struct own_mapping *mapped, void *data) {
  struct identity_search *search = data;
  if (search->address >= mapped->end)
    return false;
  if (search->address >= mapped->begin)
    for (const char *c = mapped->file; *c; c++)
      search->sum = add_to(search->sum ^ mapped->file_begin, (unsigned char)*c) | 1;
  return true;
}

uint64_t loaded_identity(uint64_t address, enum loaded_use use) {
  struct linker_answer answer = {0};
  struct identity_search search = {address, 0};
  if (query_linker(address, &answer))
    return identity_by_linker(&answer, use == LOADED_IN_USE ? read_used : own_memory_read);
  if (!find_object)
    own_memory_each(sum_mapping, &search);
  return search.sum;
}
