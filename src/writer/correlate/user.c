/* What the program reports by stave.h. Regions belong to the task that runs, as all frames do; what is left
 * open when its task or the construct around it ends is left there. */
#include <string.h>

#include <otf2/otf2.h>

#include "base/utf8.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/model.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { FLAG_CUT = 1, DOUBLE = 2 };

struct user_texts {
  char name[RECORD_SLOTS_MAX * RECORD_BYTES + 4], file[RECORD_SLOTS_MAX * RECORD_BYTES],
      unit[RECORD_SLOTS_MAX * RECORD_BYTES];
  uint32_t line;
  uint64_t address; /* of the code that reports it */
};

/* Moves up to `requested` of the *left bytes from *from. */
static void cut_text(char *text, const char **from, size_t *left, uint64_t requested) {
  size_t bytes = requested < *left ? requested : *left;
  memcpy(text, *from, bytes);
  text[bytes] = '\0';
  *from += bytes;
  *left -= bytes;
}

/* The three records have the same fields. */
static void read_texts(const struct record_control_tool_region *record, const uint64_t *words,
                       struct user_texts *texts) {
  size_t left = record->more ? record->more * (size_t)RECORD_BYTES - 2 * sizeof *words : 0;
  const char *from = record->more ? (const char *)(words + 2) : NULL;
  texts->line = (uint32_t)record->line_and_file;
  texts->address = record->codeptr;
  *texts->name = *texts->file = *texts->unit = '\0';
  if (!from)
    return;
  cut_text(texts->name, &from, &left, record->name_bytes);
  cut_text(texts->file, &from, &left, record->line_and_file >> 32);
  cut_text(texts->unit, &from, &left, words[1]);
  utf8_make_valid(texts->name);
  utf8_make_valid(texts->file);
  if (record->flags & FLAG_CUT)
    strcat(texts->name, "...");
}

static uint32_t region_of(struct correlator *c, enum construct construct, const struct user_texts *texts) {
  bool is_named = construct == CONSTRUCT_user_region;
  return regions_user(c->regions, construct, is_named ? texts->name : "", texts->file, texts->line,
                      texts->address);
}

static void point(struct correlator *c, struct traced_thread *thread, uint32_t region,
                  enum attribute attribute, const char *text, uint64_t now) {
  if (!c->is_paused)
    emit_point(c, thread,
               &(struct event){.ticks = now,
                               .region = region,
                               .attribute = (uint8_t)attribute,
                               .value = definitions_string(c->definitions, text)});
}

/* -- regions -- */

/* What a runtime may leave open though it is over: gcc's single. */
static bool may_be_over(const struct frame *frame) {
  return frame->kind == FRAME_SBLOCK ||
         (frame->kind == FRAME_WORK && frame->detail == OMPT_WORK_single_executor);
}

/* The frame that an end with the name (its number as a string; any: UINT32_MAX) leaves, or NULL: it does not
 * fit. */
static struct frame *find_region(struct task *task, uint32_t name) {
  size_t i = task->stack.count;
  while (i > 0 && may_be_over(&task->stack.frames[i - 1]))
    i--;
  struct frame *frame = i > 0 ? &task->stack.frames[i - 1] : NULL;
  bool fits = frame && frame->kind == FRAME_USER && (name == UINT32_MAX || name == frame->detail);
  return fits ? frame : NULL;
}

static void end_region(struct correlator *c, struct traced_thread *thread, const struct user_texts *texts,
                       uint64_t now) {
  struct task *task = thread->current;
  uint32_t name = *texts->name ? definitions_string(c->definitions, texts->name) : UINT32_MAX;
  struct frame *frame = find_region(task, name);
  if (!frame) {
    c->figures.user_ends_refused++;
    point(c, thread, region_of(c, CONSTRUCT_user_end_refused, texts), ATTRIBUTE_region_name, texts->name,
          now);
    return;
  }
  size_t index = (size_t)(frame - task->stack.frames);
  frames_leave_above(c, thread, task, now, index + 1);
  c->figures.user_regions_left_open--;
  frame_leave(c, thread, task, now);
}

void on_control_tool_region(struct correlator *c, struct traced_thread *thread,
                            const struct record_control_tool_region *record) {
  struct user_texts texts;
  uint64_t now = thread_now(c, thread, record->ticks);
  read_texts(record, c->words, &texts);
  if (record->endpoint != ENDPOINT_BEGIN) {
    end_region(c, thread, &texts, now);
    return;
  }
  c->figures.user_regions_left_open++;
  frame_enter(c, thread, thread->current, now,
              (struct frame){.kind = FRAME_USER,
                             .detail = definitions_string(c->definitions, texts.name),
                             .region = region_of(c, CONSTRUCT_user_region, &texts)});
}

/* -- messages and counters -- */

/* A point of the thread, and no OTF2 marker: it keeps its place among the thread's events, in any reader. */
void on_control_tool_message(struct correlator *c, struct traced_thread *thread,
                             const struct record_control_tool_message *record) {
  struct user_texts texts;
  uint64_t now = thread_now(c, thread, record->ticks);
  read_texts((const struct record_control_tool_region *)record, c->words, &texts);
  point(c, thread, region_of(c, CONSTRUCT_user_message, &texts), ATTRIBUTE_message, texts.name, now);
}

/* A metric is at an Enter. */
void on_control_tool_counter(struct correlator *c, struct traced_thread *thread,
                             const struct record_control_tool_counter *record) {
  struct user_texts texts;
  uint64_t now = thread_now(c, thread, record->ticks);
  read_texts((const struct record_control_tool_region *)record, c->words, &texts);
  if (c->is_paused || record->more == 0)
    return;
  OTF2_Type type = record->endpoint == DOUBLE ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
  emit_event(c, thread,
             &(struct event){.kind = EVENT_METRIC,
                             .ticks = now,
                             .metric = definitions_counter(c->definitions, texts.name, texts.unit, type),
                             .metric_type = type,
                             .metric_bits = c->words[0]});
  emit_point(c, thread,
             &(struct event){.ticks = now, .region = region_of(c, CONSTRUCT_user_counter, &texts)});
}
