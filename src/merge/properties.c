#include "merge/properties.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integer.h"
#include "base/memory.h"
#include "merge/clocks.h"
#include "merge/copy.h"
#include "stave/names.h"

enum { ENDINGS_SHOWN = 4 };

/* A property that any source has. */
struct common_property {
  char *name, *value; /* the first source's that has it */
  size_t count;       /* of sources that have it */
  bool is_equal;      /* in all these */
  uint64_t sum;       /* of values that are numbers */
};

static bool starts(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* What is counted for each process, and adds up. */
static bool is_figure(const char *name) {
  static const char *const names[] = {
#define FIGURE(name, counted_by, shown, property, label, text) STAVE_PROPERTY_##property,
#include "session/figures.def"
#undef FIGURE
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0)
      return true;
  return starts(name, STAVE_PROPERTY_RECORDS);
}

/* Whether analyses may count on all events being there: only if they may for every process. */
static bool is_completeness(const char *name) {
  return starts(name, "OTF2::") && strlen(name) > 9 && strcmp(name + strlen(name) - 9, "_COMPLETE") == 0;
}

/* What was for merging alone. */
static bool is_used_up(const char *name) {
  return starts(name, STAVE_PROPERTY_CLOCK_POINT) || starts(name, STAVE_PROPERTY_CLOCK_REFERENCE) ||
         starts(name, STAVE_PROPERTY_MPI_COMM) || starts(name, STAVE_PROPERTY_MPI_WINDOW);
}

/* -- what the sources report -- */

/* As unified.h's numbers: a name is a definition of a kind of its own. */
static struct common_property *common(struct merging *merge, const char *name) {
  bool is_new;
  uint32_t number = unified_number(&merge->unified, UNIFIED_PROPERTY, name, strlen(name) + 1, &is_new);
  array_reserve_zeroed(&merge->properties, &merge->property_capacity, number + 1u, sizeof *merge->properties);
  struct common_property *property = &merge->properties[number];
  if (is_new) {
    *property = (struct common_property){.name = memory_given(strdup(name)), .is_equal = true};
    merge->property_count = number + 1u;
  }
  return property;
}

struct property_use {
  struct merging *merge;
  const struct merge_source *source;
  uint32_t group;
};

static void each_property(OTF2_Reader *reader,
                          void (*use)(const struct property_use *reading, const char *name,
                                      const char *value),
                          const struct property_use *reading) {
  char **names = NULL;
  uint32_t count = 0;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS)
    return;
  for (uint32_t i = 0; i < count; i++) {
    char *value = NULL;
    if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS && value && !is_used_up(names[i]))
      use(reading, names[i], value);
    free(value);
  }
  free(names); /* one block, the names are in it */
}

static void note(const struct property_use *reading, const char *name, const char *value) {
  struct common_property *property = common(reading->merge, name);
  if (!property->value)
    property->value = memory_given(strdup(value));
  property->count++;
  property->is_equal &= strcmp(property->value, value) == 0;
  property->sum += strtoull(value, NULL, 10);
}

static void note_ending(struct merging *merge, OTF2_Reader *reader) {
  char *ending = NULL;
  bool is_new;
  if (OTF2_Reader_GetProperty(reader, STAVE_PROPERTY_ENDING, &ending) != OTF2_SUCCESS || !ending)
    return;
  uint32_t number = unified_number(&merge->unified, UNIFIED_ENDING, ending, strlen(ending) + 1, &is_new);
  array_reserve_zeroed(&merge->endings, &merge->ending_capacity, number + 1u, sizeof *merge->endings);
  if (is_new)
    merge->endings[number] = (struct common_property){.name = memory_given(strdup(ending))};
  merge->endings[number].count++;
  merge->ending_count = is_new ? number + 1u : merge->ending_count;
  free(ending);
}

void properties_survey(struct merging *merge, OTF2_Reader *reader) {
  const struct property_use reading = {.merge = merge};
  each_property(reader, note, &reading);
  note_ending(merge, reader);
}

/* -- what a process reports alone -- */

static bool is_common(const struct merging *merge, const struct common_property *property) {
  return property->is_equal && property->count == merge->request->count;
}

static void write_own(const struct property_use *reading, const char *name, const char *value) {
  struct merging *merge = reading->merge;
  char ticks[24];
  bool is_figure_of_many = is_figure(name) && merge->request->count > 1;
  if (is_completeness(name) || starts(name, STAVE_PROPERTY_RECORDS) ||
      (is_common(merge, common(merge, name)) && !is_figure_of_many))
    return;
  if (strcmp(name, STAVE_PROPERTY_LOST_AFTER) == 0) {
    snprintf(ticks, sizeof ticks, "%" PRIu64,
             clocks_correct(merge, reading->source, strtoull(value, NULL, 10)));
    value = ticks;
  }
  OTF2_AttributeValue text = {.stringRef = copy_string(merge, value)};
  merge_check(merge, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                         merge->writer, reading->group, copy_string(merge, name), OTF2_TYPE_STRING, text));
}

