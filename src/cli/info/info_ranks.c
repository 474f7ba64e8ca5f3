#include "cli/info/info_ranks.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/common/summary.h"
#include "cli/common/table.h"
#include "trace/found_archive.h"

enum { NAME_BYTES = 24, BYTES_BYTES = 32 };

struct rank {
  unsigned long number;
  char name[NAME_BYTES]; /* "0", or "0-2" of a child or a run before */
};

struct ranks {
  struct rank *all;
  size_t count;
};

static int by_number(const void *one, const void *other) {
  const struct rank *first = one, *second = other;
  if (first->number != second->number)
    return first->number < second->number ? -1 : 1;
  return strcmp(first->name, second->name);
}

static bool is_rank(const char *name, unsigned long *ret) {
  char *end;
  *ret = strtoul(name, &end, 10);
  return *name >= '0' && *name <= '9' && (*end == '\0' || *end == '-') && strlen(name) < NAME_BYTES;
}

static bool has_archive(const char *path, const char *name) {
  struct found_archive found;
  char place[PATH_MAX];
  snprintf(place, sizeof place, "%s/rank/%s", path, name);
  find_archive(&found, place);
  return found.state != FOUND_NO_ARCHIVE && found.state != FOUND_ABSENT;
}

static void list(struct ranks *ranks, const char *path) {
  char folder[PATH_MAX];
  unsigned long number;
  snprintf(folder, sizeof folder, "%s/rank", path);
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (!is_rank(entry->d_name, &number) || !has_archive(path, entry->d_name))
      continue;
    struct rank *rank = array_add(&ranks->all, &ranks->count, sizeof *rank);
    rank->number = number;
    snprintf(rank->name, sizeof rank->name, "%.*s", NAME_BYTES - 1, entry->d_name);
  }
  if (directory)
    closedir(directory);
  if (ranks->count > 1)
    qsort(ranks->all, ranks->count, sizeof *ranks->all, by_number);
}

static const char *state_of(const struct found_archive *found) {
  switch ((int)found->state) {
  case FOUND_CLOSED:
    return "closed";
  case FOUND_OPEN:
    return "being written";
  case FOUND_UNFINISHED:
    return found->is_recoverable ? "not closed: stave merge recovers it" : "not closed";
  default:
    return "broken";
  }
}

static void add_row(struct table *table, const char *path, const struct rank *rank) {
  struct found_archive found;
  char place[PATH_MAX], size[BYTES_BYTES];
  snprintf(place, sizeof place, "%s/rank/%s", path, rank->name);
  find_archive(&found, place);
  const char *const cells[] = {rank->name, state_of(&found), summary_size(size, found.bytes)};
  table_row(table, cells);
}

static void print_missing(const struct ranks *ranks) {
  unsigned long next = 0;
  for (size_t i = 0; i < ranks->count; i++) {
    unsigned long here = ranks->all[i].number;
    if (here == next + 1)
      printf("  rank %lu has left no archive\n", next);
    else if (here > next)
      printf("  ranks %lu to %lu have left no archives\n", next, here - 1);
    next = here + 1;
  }
}

void info_ranks(const char *path) {
  struct ranks ranks = {0};
  struct table table;
  list(&ranks, path);
  if (ranks.count == 0)
    return;
  table_heading("Ranks, not merged");
  table_begin(&table);
  table_column(&table, "rank", TABLE_TEXT);
  table_column(&table, "archive", TABLE_TEXT);
  table_column(&table, "size", TABLE_NUMBER);
  for (size_t i = 0; i < ranks.count; i++)
    add_row(&table, path, &ranks.all[i]);
  table_print(&table);
  print_missing(&ranks);
  free(ranks.all);
}
