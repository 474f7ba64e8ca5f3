/* Constructs of one kind, file and function are a group. Where each run has as many of them they are paired
 * in the order of their lines, if all lines are as they were, or all have moved by as much; a single one may
 * have moved anyhow. Else they are paired by their lines, but only if the runs with fewer of them lack some
 * and have no other ones: a wrong pair is worse than none. */
#include "cli/report/compare_pairs.h"

#include "base/array.h"
#include "base/memory.h"
#include "cli/report/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pairs_construct {
  struct paired what;
  char *group, *name;
  uint64_t line;
};

static const char *text_of(const json_t *region, const char *member) {
  const char *text = json_string_value(json_object_get(region, member));
  return text ? text : "";
}

void pairs_add(struct pairs *pairs, const json_t *region, const struct paired *what) {
  const char *name = text_of(region, "name"), *place = strstr(name, " @");
  struct pairs_construct *one = array_add(&pairs->all, &pairs->count, sizeof *one);
  *one = (struct pairs_construct){.what = *what};
  one->line = (uint64_t)json_integer_value(json_object_get(region, "line"));
  one->name = memory_text(name);
  one->group = memory_print("%d\n%.*s\n%s\n%s", what->kind, place ? (int)(place - name) : (int)strlen(name),
                            name, text_of(region, "file"), text_of(region, "function"));
}

static int by_group_run_line(const void *left, const void *right) {
  const struct pairs_construct *a = left, *b = right;
  int groups = strcmp(a->group, b->group);
  if (groups != 0)
    return groups;
  if (a->what.run != b->what.run)
    return a->what.run < b->what.run ? -1 : 1;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return strcmp(a->name, b->name);
}

/* The constructs of one group that one run has. */
struct run_constructs {
  const struct pairs_construct *first;
  size_t count;
};

static size_t split(const struct pairs_construct *group, size_t count, struct run_constructs *ret) {
  size_t runs = 0;
  for (size_t i = 0; i < count; i++) {
    if (i == 0 || group[i].what.run != group[i - 1].what.run)
      ret[runs++] = (struct run_constructs){&group[i], 0};
    ret[runs - 1].count++;
  }
  return runs;
}

static bool have_moved_alike(struct run_constructs a, struct run_constructs b) {
  bool is_alike = a.count == b.count;
  for (size_t i = 1; i < a.count && is_alike; i++)
    is_alike = a.first[i].line - a.first[0].line == b.first[i].line - b.first[0].line;
  return is_alike;
}

static bool has_line(struct run_constructs members, uint64_t line) {
  for (size_t i = 0; i < members.count; i++)
    if (members.first[i].line == line)
      return true;
  return false;
}

static bool lacks_some(struct run_constructs few, struct run_constructs many) {
  for (size_t i = 0; i < few.count; i++)
    if (!has_line(many, few.first[i].line))
      return false;
  return true;
}

static bool all_pairs(const struct run_constructs *runs, size_t count,
                      bool (*holds)(struct run_constructs, struct run_constructs)) {
  for (size_t i = 1; i < count; i++)
    if (!holds(runs[0], runs[i]) && !(holds == lacks_some && lacks_some(runs[i], runs[0])))
      return false;
  return true;
}

/* "!$omp for @a.c:11 -> 16" */
static void name_moved(char *name, size_t size, const struct pairs_construct *from,
                       const struct pairs_construct *to) {
  if (strcmp(from->name, to->name) == 0)
    snprintf(name, size, "%s", from->name);
  else
    snprintf(name, size, "%s -> %llu", from->name, (unsigned long long)to->line);
}

/* Of a construct that may have no pair: the old or the new one. */
static const char *side_of(const struct pairs *pairs, const struct pairs_construct *one) {
  if (pairs->old_count == 0)
    return "";
  return one->what.run < pairs->old_count ? " (old)" : " (new)";
}

static void add_group(const struct pairs *pairs, const struct pairs_construct *group, size_t count,
                      pairs_row *add, void *data) {
  char name[1024];
  struct run_constructs runs[RANK_VALUES_MAX];
  size_t n = split(group, count, runs);
  bool in_order = all_pairs(runs, n, have_moved_alike), by_line = all_pairs(runs, n, lacks_some);
  for (size_t run = 0; run < n; run++)
    for (size_t i = 0; i < runs[run].count; i++) {
      const struct pairs_construct *one = &runs[run].first[i];
      if (in_order)
        name_moved(name, sizeof name, &runs[0].first[i], &runs[n - 1].first[i]);
      else
        snprintf(name, sizeof name, "%s%s", one->name, by_line ? "" : side_of(pairs, one));
      add(data, name, &one->what);
    }
}

void pairs_finish(struct pairs *pairs, pairs_row *add, void *data) {
  struct pairs_construct *all = pairs->all;
  size_t count = pairs->count, begin = 0;
  if (count > 1)
    qsort(all, count, sizeof *all, by_group_run_line);
  for (size_t i = 1; i <= count; i++)
    if (i == count || strcmp(all[i].group, all[begin].group) != 0) {
      add_group(pairs, all + begin, i - begin, add, data);
      begin = i;
    }
  for (size_t i = 0; i < count; i++) {
    free(all[i].group);
    free(all[i].name);
  }
  free(all);
  pairs->all = NULL;
  pairs->count = 0;
}
