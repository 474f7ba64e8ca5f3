#include "writer/flight/trigger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

enum {
  DEPTH_MAX = 32,  /* regions that are open on a thread; those deeper inside are not watched */
  LAST_ONES = 64,  /* of which the median is taken */
  MEDIAN_MIN = 16, /* so many there must be */
};

/* Of one code address, or all regions of one name. */
struct trigger_place {
  uint64_t address;
  bool is_known, is_there; /* whether it is at the place that is requested */
  uint64_t too_long;       /* ticks, of an instance that waits for that; 0: none */
  uint64_t last[LAST_ONES];
  uint64_t count;
};

struct instance {
  uint64_t ticks;
  uint64_t address; /* of the program's own regions: 1, if it is requested */
};

/* What is open of a thread. */
struct thread_regions {
  struct instance open[DEPTH_MAX];
  unsigned depth;
};

struct trigger {
  const struct config_watch *watch;
  uint64_t least, fired; /* of the slowest: the duration to exceed; that of the last one that did */
  double frequency;      /* 0: not known yet */
  struct map watched;
  struct map threads; /* by slot, plus one */
};

struct trigger *trigger_create(const struct config_watch *watch) {
  struct trigger *trigger = memory_get(1, sizeof *trigger);
  trigger->watch = watch;
  return trigger;
}

static void free_values(struct map *map) {
  size_t position = 0;
  for (struct map_entry *entry; (entry = map_next(map, &position));)
    free(entry->value);
  map_clear(map);
}

void trigger_destroy(struct trigger *trigger) {
  if (!trigger)
    return;
  free_values(&trigger->watched);
  free_values(&trigger->threads);
  free(trigger);
}

void trigger_set_frequency(struct trigger *trigger, double frequency) {
  trigger->frequency = frequency;
}

void trigger_set_least(struct trigger *trigger, uint64_t ticks) {
  trigger->least = ticks;
}

uint64_t trigger_ticks(const struct trigger *trigger) {
  return trigger->fired;
}

static void *get(struct map *map, uint64_t key, size_t bytes) {
  void *value = map_get(map, key);
  if (!value)
    map_put(map, key, value = memory_get(1, bytes));
  return value;
}

static struct trigger_place *watched_at(struct trigger *trigger, uint64_t address) {
  struct trigger_place *watched = get(&trigger->watched, address, sizeof *watched);
  watched->address = address;
  if (trigger->watch->line == 0)
    watched->is_known = watched->is_there = true;
  return watched;
}

/* -- how long it may last -- */

