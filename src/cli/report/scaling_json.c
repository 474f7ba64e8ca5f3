/* A scaling as JSON: docs/schemas/scaling.schema.json. */
#include "cli/report/scaling.h"

#include <math.h>

static json_t *number(double value) {
  return isnan(value) || isinf(value) ? json_null() : json_real(value);
}

static json_t *sentence(char *(*write)(char[SCALING_TEXT_BYTES], const struct scaling *,
                                       const struct scaling_part *),
                        const struct scaling *scaling, const struct scaling_part *part) {
  char text[SCALING_TEXT_BYTES];
  return part->first == SCALING_NO_STEP || *write(text, scaling, part) == '\0' ? json_null()
                                                                               : json_from_text(text);
}

static json_t *runs_object(const struct scaling *scaling) {
  json_t *array = json_array();
  for (size_t i = 0; i < scaling->run_count; i++) {
    const struct scaling_run *run = &scaling->runs[i];
    json_t *object = json_object();
    json_put(object, "archive", json_from_text(run->path));
    json_put(object, "threads", json_from_number(run->threads));
    json_put(object, "processes", json_from_number(run->processes));
    json_put(object, "processors", run->processors ? json_from_number(run->processors) : json_null());
    json_put(object, "has_too_many_threads", json_boolean(run->is_crowded));
    json_put(object, "wall_s", number(scaling->parts[0].measures[i].wall_s));
    json_put(object, "lost_events", json_from_number(run->lost_events));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *factors_object(const double factors[FACTOR_COUNT]) {
  json_t *object = json_object();
  for (enum scaling_factor i = 0; i < FACTOR_COUNT; i++)
    json_put(object, factor_json_name(i), number(factors[i]));
  json_put(object, "product", number(factors_product(factors)));
  return object;
}

static json_t *steps_object(const struct scaling *scaling, const struct scaling_part *part) {
  json_t *array = json_array();
  for (size_t i = 0; i < scaling->step_count; i++) {
    const struct scaling_point *point = &part->points[i];
    if (!point->is_there)
      continue;
    json_t *object = json_object();
    json_put(object, "threads", json_from_number(scaling->steps[i].threads));
    json_put(object, "processes", json_from_number(scaling->steps[i].processes));
    json_put(object, "has_too_many_threads", json_boolean(scaling->steps[i].is_crowded));
    json_put(object, "runs", json_from_number(scaling->steps[i].run_count));
    json_put(object, "wall_s", number(point->wall_s));
    json_put(object, "least_s", number(point->least_s));
    json_put(object, "most_s", number(point->most_s));
    json_put(object, "speedup", number(point->speedup));
    json_put(object, "efficiency", number(point->efficiency));
    json_put(object, "miss_growth", number(point->miss_growth));
    json_put(object, "factors", factors_object(point->factors));
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *prediction(const struct scaling *scaling, const struct fit *fit, uint64_t threads) {
  json_t *object = json_object();
  double interval, seconds = scaling_predicted(scaling, fit, (double)threads, &interval);
  json_put(object, "threads", json_from_number(threads));
  json_put(object, "wall_s", number(seconds));
  json_put(object, "interval_s", number(interval));
  return object;
}

/* What the law predicts for the numbers of threads that were run, of twice as many and four times, and of the
 * one that was requested. */
static json_t *predictions_object(const struct scaling *scaling, const struct fit *fit) {
  json_t *array = json_array();
  size_t steps = scaling->step_count;
  for (size_t i = 0; i < steps + 2; i++) {
    size_t beyond = i < steps ? 1 : i == steps ? 2 : 4;
    json_array_append_new(
        array, prediction(scaling, fit, scaling->steps[i < steps ? i : steps - 1].threads * beyond));
  }
  if (scaling->predict)
    json_array_append_new(array, prediction(scaling, fit, scaling->predict));
  return array;
}

static json_t *fit_object(const struct scaling *scaling, const struct fit *fit) {
  bool is_done = fit->state == FIT_DONE;
  json_t *object = json_object();
  json_put(object, "law", json_string(fit_law_name(fit->law)));
  json_put(object, "refused", is_done ? json_null() : json_string(fit_state_reason(fit->state)));
  json_put(object, "one_thread_s", is_done ? number(fit->one_s) : json_null());
  json_put(object, "serial", is_done ? number(fit->serial) : json_null());
  json_put(object, "serial_error", is_done ? number(fit->serial_error) : json_null());
  json_put(object, "coherence", is_done ? number(fit->coherence) : json_null());
  json_put(object, "coherence_error", is_done ? number(fit->coherence_error) : json_null());
  json_put(object, "residual", is_done ? number(fit->residual) : json_null());
  json_put(object, "useful_threads", is_done ? number(scaling_useful_threads(fit)) : json_null());
  json_put(object, "predicted", is_done ? predictions_object(scaling, fit) : json_array());
  return object;
}

static json_t *stop_object(const struct scaling *scaling, const struct scaling_part *part) {
  return part->stops == SCALING_NO_STEP ? json_null() : json_from_number(scaling->steps[part->stops].threads);
}

static json_t *part_object(const struct scaling *scaling, const struct scaling_part *part) {
  json_t *object = json_object(), *fits = json_array();
  const struct fit *best = part->first == SCALING_NO_STEP ? NULL : scaling_best_fit(part);
  json_put(object, "kind", json_string(scaling_kind_name(part->kind)));
  json_put(object, "name", part->name[0] ? json_from_text(part->name) : json_null());
  json_put(object, "lost_s", number(part->lost_s));
  json_put(object, "scales_to", stop_object(scaling, part));
  json_put(object, "factor",
           part->worst == FACTOR_none ? json_null() : json_string(factor_json_name(part->worst)));
  json_put(object, "factor_loss", number(part->worst_share));
  json_put(object, "because", sentence(scaling_limit_text, scaling, part));
  json_put(object, "threads_of_use", sentence(scaling_threads_text, scaling, part));
  json_put(object, "steps", steps_object(scaling, part));
  for (enum fit_law law = 0; law < FIT_LAWS; law++)
    json_array_append_new(fits, fit_object(scaling, &part->fits[law]));
  json_put(object, "fits", fits);
  json_put(object, "best_law", best ? json_string(fit_law_name(best->law)) : json_null());
  return object;
}

json_t *scaling_object(const struct scaling *scaling) {
  char text[SCALING_TEXT_BYTES];
  json_t *object = json_object(), *parts = json_array(), *notes = json_array();
  json_put(object, "schema_version", json_from_number(SCALING_SCHEMA_VERSION));
  json_put(object, "is_weak", json_boolean(scaling->is_weak));
  json_put(object, "runs", runs_object(scaling));
  for (size_t i = 0; i < scaling->part_count; i++)
    json_array_append_new(parts, part_object(scaling, &scaling->parts[i]));
  json_put(object, "parts", parts);
  for (size_t i = 0; scaling_note(text, scaling, i); i++)
    json_array_append_new(notes, json_from_text(text));
  json_put(object, "notes", notes);
  return object;
}
