#include "merge/survey.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "merge/properties.h"
#include "stave/names.h"

/* What is being looked at. */
struct look {
  struct merge_source *source;
  OTF2_StringRef rank_name; /* the string "MPI Rank N" */
  int64_t named_rank;
  size_t location_capacity, base_group_capacity;
};

/* -- definitions -- */

static OTF2_CallbackCode on_clock(void *data, uint64_t frequency, uint64_t first, uint64_t length,
                                  uint64_t realtime_ns) {
  struct merge_source *source = ((struct look *)data)->source;
  source->frequency = frequency ? frequency : 1;
  source->first = first;
  source->length = length;
  source->realtime_ns = realtime_ns;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text) {
  static const char start[] = "MPI Rank ";
  struct look *look = data;
  if (strncmp(text, start, sizeof start - 1) == 0 && isdigit((unsigned char)text[sizeof start - 1])) {
    look->rank_name = self;
    look->named_rank = atoi(text + sizeof start - 1);
  }
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator) {
  (void)self, (void)node, (void)creator;
  struct look *look = data;
  if (type != OTF2_LOCATION_GROUP_TYPE_PROCESS)
    return OTF2_CALLBACK_SUCCESS;
  look->source->process_groups++;
  if (look->source->rank < 0 && name == look->rank_name)
    look->source->rank = look->named_rank;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events, OTF2_LocationGroupRef group) {
  (void)name, (void)type, (void)group;
  struct look *look = data;
  struct merge_source *source = look->source;
  array_reserve_zeroed(&source->locations, &look->location_capacity, source->location_count + 1,
                       sizeof *source->locations);
  source->locations[source->location_count++] = self;
  source->events += events;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                                  const uint64_t *members) {
  (void)self, (void)name, (void)flags;
  struct look *look = data;
  struct merge_source *source = look->source;
  if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS)
    return OTF2_CALLBACK_SUCCESS;
  array_reserve_zeroed(&source->base_groups, &look->base_group_capacity, source->base_group_count + 1,
                       sizeof *source->base_groups);
  struct base_group *group = &source->base_groups[source->base_group_count++];
  *group = (struct base_group){
      .paradigm = paradigm, .members = memory_get(count, sizeof *group->members), .count = count};
  if (count)
    memcpy(group->members, members, count * sizeof *members);
  return OTF2_CALLBACK_SUCCESS;
}

static int read_definitions(struct merging *merge, OTF2_Reader *reader, struct look *look) {
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = memory_given(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
  OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
  uint64_t expected = 0, count = 0;
  OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
  if (definitions)
    code = OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, look);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count);
  OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &expected);
  look->source->ids_most = expected;
  if (definitions)
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
  if (code == OTF2_SUCCESS && count >= expected)
    return 0;
  return merge_fail(merge, EIO, "%s: the definitions cannot be read: %s", look->source->anchor,
                    *merge->reason ? merge->reason : OTF2_Error_GetDescription(code));
}

/* -- properties -- */

/* The caller's to free; NULL if there is none. */
static char *property(OTF2_Reader *reader, const char *name) {
  char *value = NULL;
  return OTF2_Reader_GetProperty(reader, name, &value) == OTF2_SUCCESS ? value : NULL;
}

static int64_t number_property(OTF2_Reader *reader, const char *name) {
  char *text = property(reader, name);
  int64_t number = text && isdigit((unsigned char)*text) ? strtoll(text, NULL, 10) : -1;
  free(text);
  return number;
}

static void read_points(OTF2_Reader *reader, struct merge_source *source) {
  for (unsigned i = 0; i < SOURCE_POINTS_MAX; i++) {
    char name[64];
    snprintf(name, sizeof name, STAVE_PROPERTY_CLOCK_POINT "%u", i);
    char *text = property(reader, name);
    struct instant_pair point;
    if (!text)
      return;
    if (sscanf(text, "%" SCNu64 " %" SCNu64 " %lf", &point.local, &point.remote, &point.deviation) == 3)
      source->points[source->point_count++] = point;
    free(text);
  }
}

