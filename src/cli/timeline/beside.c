#include "cli/timeline/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/common/ending.h"
#include "cli/common/folder.h"
#include "cli/common/message.h"
#include "cli/merge/members.h"
#include "cli/merge/unite.h"

/* -- names -- */

char *beside_name(const char *path) {
  char *real = realpath(path, NULL);
  if (!real)
    return memory_text("timeline");
  char *end = strrchr(real, '/');
  size_t length = strlen(end);
  if (strcmp(end, "/traces.otf2") == 0) {
    *end = '\0';
    end = strrchr(real, '/');
  } else if (length > strlen(".otf2") && strcmp(end + length - strlen(".otf2"), ".otf2") == 0) {
    end[length - strlen(".otf2")] = '\0';
  }
  char *name = memory_text(end && end[1] ? end + 1 : "timeline");
  free(real);
  return name;
}

/* The last parts of a path, so many; of one that has less, all. */
static const char *last_parts(const char *path, size_t count) {
  const char *part = path + strlen(path);
  while (count > 0 && part > path)
    count -= *--part == '/';
  return *part == '/' && part[1] ? part + 1 : part;
}

/* How many of their last parts distinguish the paths that differ. */
static size_t parts_apart(char *const *real, size_t count) {
  size_t parts = 1;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      while (strcmp(real[i], real[j]) != 0 &&
             strcmp(last_parts(real[i], parts), last_parts(real[j], parts)) == 0)
        parts++;
  return parts;
}

static bool is_alike(char *const *names, size_t count, size_t one) {
  for (size_t i = 0; i < count; i++)
    if (i != one && strcmp(names[i], names[one]) == 0)
      return true;
  return false;
}

/* Archives in folders that are called alike: by as much of their paths as distinguishes them; one that is
 * there several times, by numbers. */
static void name_by_paths(struct beside *beside, char *const *real) {
  size_t parts = parts_apart(real, beside->count);
  char *names[SIDES_MAX];
  for (size_t i = 0; i < beside->count; i++)
    if (!is_alike(beside->names, beside->count, i))
      names[i] = memory_text(beside->names[i]);
    else
      names[i] = is_alike(real, beside->count, i)
                     ? memory_print("%s (%zu)", last_parts(real[i], parts), i + 1)
                     : memory_text(last_parts(real[i], parts));
  for (size_t i = 0; i < beside->count; i++) {
    free(beside->names[i]);
    beside->names[i] = names[i];
  }
}

static void name_all(struct beside *beside, char *const *paths) {
  char *real[SIDES_MAX];
  for (size_t i = 0; i < beside->count; i++) {
    real[i] = realpath(paths[i], NULL);
    real[i] = real[i] ? real[i] : memory_text(paths[i]);
    beside->names[i] = beside_name(paths[i]);
  }
  name_by_paths(beside, real);
  for (size_t i = 0; i < beside->count; i++)
    free(real[i]);
}

/* -- one archive -- */

struct runs {
  struct members members[SIDES_MAX];
  char **anchors; /* absolute names */
  size_t count;
};

static bool add(struct runs *runs, size_t side, const char *path) {
  struct members *members = &runs->members[side];
  if (!members_add(members, path) || members->anchors.count == 0)
    return false;
  runs->anchors = memory_resize(runs->anchors, runs->count + members->anchors.count, sizeof *runs->anchors);
  for (size_t i = 0; i < members->anchors.count; i++) {
    char *anchor = realpath(members->anchors.items[i], NULL);
    if (!anchor) {
      message_print("%s: %m", members->anchors.items[i]);
      return false;
    }
    runs->anchors[runs->count++] = anchor;
  }
  return true;
}

static bool put_beside(struct beside *beside, const struct runs *runs, const struct align *align,
                       const char *name) {
  struct merge_side sides[SIDES_MAX];
  struct merge_result result;
  for (size_t i = 0; i < beside->count; i++)
    sides[i] = (struct merge_side){.name = beside->names[i],
                                   .count = runs->members[i].anchors.count,
                                   .instant_ns = align->instants_ns[i]};
  snprintf(beside->archive, sizeof beside->archive, "%s/%s", beside->folder, name);
  return unite(&(struct unite_request){.anchors = runs->anchors,
                                       .count = runs->count,
                                       .sides = sides,
                                       .side_count = beside->count,
                                       .out = beside->archive,
                                       .files = MERGE_SYMBOLIC},
               &result);
}

static bool make(struct beside *beside, char *const *paths, struct runs *runs, struct align *align) {
  for (size_t i = 0; i < beside->count; i++)
    if (!add(runs, i, paths[i]))
      return false;
  if (!put_beside(beside, runs, align, "compared"))
    return false;
  return !align->region || (align_find(align, beside->archive) && put_beside(beside, runs, align, "aligned"));
}

static void free_runs(struct runs *runs) {
  for (size_t i = 0; i < runs->count; i++)
    free(runs->anchors[i]);
  free(runs->anchors);
  for (int i = 0; i < SIDES_MAX; i++)
    members_clear(&runs->members[i]);
}

bool beside_make(struct beside *ret, char *const *paths, size_t count, struct align *align) {
  struct runs runs = {0};
  *ret = (struct beside){.count = count};
  name_all(ret, paths);
  int error = folder_make("stave-compare", ret->folder, sizeof ret->folder);
  if (error) {
    ret->folder[0] = '\0';
    message_print("cannot make a folder for what is compared: %s", strerror(-error));
    return false;
  }
  ending_removes(ret->folder);
  bool is_made = make(ret, paths, &runs, align);
  free_runs(&runs);
  return is_made;
}

void beside_free(struct beside *beside) {
  for (size_t i = 0; i < beside->count; i++)
    free(beside->names[i]);
}
