#include "merge/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/memory.h"

/* How far the time of day of two machines may be apart that keep it by NTP: that is unknown, this is what is
 * reported. */
static const double calendar_deviation_s = 0.05;

/* By how much the frequencies of two clocks may be wrong against each other, where only these show how they
 * went: as much as Linux lets NTP correct one (MAXFREQ). */
static const double frequency_deviation = 5e-4;

/* Points that are so near to each other that they leave the ratio of two clocks more uncertain than this show
 * less of it than their frequencies do: no clock goes so wrong. */
static const double ratio_deviation_most = 1e-3;

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* A side's part of the sources and of the lines. One that is not compared with others is all of them. */
struct clock_part {
  size_t first, end, first_line, end_line;
  size_t dated; /* the line that shows the time of day */
};

static size_t line_of(struct merging *merge, struct clock_part *part, const struct merge_source *source) {
  for (size_t i = part->first_line; i < part->end_line; i++)
    if (source->domain && merge->lines[i].domain && strcmp(source->domain, merge->lines[i].domain) == 0)
      return i;
  struct clock_line *line = &merge->lines[merge->line_count];
  *line = (struct clock_line){.domain = source->domain, .longest = source, .first = UINT64_MAX};
  part->end_line = ++merge->line_count;
  return part->end_line - 1;
}

static void find_lines(struct merging *merge, struct clock_part *part) {
  for (size_t i = part->first; i < part->end; i++) {
    struct merge_source *source = &merge->sources[i];
    source->clock = line_of(merge, part, source);
    struct clock_line *line = &merge->lines[source->clock];
    uint64_t last = source->first + source->length;
    line->longest = source->length > line->longest->length ? source : line->longest;
    line->frequency = line->longest->frequency;
    line->first = source->first < line->first ? source->first : line->first;
    line->last = last > line->last ? last : line->last;
  }
}

/* Points on other clocks than the common one, as those of other jobs are, report nothing of it. */
static bool leads_to(const struct merge_source *source, const char *reference) {
  return !reference || !source->reference || strcmp(source->reference, reference) == 0;
}

/* The earliest and the latest point that any process of this clock has measured; how many there are. */
static size_t find_points(const struct merging *merge, const struct clock_part *part, size_t clock,
                          const char *reference, struct instant_pair *ret_first,
                          struct instant_pair *ret_last) {
  size_t count = 0;
  for (size_t i = part->first; i < part->end; i++) {
    const struct merge_source *source = &merge->sources[i];
    if (source->clock != clock || !leads_to(source, reference))
      continue;
    for (size_t j = 0; j < source->point_count; j++, count++) {
      const struct instant_pair *point = &source->points[j];
      if (count == 0 || point->local < ret_first->local)
        *ret_first = *point;
      if (count == 0 || point->local > ret_last->local)
        *ret_last = *point;
    }
  }
  return count;
}

/* Both clocks at the moment at which this one's longest process began. */
static void draw_by_calendar(struct merging *merge, struct clock_line *line,
                             const struct clock_line *common) {
  const struct merge_source *here = line->longest, *there = common->longest;
  double between_s = ((double)here->realtime_ns - (double)there->realtime_ns) / 1e9;
  line->from = here->first;
  line->to = there->first + (uint64_t)integer_round(between_s * (double)common->frequency);
  line->deviation = calendar_deviation_s * (double)common->frequency;
  merge->result->is_by_calendar = true;
}

/* How long it runs before the first and after the last of these ticks, whichever is longer. */
static double outside(const struct clock_line *line, uint64_t first, uint64_t last) {
  double before = first > line->first ? (double)(first - line->first) : 0;
  return larger(before, line->last > last ? (double)(line->last - last) : 0);
}

/* False: they are too near to each other. */
static bool draw_through(struct clock_line *line, const struct instant_pair *first,
                         const struct instant_pair *last) {
  if (last->local <= first->local || last->remote <= first->remote)
    return false;
  double between = (double)(last->local - first->local);
  double uncertain = (first->deviation + last->deviation) / between;
  if (uncertain > ratio_deviation_most)
    return false;
  line->slope = (double)(last->remote - first->remote) / between;
  line->deviation =
      (larger(first->deviation, last->deviation) + uncertain * outside(line, first->local, last->local)) *
      line->slope;
  return true;
}

