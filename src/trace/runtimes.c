#include "trace/runtimes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base_name.h"
#include "stave/names.h"

/* What records gcc's runtime itself. */
static const char in_front[] = "libstave-libgomp.so", own_runtime[] = "GNU libgomp";
static const char plugin[] = "libgomp-plugin-"; /* of gcc's runtime, for devices */

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

struct search {
  struct runtimes *found;
  bool has_in_front;
};

static void note_traced(struct search *search, const char *name, const char *value) {
  bool is_file = begins_with(name, STAVE_PROPERTY_RUNTIME_FILE);
  if (strcmp(name, STAVE_PROPERTY_RUNTIME) == 0)
    search->found->traced = value;
  if (strcmp(name, STAVE_PROPERTY_RUNTIME_INSTEAD_OF) == 0)
    search->found->instead_of = value;
  search->has_in_front |= is_file && begins_with(base_name(value), in_front);
  search->has_in_front |= strcmp(name, STAVE_PROPERTY_RUNTIME) == 0 && begins_with(value, own_runtime);
}

/* Whether the name is in the list already. */
static bool is_listed(const struct runtimes *found, const char *name) {
  size_t length = strlen(name);
  for (const char *at = found->untraced; (at = strstr(at, name)); at += length)
    if (at[length] == ',' || at[length] == '\0')
      return true;
  return false;
}

static void note_untraced(struct search *search, const char *name, const char *value) {
  struct runtimes *found = search->found;
  const char *file = base_name(value);
  if (!begins_with(name, STAVE_PROPERTY_RUNTIME_FILE) || !begins_with(file, "libgomp") ||
      begins_with(file, plugin) || search->has_in_front || is_listed(found, file))
    return;
  size_t used = strlen(found->untraced);
  snprintf(found->untraced + used, sizeof found->untraced - used, "%s%s", used ? ", " : "", file);
  found->untraced_count++;
}

/* Of the archive, and where its processes differ, of each. */
static void for_each(const struct trace *trace, struct search *search,
                     void (*note)(struct search *, const char *, const char *)) {
  for (size_t i = 0; i < trace->archive_property_count; i++)
    note(search, trace->archive_properties[i].name, trace->archive_properties[i].value);
  for (size_t i = 0; i < trace->location_group_property_count; i++)
    note(search, trace->location_group_properties[i].name, trace->location_group_properties[i].text);
}

void runtimes_read(struct runtimes *ret, const struct trace *trace) {
  struct search search = {.found = ret};
  *ret = (struct runtimes){0};
  for_each(trace, &search, note_traced);
  for_each(trace, &search, note_untraced);
}