static void read_properties(OTF2_Reader *reader, struct merge_source *source) {
  source->rank = number_property(reader, STAVE_PROPERTY_MPI_RANK);
  source->size = number_property(reader, STAVE_PROPERTY_MPI_SIZE);
  source->job = property(reader, STAVE_PROPERTY_MPI_JOB);
  source->domain = property(reader, STAVE_PROPERTY_CLOCK_DOMAIN);
  if (OTF2_Reader_GetMachineName(reader, &source->host) != OTF2_SUCCESS)
    source->host = NULL;
  int64_t lost_after = number_property(reader, STAVE_PROPERTY_LOST_AFTER);
  source->has_lost = lost_after >= 0;
  source->lost_after = (uint64_t)lost_after;
  source->reference = property(reader, STAVE_PROPERTY_CLOCK_REFERENCE);
  read_points(reader, source);
}

/* -- all archives -- */

static int check_source(struct merging *merge, const struct merge_source *source) {
  if (source->process_groups > 1 && !merge->request->sides)
    return merge_fail(merge, EINVAL, "%s: it holds %zu processes: only archives of one process are merged",
                      source->anchor, source->process_groups);
  if (source->chunk_bytes != merge->sources->chunk_bytes)
    return merge_fail(merge, EINVAL,
                      "%s: its event files are in chunks of %" PRIu64 " bytes, those of %s of %" PRIu64
                      ": they cannot be in one archive",
                      source->anchor, source->chunk_bytes, merge->sources->anchor,
                      merge->sources->chunk_bytes);
  return 0;
}