static void draw(struct merging *merge, const struct clock_part *part, size_t clock,
                 const struct clock_line *common) {
  struct clock_line *line = &merge->lines[clock];
  struct instant_pair first = {0}, last = {0};
  size_t points = find_points(merge, part, clock, common->domain, &first, &last);
  line->slope = (double)common->frequency / (double)line->frequency;
  if (points == 0) {
    draw_by_calendar(merge, line, common);
    return;
  }
  line->from = first.local;
  line->to = first.remote;
  if (!draw_through(line, &first, &last))
    line->deviation =
        (first.deviation + frequency_deviation * outside(line, first.local, first.local)) * line->slope;
}

static size_t line_named(const struct merging *merge, const struct clock_part *part, const char *domain) {
  size_t i = part->first_line;
  while (i < part->end_line && (!merge->lines[i].domain || strcmp(merge->lines[i].domain, domain) != 0))
    i++;
  return i;
}

/* The clock to which points lead; without points that of rank 0. The part's end if there is none: its ranks
 * are lost. `ret` gets the domain, NULL if it is not known. */
static size_t choose_common(const struct merging *merge, const struct clock_part *part, const char **ret) {
  struct instant_pair first, last;
  size_t found = part->end_line;
  for (size_t i = part->first; i < part->end; i++)
    if ((*ret = merge->sources[i].reference))
      return line_named(merge, part, *ret);
  if (merge->sources[part->first].rank == 0)
    return merge->sources[part->first].clock;
  for (size_t i = part->end_line; i > part->first_line; i--)
    if (find_points(merge, part, i - 1, NULL, &first, &last) == 0)
      found = i - 1;
  return found;
}

/* Of two clocks that are both compared with a third one, both may be wrong. */
static double most_deviation(const struct merging *merge) {
  double most = 0, second = 0;
  for (size_t i = 0; i < merge->line_count; i++) {
    double deviation = merge->lines[i].deviation;
    second = larger(second, deviation < most ? deviation : most);
    most = larger(most, deviation);
  }
  return most + second;
}

static uint64_t corrected(const struct clock_line *line, uint64_t ticks) {
  if (line->is_common)
    return ticks;
  double since = ticks >= line->from ? (double)(ticks - line->from) : -(double)(line->from - ticks);
  int64_t drift = integer_round(since * (line->slope - 1));
  return ticks + (line->to - line->from) + (uint64_t)drift;
}

/* The time of a process that has started before the common clock did (archives of different days) would be
 * below 0: then all clocks are put forward. */
static void put_forward(struct merging *merge) {
  double least = 0;
  for (size_t i = 0; i < merge->line_count;
       i++) { /* an early `to` has wrapped around, and comes back below */
    const struct clock_line *line = &merge->lines[i];
    double begin = (double)(int64_t)line->to + ((double)line->first - (double)line->from) * line->slope;
    least = !line->is_common && begin < least ? begin : least;
  }
  uint64_t shift = least < 0 ? (uint64_t)-least + merge->frequency : 0;
  for (size_t i = 0; shift && i < merge->line_count; i++) {
    struct clock_line *line = &merge->lines[i];
    line->slope = line->is_common ? 1 : line->slope;
    line->is_common = false;
    line->to += shift;
  }
}

static void span(struct merging *merge) {
  uint64_t first = UINT64_MAX, last = 0;
  for (size_t i = 0; i < merge->line_count; i++) {
    const struct clock_line *line = &merge->lines[i];
    uint64_t begin = corrected(line, line->first), end = corrected(line, line->last);
    first = begin < first ? begin : first;
    last = end > last ? end : last;
  }
  merge->first = first;
  merge->length = last - first;
}

/* The time of day at the first tick, by the process that begins the timeline's clock. */
static void date(struct merging *merge, const struct clock_line *line) {
  uint64_t begin = corrected(line, line->longest->first);
  merge->realtime_ns = line->longest->realtime_ns;
  if (merge->realtime_ns != UINT64_MAX) /* OTF2's "unknown" */
    merge->realtime_ns -=
        (uint64_t)integer_round((double)(begin - merge->first) * 1e9 / (double)merge->frequency);
}

