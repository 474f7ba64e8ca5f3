#include "cli/report/scaling_runs.h"

#include "base/memory.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/report/data_page.h"
#include "cli/report/pages.h"
#include "cli/report/scaling.h"

#include <math.h>
#include <stdlib.h>

static bool read_conditions(const struct scaling_request *request, struct scaling_condition *ret) {
  for (size_t i = 0; i < request->fail_if_count; i++)
    if (!scaling_condition_read(&ret[i], request->fail_if[i]))
      return usage_error("report", "--fail-if %s: unknown condition; allowed: %s", request->fail_if[i],
                         scaling_condition_words);
  return true;
}

static bool read_runs(const struct scaling_request *request, struct scaling *scaling) {
  for (size_t i = 0; i < request->runs->count; i++) {
    const char *path = request->runs->paths[i];
    json_t *report = compare_read_run(request->runs, path);
    if (!report)
      return false;
    scaling_add(scaling, path, report);
    if (scaling->runs[i].threads == 0) {
      message_print("%s: no thread was in a team or worked", path);
      return false;
    }
  }
  return true;
}

static int judge_one(const struct scaling_condition *condition, const struct scaling *scaling) {
  double value = NAN;
  int holds = scaling_condition_holds(condition, scaling, &value);
  if (holds < 0) {
    message_print("not in these runs, or not known: %s", condition->text);
    return EXIT_FAILED;
  }
  if (holds)
    message_print("condition met: %s (%.4g)", condition->text, value);
  return holds ? EXIT_FOUND : EXIT_SUCCESS;
}

static int judge(const struct scaling_request *request, const struct scaling_condition *conditions,
                 const struct scaling *scaling) {
  int status = EXIT_SUCCESS;
  for (size_t i = 0; i < request->fail_if_count; i++) {
    int one = judge_one(&conditions[i], scaling);
    status = one == EXIT_FAILED || status == EXIT_SUCCESS ? one : status;
  }
  return status;
}

static int write_page(const struct scaling *scaling, const char *output) {
  const struct data_page page = {.before = scaling_before_about,
                                 .before_bytes = scaling_before_about_bytes,
                                 .after = scaling_after_about,
                                 .after_bytes = scaling_after_about_bytes};
  json_t *data = scaling_object(scaling);
  int status = data_page_write(&page, data, output);
  json_decref(data);
  return status;
}

static int print(const struct scaling_request *request, const struct scaling *scaling) {
  if (request->html)
    return write_page(scaling, request->html);
  if (request->runs->form == COMPARE_AS_JSON)
    json_print(scaling_object(scaling));
  else
    scaling_print_text(scaling, request->runs->top);
  return message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
}

int scaling_runs(const struct scaling_request *request) {
  struct scaling_condition conditions[COMPARE_CONDITIONS_MAX];
  if (!read_conditions(request, conditions))
    return EXIT_USAGE;
  struct scaling *scaling = memory_get(1, sizeof *scaling);
  scaling->is_weak = request->is_weak;
  scaling->predict = request->predict;
  int status = EXIT_FAILED;
  if (read_runs(request, scaling)) {
    scaling_finish(scaling);
    status = print(request, scaling);
    int judged = judge(request, conditions, scaling);
    status = status == EXIT_SUCCESS ? judged : status;
  }
  scaling_free(scaling);
  free(scaling);
  return status;
}
