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
    return strdup("timeline");
  char *end = strrchr(real, '/');
  size_t length = strlen(end);
  if (strcmp(end, "/traces.otf2") == 0) {
    *end = '\0';
    end = strrchr(real, '/');
  } else if (length > strlen(".otf2") && strcmp(end + length - strlen(".otf2"), ".otf2") == 0) {
    end[length - strlen(".otf2")] = '\0';
  }
  char *name = strdup(end && end[1] ? end + 1 : "timeline");
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

/* Archives in folders that are called alike: by as much of their paths as tells them apart. */
static bool name_by_paths(char *names[SIDES_MAX], char *const paths[SIDES_MAX]) {
  char *real[SIDES_MAX] = {realpath(paths[0], NULL), realpath(paths[1], NULL)};
  bool are_there = real[0] && real[1], is_same = are_there && strcmp(real[0], real[1]) == 0;
  size_t parts = 1;
  while (are_there && !is_same && strcmp(last_parts(real[0], parts), last_parts(real[1], parts)) == 0)
    parts++;
  for (int i = 0; i < SIDES_MAX; i++) {
    const char *path = are_there ? last_parts(real[i], parts) : paths[i];
    free(names[i]);
    if (asprintf(&names[i], is_same ? "%s (%d)" : "%s", path, i + 1) < 0)
      names[i] = NULL;
  }
  free(real[0]);
  free(real[1]);
  return names[0] && names[1];
}

static bool name_both(struct beside *beside, char *const paths[SIDES_MAX]) {
  char **names = beside->names;
  for (int i = 0; i < SIDES_MAX; i++)
    names[i] = beside_name(paths[i]);
  if (!names[0] || !names[1])
    return false;
  return strcmp(names[0], names[1]) != 0 || name_by_paths(names, paths);
}

/* -- one archive -- */

struct both {
  struct members members[SIDES_MAX];
  char **anchors; /* absolute names */
  size_t count;
};

static bool add(struct both *both, size_t side, const char *path) {
  struct members *members = &both->members[side];
  if (!members_add(members, path) || members->anchors.count == 0)
    return false;
  both->anchors = memory_resize(both->anchors, both->count + members->anchors.count, sizeof *both->anchors);
  for (size_t i = 0; i < members->anchors.count; i++) {
    char *anchor = realpath(members->anchors.items[i], NULL);
    if (!anchor) {
      message_print("%s: %m", members->anchors.items[i]);
      return false;
    }
    both->anchors[both->count++] = anchor;
  }
  return true;
}

static bool put_beside(struct beside *beside, const struct both *both, const struct align *align,
                       const char *name) {
  struct merge_side sides[SIDES_MAX];
  struct merge_result result;
  for (size_t i = 0; i < SIDES_MAX; i++)
    sides[i] = (struct merge_side){.name = beside->names[i],
                                   .count = both->members[i].anchors.count,
                                   .instant_ns = align->instants_ns[i]};
  snprintf(beside->archive, sizeof beside->archive, "%s/%s", beside->folder, name);
  return unite(&(struct unite_request){.anchors = both->anchors,
                                       .count = both->count,
                                       .sides = sides,
                                       .side_count = SIDES_MAX,
                                       .out = beside->archive,
                                       .files = MERGE_SYMBOLIC},
               &result);
}

static bool make(struct beside *beside, const struct both *both, struct align *align) {
  if (!put_beside(beside, both, align, "compared"))
    return false;
  return !align->region || (align_find(align, beside->archive) && put_beside(beside, both, align, "aligned"));
}

bool beside_make(struct beside *ret, char *const paths[SIDES_MAX], struct align *align) {
  struct both both = {0};
  *ret = (struct beside){0};
  int error = folder_make("stave-compare", ret->folder, sizeof ret->folder);
  if (error) {
    ret->folder[0] = '\0';
    message_print("cannot make a folder for what is compared: %s", strerror(-error));
    return false;
  }
  ending_removes(ret->folder);
  bool is_made = false;
  if (!name_both(ret, paths))
    message_print("out of memory");
  else
    is_made = add(&both, 0, paths[0]) && add(&both, 1, paths[1]) && make(ret, &both, align);
  for (size_t i = 0; i < both.count; i++)
    free(both.anchors[i]);
  free(both.anchors);
  for (int i = 0; i < SIDES_MAX; i++)
    members_clear(&both.members[i]);
  return is_made;
}

void beside_free(struct beside *beside) {
  for (int i = 0; i < SIDES_MAX; i++)
    free(beside->names[i]);
}