/* Draws the lines of a part over a clock of its own. Returns the frequency of that. */
static uint64_t compare_part(struct merging *merge, struct clock_part *part) {
  const char *reference = NULL;
  find_lines(merge, part);
  size_t common_clock = choose_common(merge, part, &reference);
  bool is_lost = common_clock == part->end_line;
  part->dated = is_lost ? part->first_line : common_clock;
  struct clock_line common = merge->lines[part->dated];
  if (is_lost)
    common.domain = reference;
  if (is_lost) { /* its frequency as the first clock saw it */
    draw(merge, part, part->first_line, &common);
    common.frequency =
        (uint64_t)integer_round((double)common.frequency * merge->lines[part->first_line].slope);
  }
  for (size_t i = part->first_line; i < part->end_line; i++)
    if (i == common_clock)
      merge->lines[i] = (struct clock_line){.domain = common.domain,
                                            .longest = common.longest,
                                            .frequency = common.frequency,
                                            .from = common.longest->first,
                                            .to = common.longest->first,
                                            .slope = 1,
                                            .first = common.first,
                                            .last = common.last,
                                            .is_common = true};
    else
      draw(merge, part, i, &common);
  return common.frequency;
}

/* An instant of a part on its clock of `frequency`, from when its first process began. */
static uint64_t instant_of(const struct merging *merge, const struct clock_part *part, uint64_t instant_ns,
                           uint64_t frequency) {
  uint64_t first = UINT64_MAX;
  for (size_t i = part->first_line; i < part->end_line; i++) {
    uint64_t begin = corrected(&merge->lines[i], merge->lines[i].first);
    first = begin < first ? begin : first;
  }
  return first + (uint64_t)integer_round((double)instant_ns * (double)frequency / 1e9);
}

/* Puts a part's clock over the one of the first: two instants of theirs are one. */
static void put_over(struct merging *merge, const struct clock_part *part, uint64_t instant,
                     uint64_t first_instant, double slope) {
  for (size_t i = part->first_line; i < part->end_line; i++) {
    struct clock_line *line = &merge->lines[i];
    double offset = (double)(int64_t)(line->to - instant);
    line->to = first_instant + (uint64_t)integer_round(offset * slope);
    line->slope *= slope;
    line->deviation *= slope;
    line->is_common = false;
  }
}

/* Returns the line that shows the time of day. */
static size_t compare_sides(struct merging *merge) {
  const struct merge_side all = {.count = merge->request->count};
  const struct merge_side *sides = merge->request->sides ? merge->request->sides : &all;
  size_t count = merge->request->sides ? merge->request->side_count : 1;
  struct clock_part part = {0};
  uint64_t first_instant = 0;
  size_t dated = 0;
  for (size_t i = 0; i < count; i++) {
    part = (struct clock_part){.first = part.end,
                               .end = part.end + sides[i].count,
                               .first_line = part.end_line,
                               .end_line = part.end_line};
    uint64_t frequency = compare_part(merge, &part);
    uint64_t instant = instant_of(merge, &part, sides[i].instant_ns, frequency);
    if (i == 0) {
      merge->frequency = frequency;
      first_instant = instant;
      dated = part.dated;
    } else {
      put_over(merge, &part, instant, first_instant, (double)merge->frequency / (double)frequency);
    }
  }
  return dated;
}

void clocks_compare(struct merging *merge) {
  merge->lines = memory_get(merge->request->count, sizeof *merge->lines);
  size_t dated = compare_sides(merge);
  put_forward(merge);
  span(merge);
  date(merge, &merge->lines[dated]);
  merge->result->clocks = merge->line_count;
  merge->result->deviation_s = most_deviation(merge) / (double)merge->frequency;
}

static void write_offset(struct merging *merge, OTF2_DefWriter *writer, uint64_t time, uint64_t to,
                         double deviation) {
  merge_check(merge, OTF2_DefWriter_WriteClockOffset(writer, time, (int64_t)(to - time), deviation));
}

void clocks_write(struct merging *merge, OTF2_DefWriter *writer, const struct merge_source *source,
                  const struct clock_offset *own, size_t own_count) {
  const struct clock_line *line = &merge->lines[source->clock];
  /* one alone OTF2 ignores, two at one time make the archive unreadable */
  const uint64_t times[] = {line->first, line->last > line->first ? line->last : line->first + 1};
  if (own_count > 1)
    for (size_t i = 0; i < own_count; i++)
      write_offset(merge, writer, own[i].time, corrected(line, own[i].time + (uint64_t)own[i].offset),
                   own[i].deviation);
  else if (!line->is_common)
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
      write_offset(merge, writer, times[i], corrected(line, times[i]), line->deviation);
}

uint64_t clocks_correct(const struct merging *merge, const struct merge_source *source, uint64_t ticks) {
  return corrected(&merge->lines[source->clock], ticks);
}
