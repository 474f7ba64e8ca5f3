#include "cli/programs/libpath.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the list element with $ORIGIN replaced. False if it cannot be used. */
static bool expand(char *ret, size_t size, const char *element, size_t length, const char *origin) {
  static const char *const spellings[] = {"$ORIGIN", "${ORIGIN}"};
  size_t used = 0, i = 0;
  while (i < length && used + 1 < size) {
    size_t skipped = 0;
    for (int s = 0; s < 2; s++)
      if (origin && strncmp(element + i, spellings[s], strlen(spellings[s])) == 0 &&
          i + strlen(spellings[s]) <= length)
        skipped = strlen(spellings[s]);
    if (skipped == 0 && element[i] == '$')
      return false;
    if (skipped == 0) {
      ret[used++] = element[i++];
      continue;
    }
    used += (size_t)snprintf(ret + used, size - used, "%s", origin);
    i += skipped;
  }
  if (used + 1 >= size)
    return false;
  ret[used] = '\0';
  return true;
}

bool libpath_in_list(const char *list, const char *origin, const char *name,
                     bool (*each)(void *context, const char *path), void *context) {
  if (!list || *list == '\0')
    return false;
  for (;; list++) {
    size_t length = strcspn(list, ":;");
    char directory[PATH_MAX], path[2 * PATH_MAX];
    if (expand(directory, sizeof directory, list, length, origin)) {
      snprintf(path, sizeof path, "%s/%s", length == 0 ? "." : directory, name);
      if (each(context, path))
        return true;
    }
    list += length;
    if (*list == '\0')
      return false;
  }
}

/* ld.so.cache as written by glibc's ldconfig since 2.2; offsets count from the header. */
struct cache_header {
  char magic[20];
  uint32_t count, strings_bytes, unused[5];
};
struct cache_entry {
  int32_t flags;
  uint32_t name, path, os_version;
  uint64_t hwcap;
};
static const char cache_magic[] = "glibc-ld.so.cache1.1";

/* Where the texts end, which lie after the entries, the last with its end; 0: nowhere. */
static size_t end_of_texts(const struct libpath_cache *cache, const struct cache_header *header) {
  size_t end = sizeof *header + (size_t)header->count * sizeof(struct cache_entry) + header->strings_bytes;
  return end <= cache->size && cache->data[end - 1] == '\0' ? end : 0;
}

static bool search_cache(const struct libpath_cache *cache, const char *name,
                         bool (*each)(void *context, const char *path), void *context) {
  struct cache_header header;
  if (cache->size < sizeof header || memcmp(cache->data, cache_magic, sizeof header.magic) != 0)
    return false;
  memcpy(&header, cache->data, sizeof header);
  size_t end = end_of_texts(cache, &header);
  for (uint32_t i = 0; end > 0 && i < header.count; i++) {
    struct cache_entry entry;
    memcpy(&entry, cache->data + sizeof header + (size_t)i * sizeof entry, sizeof entry);
    if (entry.name < end && entry.path < end && strcmp(cache->data + entry.name, name) == 0 &&
        each(context, cache->data + entry.path))
      return true;
  }
  return false;
}

struct libpath_cache libpath_cache_open(void) {
  struct libpath_cache cache = {NULL, 0};
  struct stat info;
  int fd = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return cache;
  if (fstat(fd, &info) == 0 && info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED)
      cache = (struct libpath_cache){data, (size_t)info.st_size};
  }
  close(fd);
  return cache;
}

void libpath_cache_close(struct libpath_cache *cache) {
  if (cache->data)
    munmap((void *)cache->data, cache->size);
  cache->data = NULL;
}

bool libpath_in_cached_system(const struct libpath_cache *cache, const char *name,
                              bool (*each)(void *context, const char *path), void *context) {
  bool found = search_cache(cache, name, each, context);
#ifdef __x86_64__
  found =
      found || libpath_in_list("/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu", NULL, name, each, context);
#elif defined(__aarch64__)
  found = found ||
          libpath_in_list("/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu", NULL, name, each, context);
#endif
  return found || libpath_in_list("/lib64:/usr/lib64:/lib:/usr/lib", NULL, name, each, context);
}

bool libpath_in_system(const char *name, bool (*each)(void *context, const char *path), void *context) {
  struct libpath_cache cache = libpath_cache_open();
  bool found = libpath_in_cached_system(&cache, name, each, context);
  libpath_cache_close(&cache);
  return found;
}
