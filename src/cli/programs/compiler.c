#include "cli/programs/compiler.h"

#include "cli/programs/elf_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool section_at(const struct elf_file *file, uint64_t index, Elf64_Shdr *ret) {
  uint64_t offset = file->header.e_shoff + index * sizeof *ret;
  if (index >= file->header.e_shnum || offset > file->size || sizeof *ret > file->size - offset)
    return false;
  memcpy(ret, file->data + offset, sizeof *ret);
  return true;
}

/* The section's bytes; NULL if they are not wholly in the file. */
static const char *contents(const struct elf_file *file, const Elf64_Shdr *section) {
  if (section->sh_type == SHT_NOBITS || section->sh_offset > file->size ||
      section->sh_size > file->size - section->sh_offset)
    return NULL;
  return (const char *)file->data + section->sh_offset;
}

static bool find_section(const struct elf_file *file, const char *name, Elf64_Shdr *ret) {
  Elf64_Shdr strings;
  const char *names = section_at(file, file->header.e_shstrndx, &strings) ? contents(file, &strings) : NULL;
  size_t length = strlen(name) + 1;
  for (uint64_t i = 0; names && section_at(file, i, ret); i++)
    if (ret->sh_name < strings.sh_size && length <= strings.sh_size - ret->sh_name &&
        memcmp(names + ret->sh_name, name, length) == 0)
      return true;
  return false;
}

/* Objects of one compiler repeat its line; the start files' compiler comes on top. */
static void add_names(const char *lines, size_t bytes, char *text, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < bytes;) {
    const char *line = lines + i;
    size_t length = strnlen(line, bytes - i);
    i += length + 1;
    char one[256];
    snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1), line);
    if (*one == '\0' || strstr(text, one) || used + strlen(one) + 3 > size)
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", one);
  }
}

void compiler_find(const char *program, char *text, size_t size) {
  struct elf_file file;
  *text = '\0';
  if (elf_open(program, &file) < 0)
    return;
  Elf64_Shdr section;
  const char *lines = find_section(&file, ".comment", &section) ? contents(&file, &section) : NULL;
  if (lines)
    add_names(lines, section.sh_size, text, size);
  elf_close(&file);
}
