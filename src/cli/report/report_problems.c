/* How a run ended that did not end in order, for the page of stave timeline: a deadlock, and where each
 * thread was. */
#include "cli/report/report_print.h"

#include "report/text.h"

#include <stdio.h>

enum { TEXTS_MAX = 32 };

/* `texts` and `rows` belong to the object afterwards; seconds since the trace's beginning. */
static json_t *problem(const struct report *report, const char *kind, json_t *texts, json_t *rows,
                       uint64_t from_ticks) {
  const struct trace_clock *clock = &report->trace->clock;
  json_t *object = json_object();
  json_put(object, "kind", json_string(kind));
  json_put(object, "note", json_null());
  json_put(object, "texts", texts);
  json_put(object, "rows", rows);
  json_put(object, "place", json_null());
  json_put(object, "from_s",
           json_real((double)(from_ticks - clock->first_ticks) / (double)clock->ticks_per_second));
  json_put(object, "to_s",
           json_real((double)(report->last_ticks - clock->first_ticks) / (double)clock->ticks_per_second));
  return object;
}

/* Since when the location has been where it was at the end, or `since` if that is later. */
static uint64_t latest_since(const struct report *report, size_t location, uint64_t since) {
  const struct report_final_state *state = &report->final_states[location];
  bool is_later = state->open_count > 0 && !state->open[0].is_held && state->open[0].since_ticks > since;
  return is_later ? state->open[0].since_ticks : since;
}

static void add_waits(json_t *texts, const struct report *report, size_t location) {
  const struct report_final_state *state = &report->final_states[location];
  char text[WAIT_BYTES];
  for (size_t i = 0; i < state->wait_count && json_array_size(texts) < TEXTS_MAX; i++) {
    report_wait_text(text, report, location, &state->waits[i]);
    json_array_append_new(texts, json_from_text(text));
  }
}

static void add_deadlock(json_t *problems, const struct report *report) {
  char circle[DEADLOCK_BYTES];
  json_t *texts = json_array(), *rows = json_array();
  uint64_t since = report->first_ticks;
  if (!report_deadlock_text(circle, sizeof circle, report)) {
    json_decref(texts);
    json_decref(rows);
    return;
  }
  for (size_t i = 0; i < report->deadlock_count; i++) {
    json_array_append_new(rows, json_from_number(report->deadlock[i]));
    since = latest_since(report, report->deadlock[i], since);
    add_waits(texts, report, report->deadlock[i]);
  }
  json_t *object = problem(report, "deadlock", texts, rows, since);
  json_put(object, "what", json_pack("s+", "each waits for the next: ", circle));
  json_array_append_new(problems, object);
}

/* "OMP thread 1: omp_set_lock @a.c:8 for 3.98 s". */
static json_t *state_text(const struct report *report, size_t location) {
  const struct report_final_state *state = &report->final_states[location];
  const char *thread = report->trace->locations[location].name;
  char label[LABEL_BYTES], time[TEXT_TIME_BYTES], text[WAIT_BYTES];
  if (state->open_count == 0)
    snprintf(text, sizeof text, "%s: %s", thread, activity_name(state->activity));
  else
    snprintf(text, sizeof text, "%s: %s%s for %s", thread, state->open[0].is_held ? "holds " : "",
             label_region(label, report->trace, state->open[0].region),
             text_time(time, report->trace, (double)(report->last_ticks - state->open[0].since_ticks)));
  return json_from_text(text);
}

static void add_ending(json_t *problems, const struct report *report) {
  json_t *texts = json_array();
  uint64_t since = report->first_ticks;
  for (size_t i = 0; report->final_states && i < report->trace->location_count; i++)
    if (report->threads[i].is_seen && !report->threads[i].is_device) {
      since = latest_since(report, i, since);
      if (json_array_size(texts) < TEXTS_MAX)
        json_array_append_new(texts, state_text(report, i));
    }
  json_t *object = problem(report, "ended", texts, json_null(), since);
  json_put(object, "what", json_from_text(report->ending));
  json_array_append_new(problems, object);
}

json_t *report_problems_json(const struct report *report) {
  json_t *problems = json_array();
  add_deadlock(problems, report);
  if (report->has_ended_badly)
    add_ending(problems, report);
  return problems;
}