static int compare_locations(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* A location that is defined again would have its events copied again, as another thread's. */
static int check_locations(struct merging *merge, const struct merge_source *source) {
  size_t count = source->location_count;
  uint64_t *sorted = memory_get(count, sizeof *sorted);
  int error = 0;
  for (size_t i = 0; i < count; i++)
    sorted[i] = source->locations[i];
  qsort(sorted, count, sizeof *sorted, compare_locations);
  for (size_t i = 1; i < count && !error; i++)
    if (sorted[i] == sorted[i - 1])
      error =
          merge_fail(merge, EIO, "%s: the definitions cannot be read: location %" PRIu64 " is defined twice",
                     source->anchor, sorted[i]);
  free(sorted);
  return error;
}

static int survey_one(struct merging *merge, struct merge_source *source) {
  struct look look = {.source = source, .rank_name = OTF2_UNDEFINED_STRING};
  uint64_t definition_bytes;
  *merge->reason = '\0';
  OTF2_Reader *reader = OTF2_Reader_Open(source->anchor);
  if (!reader)
    return merge_fail(merge, EIO, "%s: it cannot be opened: %s", source->anchor, merge->reason);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_GetChunkSize(reader, &source->chunk_bytes, &definition_bytes);
  read_properties(reader, source);
  properties_survey(merge, reader);
  int error = read_definitions(merge, reader, &look);
  OTF2_Reader_Close(reader);
  merge_step(merge);
  if (!error)
    error = check_locations(merge, source);
  return error ? error : check_source(merge, source);
}

static int compare_texts(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *left, const void *right) {
  const struct merge_source *a = left, *b = right;
  if (a->side != b->side)
    return a->side < b->side ? -1 : 1;
  if ((a->rank < 0) != (b->rank < 0))
    return a->rank < 0 ? 1 : -1;
  int by_job = a->rank < 0 ? 0 : compare_texts(a->job, b->job);
  if (by_job)
    return by_job;
  if (a->rank != b->rank)
    return a->rank < b->rank ? -1 : 1;
  if (a->realtime_ns != b->realtime_ns)
    return a->realtime_ns < b->realtime_ns ? -1 : 1;
  return strcmp(a->anchor, b->anchor);
}

static void find_side(const struct merge_request *request, size_t index, struct merge_source *source) {
  for (size_t side = 0, first = 0; side < request->side_count; first += request->sides[side++].count)
    if (index >= first)
      source->side = side;
}

int survey(struct merging *merge) {
  size_t count = merge->request->count;
  merge->sources = memory_get(count, sizeof *merge->sources);
  for (size_t i = 0; i < count; i++) {
    merge->sources[i].anchor = merge->request->anchors[i];
    find_side(merge->request, i, &merge->sources[i]);
    int error = survey_one(merge, &merge->sources[i]);
    if (error)
      return error;
    if (merge->sources[i].ids_most > merge->ids_most)
      merge->ids_most = merge->sources[i].ids_most;
  }
  qsort(merge->sources, count, sizeof *merge->sources, compare);
  return 0;
}

static bool is_same_job(const struct merge_source *a, const struct merge_source *b) {
  return a->side == b->side && a->rank >= 0 && b->rank >= 0 && compare_texts(a->job, b->job) == 0;
}

/* -- numbers -- */

/* How many positions of the merged group belong to the sources before this one. The ranks of a job are at
 * their own positions in theirs. */
static uint32_t base_of(const struct merging *merge, const struct merge_source *source,
                        OTF2_Paradigm paradigm) {
  uint32_t base = 0, most = 0;
  for (const struct merge_source *other = merge->sources; other < source; other++) {
    bool is_last_of_job = !is_same_job(other, other + 1) || paradigm != OTF2_PARADIGM_MPI;
    for (size_t i = 0; i < other->base_group_count; i++)
      if (other->base_groups[i].paradigm == paradigm && other->base_groups[i].count > most)
        most = other->base_groups[i].count;
    base += is_last_of_job ? most : 0;
    most = is_last_of_job ? 0 : most;
  }
  return base;
}

void survey_number(struct merging *merge) {
  size_t locations = 0;
  for (size_t i = 0; i < merge->request->count; i++) {
    struct merge_source *source = &merge->sources[i];
    source->first_location = locations;
    locations += source->location_count;
    merge->result->events += source->events;
    for (size_t j = 0; j < source->base_group_count; j++)
      source->base_groups[j].base = base_of(merge, source, source->base_groups[j].paradigm);
  }
  merge->result->processes = merge->request->count;
  merge->result->locations = locations;
}

/* -- who is missing -- */

static void add_range(struct merging *merge, int64_t from, int64_t to) {
  char *text = merge->result->missing_ranks;
  size_t length = strlen(text), room = sizeof merge->result->missing_ranks - length;
  merge->result->missing += (size_t)(to - from + 1);
  if (room < 48)
    return;
  int added = snprintf(text + length, room, "%s%" PRId64, length ? "," : "", from);
  if (to > from)
    snprintf(text + length + added, room - (size_t)added, "-%" PRId64, to);
  if (room < 96)
    strcat(text, ",...");
}

void survey_missing(struct merging *merge) {
  int64_t expected = 0, size = -1;
  for (size_t i = 0; i < merge->request->count; i++) {
    const struct merge_source *source = &merge->sources[i];
    bool is_last = i + 1 == merge->request->count || !is_same_job(source, source + 1);
    if (source->rank < 0)
      return;
    if (source->rank > expected)
      add_range(merge, expected, source->rank - 1);
    expected = source->rank + 1;
    size = source->size > size ? source->size : size;
    if (is_last && size > expected)
      add_range(merge, expected, size - 1);
    expected = is_last ? 0 : expected;
    size = is_last ? -1 : size;
  }
}

void survey_free(struct merging *merge) {
  for (size_t i = 0; merge->sources && i < merge->request->count; i++) {
    struct merge_source *source = &merge->sources[i];
    for (size_t j = 0; j < source->base_group_count; j++)
      free(source->base_groups[j].members);
    free(source->base_groups);
    free(source->locations);
    free(source->job);
    free(source->host);
    free(source->domain);
    free(source->reference);
  }
  free(merge->sources);
}