void properties_write_process(struct merging *merge, const struct merge_source *source, OTF2_Reader *reader,
                              uint32_t location_group) {
  const struct property_use reading = {merge, source, location_group};
  each_property(reader, write_own, &reading);
}

/* -- what the merged archive reports -- */

static void set(struct merging *merge, const char *name, const char *value) {
  merge_check(merge, OTF2_Archive_SetProperty(merge->archive, name, value, true));
}

static void set_number(struct merging *merge, const char *name, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, number);
  set(merge, name, text);
}

/* How many processes ended how. */
static void set_ending(struct merging *merge) {
  char text[MERGE_TEXT_BYTES];
  size_t length = 0;
  for (size_t i = 0; i < merge->ending_count && i < ENDINGS_SHOWN && length < sizeof text; i++)
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%zu processes: %s", i ? "; " : "",
                               merge->endings[i].count, merge->endings[i].name);
  if (merge->ending_count > ENDINGS_SHOWN && length < sizeof text)
    snprintf(text + length, sizeof text - length, "; ...");
  set(merge, STAVE_PROPERTY_ENDING, text);
}

static void set_common(struct merging *merge, const struct common_property *property) {
  bool is_complete = is_common(merge, property) && strcmp(property->value, "true") == 0 &&
                     (!merge->result->missing || !starts(property->name, "OTF2::MPI_"));
  if (is_completeness(property->name))
    set(merge, property->name, is_complete ? "true" : "false");
  else if (is_figure(property->name))
    set_number(merge, property->name, property->sum);
  else if (is_common(merge, property) || strcmp(property->name, STAVE_PROPERTY_RECOVERED) == 0)
    set(merge, property->name, property->value);
}

/* After which time the merged archive may lack events: where the first of the recovered ones does. */
static void set_lost_after(struct merging *merge) {
  uint64_t least = UINT64_MAX;
  for (size_t i = 0; i < merge->request->count; i++) {
    const struct merge_source *source = &merge->sources[i];
    uint64_t ticks = source->has_lost ? clocks_correct(merge, source, source->lost_after) : UINT64_MAX;
    least = ticks < least ? ticks : least;
  }
  if (least < UINT64_MAX)
    set_number(merge, STAVE_PROPERTY_LOST_AFTER, least);
}

static void describe(struct merging *merge) {
  const struct common_property *program = common(merge, STAVE_PROPERTY_PROGRAM);
  char machine[32], description[MERGE_TEXT_BYTES];
  const char *host = merge->sources->host ? merge->sources->host : "";
  snprintf(machine, sizeof machine, "%zu nodes", merge->hosts);
  snprintf(description, sizeof description, "OpenMP trace of %s, %zu processes",
           program->value && is_common(merge, program) ? program->value : "several programs",
           merge->request->count);
  merge_check(merge, OTF2_Archive_SetCreator(merge->archive, "Stave " STAVE_VERSION));
  merge_check(merge, OTF2_Archive_SetMachineName(merge->archive, merge->hosts > 1 ? machine : host));
  merge_check(merge, OTF2_Archive_SetDescription(merge->archive, description));
}

void properties_write(struct merging *merge) {
  describe(merge);
  for (size_t i = 0; i < merge->property_count; i++)
    if (merge->properties[i].count)
      set_common(merge, &merge->properties[i]);
  if (merge->ending_count > 1)
    set_ending(merge);
  set_lost_after(merge);
  set_number(merge, STAVE_PROPERTY_MERGED, merge->request->count);
  set_number(merge, STAVE_PROPERTY_CLOCKS, merge->result->clocks);
  if (merge->result->clocks > 1)
    set_number(merge, STAVE_PROPERTY_CLOCK_DEVIATION_NS,
               integer_truncate(merge->result->deviation_s * 1e9 + 0.5));
  if (merge->result->is_by_calendar)
    set(merge, STAVE_PROPERTY_CLOCK_BY_CALENDAR, "true");
  if (merge->result->missing)
    set(merge, STAVE_PROPERTY_MISSING_RANKS, merge->result->missing_ranks);
}

void properties_free(struct merging *merge) {
  for (size_t i = 0; i < merge->property_count; i++) {
    free(merge->properties[i].name);
    free(merge->properties[i].value);
  }
  for (size_t i = 0; i < merge->ending_count; i++)
    free(merge->endings[i].name);
  free(merge->properties);
  free(merge->endings);
}
