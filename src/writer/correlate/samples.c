/* Samples of threads: the runtime's state, and a calling context made of the constructs that are open on the
 * thread and of the addresses on its stack.
 *
 * Constructs and addresses are brought together task by task: a task's open regions, then its part of the
 * call path. The runtime may report early or late which task runs, so what does not fit is put to the
 * outermost one. */
#include <ctype.h>
#include <stdio.h>

#include "ompt/names.h"
#include "writer/correlate/correlate.h"
#include "writer/correlate/emit.h"
#include "writer/correlate/frames.h"
#include "writer/correlate/handlers.h"
#include "writer/correlate/holds.h"
#include "writer/correlate/model.h"
#include "writer/definitions/contexts.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/regions.h"

enum { TASKS_MAX = 64 };

/* -- the calling context -- */

/* The addresses of one task: [begin, end), innermost first. */
struct part {
  unsigned begin, end;
};

static unsigned split_path(const uint64_t *words, unsigned count, struct part parts[static TASKS_MAX]) {
  unsigned used = 0;
  for (unsigned i = 0; i < count && words[i]; i++) {
    bool is_new = i == 0 || ((words[i] & SAMPLE_OUTER_TASK) && used < TASKS_MAX);
    if (is_new)
      parts[used++].begin = i;
    parts[used - 1].end = i + 1;
  }
  return used;
}

static unsigned find_tasks(const struct traced_thread *thread, const struct task *tasks[static TASKS_MAX]) {
  unsigned count = 0;
  for (const struct task *task = thread->current; task && count < TASKS_MAX; task = task->outer)
    tasks[count++] = task;
  return count;
}

static uint32_t add_constructs(struct contexts *contexts, uint32_t parent, const struct task *task) {
  for (size_t i = 0; i < task->stack.count; i++)
    parent = contexts_construct(contexts, parent, task->stack.frames[i].region);
  return parent;
}

/* All but the innermost address are return addresses. */
static uint32_t add_addresses(struct contexts *contexts, uint32_t parent, const uint64_t *words,
                              struct part part) {
  for (unsigned i = part.end; i-- > part.begin;)
    parent =
        contexts_code(contexts, parent, SAMPLE_ADDRESS(words[i]) + (i == 0), words[i] & SAMPLE_IN_RUNTIME);
  return parent;
}

static uint32_t context_of(struct correlator *c, const struct traced_thread *thread,
                           const struct record_sample *record, const uint64_t *words) {
  const struct task *tasks[TASKS_MAX];
  struct part parts[TASKS_MAX];
  unsigned task_count = find_tasks(thread, tasks), part_count = split_path(words, 4u * record->more, parts);
  uint32_t context = CONTEXT_NONE;
  for (unsigned i = task_count > part_count ? task_count : part_count; i-- > 0;) {
    if (i < task_count)
      context = add_constructs(c->contexts, context, tasks[i]);
    if (i == part_count - 1 && (record->flags & SAMPLE_FLAG_CUT))
      context =
          contexts_construct(c->contexts, context, regions_get(c->regions, CONSTRUCT_frames_left_out, 0, 0));
    if (i < part_count)
      context = add_addresses(c->contexts, context, words, parts[i]);
  }
  return context;
}

/* -- the state -- */

static uint32_t state_name(struct correlator *c, uint32_t state) {
  char text[SESSION_NAME_BYTES + 1];
  const char *name = ompt_name(OMPT_STATE, state);
  if (name)
    snprintf(text, sizeof text, "ompt_state_%s", name);
  else
    snprintf(text, sizeof text, "state 0x%x", state);
  for (int i = 0; i < SESSION_NAMES && c->states[i].name[0]; i++)
    if ((uint32_t)c->states[i].value == state)
      snprintf(text, sizeof text, "%.*s", SESSION_NAME_BYTES, c->states[i].name);
  for (char *character = text; *character; character++)
    *character = isprint((unsigned char)*character) ? *character : '?';
  return definitions_string(c->definitions, text);
}

/* What the thread has requested and not got. LLVM's runtime names a lock by the user's variable in events,
 * and by its own structure in states. */
static uint64_t awaited_lock(const struct traced_thread *thread, uint64_t wait_id) {
  const struct stack *stack = &thread->current->stack;
  const struct frame *top = stack->count ? &stack->frames[stack->count - 1] : NULL;
  bool is_awaited = top && (top->kind == FRAME_LOCKING || top->kind == FRAME_MUTEX);
  return is_awaited ? top->wait_id : wait_id;
}

static void add_wait(struct correlator *c, const struct traced_thread *thread,
                     const struct record_sample *record, struct event *event) {
  uint32_t lock;
  if (!record->wait_id)
    return;
  uint64_t wait_id = awaited_lock(thread, record->wait_id);
  bool is_known = lock_number(c, wait_id, &lock);
  event->attribute2 = is_known ? ATTRIBUTE_wait_lock : ATTRIBUTE_wait_id;
  event->value2 = is_known ? lock : wait_id;
}

/* Whether something may still be written in front of this moment: a fork whose team has not started, or the
 * end of a worker's region, which comes when its primary's does. */
static bool may_be_preceded(struct traced_thread *thread) {
  const struct task *task = implicit_task_of(thread);
  if (thread->current->forked && !thread->current->forked->is_forked)
    return true;
  if (thread->undecided_count)
    return true;
  return task->team && !task->is_initial && task->team->primary != thread && task->stack.count > 1 &&
         task->stack.frames[1].kind == FRAME_SYNC;
}

void on_sample(struct correlator *c, struct traced_thread *thread, const struct record_sample *record) {
  if (c->is_paused || !thread->location.writer)
    return;
  uint32_t context = context_of(c, thread, record, c->words);
  if (context == CONTEXT_NONE)
    return;
  c->last_ticks = record->ticks > c->last_ticks ? record->ticks : c->last_ticks;
  struct event event = {.kind = EVENT_SAMPLE,
                        .ticks = record->ticks,
                        .context = context,
                        .missed = (uint32_t)(record->processor_and_missed >> 32),
                        .processor = (uint32_t)record->processor_and_missed,
                        .attribute = ATTRIBUTE_thread_state,
                        .value = state_name(c, record->state)};
  add_wait(c, thread, record, &event);
  c->figures.samples_missed += event.missed;
  emit_sample(c->emitter, &thread->location, &event, may_be_preceded(thread));
}
