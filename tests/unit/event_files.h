/* A folder with an archive's event files, events for them, and what is in them. */
#ifndef STAVE_TESTS_EVENT_FILES_H
#define STAVE_TESTS_EVENT_FILES_H

#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "writer/archive/archive.h"
#include "writer/archive/chunk.h"
#include "writer/recovery/recovery.h"

enum { EVENTS_OF_A_CHUNK = RECOVERY_CHUNK_BYTES / 12 }; /* an Enter with its time has 12 bytes */

static char folder[] = "/tmp/stave-test-event-files-XXXXXX";

static char *path_of(const char *directory, const char *name) {
  static char path[2][256];
  static unsigned next;
  char *text = path[next++ % 2];
  snprintf(text, sizeof *path, "%s/%s%s%s", folder, directory, *name ? "/" : "", name);
  return text;
}

static int make_folders(void **state) {
  (void)state;
  strcpy(folder + sizeof folder - 7, "XXXXXX");
  return mkdtemp(folder) && mkdir(path_of("ours", ""), 0777) == 0 && mkdir(path_of("otf2", ""), 0777) == 0
             ? 0
             : -1;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  return remove(path);
}

/* Without processes, for which a busy machine has to find time. */
static int teardown(void **state) {
  (void)state;
  setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
  return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Regions of one byte, and from time to time a longer record with an attribute. */
static void write_events(struct event_writer *writer, uint64_t from, uint64_t to) {
  struct event_attributes list = {.items = {{.type = OTF2_TYPE_UINT64}}};
  for (uint64_t i = from; i < to; i++) {
    list.count = i % 100 == 99;
    list.items[0].value = i;
    event_writer_Enter(writer, &list, 1000 + i, i % 100);
  }
}

static unsigned char *contents(const char *path, size_t *ret_count) {
  struct stat status;
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &status), 0);
  unsigned char *bytes = malloc((size_t)status.st_size + 1);
  *ret_count = fread(bytes, 1, (size_t)status.st_size, file);
  fclose(file);
  return bytes;
}

/* Goes through the file's chunks as a reader does. */
static uint64_t events_in_file(uint64_t *ret_gap) {
  size_t count, used;
  struct chunk_position position = {0};
  enum chunk_end end = CHUNK_FULL;
  unsigned char *bytes = contents(path_of("ours", "traces/0.evt"), &count);
  *ret_gap = 0;
  for (size_t at = 0; at < count; at += RECOVERY_CHUNK_BYTES) {
    size_t left = count - at < RECOVERY_CHUNK_BYTES ? count - at : RECOVERY_CHUNK_BYTES;
    assert_int_equal(end, CHUNK_FULL);
    *ret_gap += chunk_events_before(bytes + at) - position.events;
    position.events = chunk_events_before(bytes + at);
    end = chunk_walk(bytes + at, left, UINT64_MAX, &position, &used);
    assert_true(used > 0);
    if (end == CHUNK_LAST)
      assert_int_equal(bytes[at + used], 0x02);
  }
  assert_int_equal(end, CHUNK_LAST);
  free(bytes);
  return position.events - *ret_gap;
}

#endif
