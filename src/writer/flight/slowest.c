#include "writer/flight/slowest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static void remove_files(int directory) {
  DIR *stream = fdopendir(directory);
  if (!stream) {
    close(directory);
    return;
  }
  for (struct dirent *entry; (entry = readdir(stream));)
    unlinkat(directory, entry->d_name, 0); /* not of directories */
  closedir(stream);
}

/* What OTF2 makes, the anchor first: without it there is no archive. What else is there stays. */
static void remove_archive(const char *path) {
  enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW };
  int directory = open(path, FLAGS);
  if (directory < 0)
    return;
  int events = unlinkat(directory, "traces.otf2", 0) == 0 ? openat(directory, "traces", FLAGS) : -1;
  if (events >= 0) {
    remove_files(events);
    unlinkat(directory, "traces.def", 0);
    unlinkat(directory, "traces", AT_REMOVEDIR);
  }
  close(directory);
  rmdir(path);
}

static size_t shortest(const struct slowest *slowest) {
  size_t found = 0;
  for (size_t i = 1; i < slowest->count; i++)
    if (slowest->archives[i].ticks < slowest->archives[found].ticks)
      found = i;
  return found;
}

char *slowest_add(struct slowest *slowest, size_t most, uint64_t ticks, const char *directory) {
  char *superfluous = NULL;
  size_t place = slowest->count;
  if (place < most) {
    slowest->count++;
  } else {
    place = shortest(slowest);
    superfluous = slowest->archives[place].directory;
    remove_archive(superfluous);
  }
  slowest->archives[place] = (struct slowest_archive){ticks, memory_given(strdup(directory))};
  return superfluous;
}

uint64_t slowest_least(const struct slowest *slowest, size_t most) {
  return slowest->count < most ? 0 : slowest->archives[shortest(slowest)].ticks;
}

void slowest_close(struct slowest *slowest) {
  for (size_t i = 0; i < slowest->count; i++)
    free(slowest->archives[i].directory);
  slowest->count = 0;
}