static int by_value(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

static uint64_t median(const struct trigger_place *watched) {
  uint64_t sorted[LAST_ONES];
  size_t count = watched->count < LAST_ONES ? watched->count : LAST_ONES;
  memcpy(sorted, watched->last, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, by_value);
  return sorted[count / 2];
}

/* In ticks; UINT64_MAX: as long as it likes. */
static uint64_t limit(const struct trigger *trigger, const struct trigger_place *watched) {
  const struct config_watch *watch = trigger->watch;
  if (watch->slowest)
    return trigger->least;
  if (watch->limit_ns)
    return trigger->frequency > 0 ? (uint64_t)((double)watch->limit_ns * trigger->frequency / 1e9)
                                  : UINT64_MAX;
  return watched->count < MEDIAN_MIN ? UINT64_MAX : watch->medians * median(watched);
}

static void describe(struct trigger *trigger, uint64_t ticks, char why[TRIGGER_WHY_BYTES]) {
  const struct config_watch *watch = trigger->watch;
  trigger->fired = ticks;
  double ms = trigger->frequency > 0 ? (double)ticks * 1e3 / trigger->frequency : 0;
  char place[16] = "";
  if (watch->line)
    snprintf(place, sizeof place, ":%u", watch->line);
  snprintf(why, TRIGGER_WHY_BYTES, "%s%s%.60s%s took %.6g ms",
           watch->kind == TRIGGER_region ? "region " : "parallel", watch->line ? " @" : "", watch->name,
           place, ms);
}

static bool end_instance(struct trigger *trigger, const struct instance *instance, uint64_t now,
                         char why[TRIGGER_WHY_BYTES]) {
  struct trigger_place *watched = watched_at(trigger, instance->address);
  uint64_t ticks = now > instance->ticks ? now - instance->ticks : 0;
  bool is_too_long = ticks > limit(trigger, watched);
  watched->last[watched->count++ % LAST_ONES] = ticks;
  if (is_too_long && !watched->is_known && ticks > watched->too_long)
    watched->too_long = ticks;
  if (!is_too_long || !watched->is_known || !watched->is_there)
    return false;
  describe(trigger, ticks, why);
  return true;
}

/* -- records -- */

static void begin(struct thread_regions *thread, uint64_t ticks, uint64_t address) {
  if (thread->depth < DEPTH_MAX)
    thread->open[thread->depth] = (struct instance){ticks, address};
  thread->depth++;
}

/* The innermost one; NULL: there is none, or it was too deep inside. */
static const struct instance *end(struct thread_regions *thread) {
  if (thread->depth == 0)
    return NULL;
  thread->depth--;
  return thread->depth < DEPTH_MAX ? &thread->open[thread->depth] : NULL;
}

/* Whether the record names the region that is requested. */
static bool is_watched_name(const struct trigger *trigger, const struct record_control_tool_region *record,
                            const uint64_t *words) {
  size_t length = strlen(trigger->watch->name);
  return record->more && record->name_bytes == length && length <= record->more * (size_t)RECORD_BYTES - 16 &&
         memcmp(words + 2, trigger->watch->name, length) == 0;
}

static const struct instance *remove_parallel(struct thread_regions *thread, const struct record *record) {
  if (record->type == RECORD_parallel_end)
    return end(thread);
  if (record->type == RECORD_parallel_begin)
    begin(thread, record->ticks, ((const struct record_parallel_begin *)record)->codeptr);
  return NULL;
}

/* An end ends the innermost one, whether it names it or not. */
static const struct instance *remove_region(const struct trigger *trigger, struct thread_regions *thread,
                                            const struct record *record, const uint64_t *words) {
  if (record->type != RECORD_control_tool_region)
    return NULL;
  if (record->endpoint == ENDPOINT_BEGIN) {
    begin(thread, record->ticks,
          is_watched_name(trigger, (const struct record_control_tool_region *)record, words));
    return NULL;
  }
  const struct instance *instance = end(thread);
  return instance && instance->address ? instance : NULL;
}

bool trigger_on_record(struct trigger *trigger, uint32_t slot, const struct record *record,
                       const uint64_t *words, char why[TRIGGER_WHY_BYTES]) {
  if ((record->type != RECORD_parallel_begin && record->type != RECORD_parallel_end &&
       record->type != RECORD_control_tool_region && record->type != RECORD_attach))
    return false;
  struct thread_regions *thread = get(&trigger->threads, slot + UINT64_C(1), sizeof *thread);
  if (record->type == RECORD_attach)
    thread->depth = 0;
  const struct instance *instance = trigger->watch->kind == TRIGGER_parallel
                                        ? remove_parallel(thread, record)
                                        : remove_region(trigger, thread, record, words);
  return instance && end_instance(trigger, instance, record->ticks, why);
}

/* -- places -- */

size_t trigger_unknown(const struct trigger *trigger, uint64_t *addresses, size_t most) {
  size_t position = 0, count = 0;
  for (struct map_entry *entry; count < most && (entry = map_next(&trigger->watched, &position));)
    if (((struct trigger_place *)entry->value)->too_long)
      addresses[count++] = entry->key;
  return count;
}

bool trigger_answer(struct trigger *trigger, uint64_t address, bool is_there, char why[TRIGGER_WHY_BYTES]) {
  struct trigger_place *watched = watched_at(trigger, address);
  uint64_t ticks = watched->too_long;
  watched->is_known = true;
  watched->is_there = is_there;
  watched->too_long = 0;
  if (ticks && is_there)
    describe(trigger, ticks, why);
  return ticks && is_there;
}
