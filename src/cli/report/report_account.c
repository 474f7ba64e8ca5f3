/* What became of the threads' time, in one line. */
#include "cli/report/report_print.h"

#include "cli/common/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"

/* Of threads x wall time: less is not worth a word. */
#define MIN 0.0005

__attribute__((format(printf, 2, 3))) static void add(char text[ACCOUNT_BYTES], const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, ACCOUNT_BYTES - used, format, arguments);
  va_end(arguments);
}

static const char *name_of(const struct report_account *account, enum hindrance hindrance) {
  static const char *const names[] = {[HINDRANCE_QUOTA] = "a control group's quota",
                                      [HINDRANCE_TEAM] = "each other",
                                      [HINDRANCE_OWN_THREADS] = "the program's other threads",
                                      [HINDRANCE_OTHERS] = "other processes"};
  return hindrance == HINDRANCE_TEAM && account->shared < account->online ? "each other, by binding"
                                                                          : names[hindrance];
}

char *report_print_account(char text[ACCOUNT_BYTES], const struct report *report) {
  const struct report_account *account = &report->account;
  char share[TEXT_TIME_BYTES];
  double all = account->all > 0 ? account->all : 1;
  const char *separator = " (because of ";
  text[0] = '\0';
  add(text, "ran %s", text_percent(share, account->ran / all));
  add(text, ", ready without a processor %s", text_percent(share, account->ready / all));
  for (int i = 0; i < HINDRANCE_STOPPED; i++)
    if (account->lost[i] >= MIN * all) {
      add(text, "%s%s %s", separator, name_of(account, (enum hindrance)i),
          text_percent(share, account->lost[i] / all));
      separator = ", ";
    }
  add(text, "%s", *separator == ',' ? ")" : "");
  if (account->lost[HINDRANCE_STOPPED] >= MIN * all)
    add(text, ", stopped %s", text_percent(share, account->lost[HINDRANCE_STOPPED] / all));
  add(text, ", slept %s", text_percent(share, account->slept / all));
  if (account->unknown >= MIN * all)
    add(text, ", not known %s", text_percent(share, account->unknown / all));
  return text;
}

json_t *report_account_json(const struct report *report) {
  const struct report_account *account = &report->account;
  static const char *const lost[] = {[HINDRANCE_QUOTA] = "by_quota_s",
                                     [HINDRANCE_TEAM] = "by_each_other_s",
                                     [HINDRANCE_OWN_THREADS] = "by_own_threads_s",
                                     [HINDRANCE_OTHERS] = "by_other_processes_s",
                                     [HINDRANCE_STOPPED] = "stopped_s"};
  const struct {
    const char *name;
    double ticks;
  } rows[] = {{"all_s", account->all},
              {"ran_s", account->ran},
              {"ready_s", account->ready},
              {"slept_s", account->slept},
              {"not_known_s", account->unknown}};
  double second = (double)report->trace->clock.ticks_per_second;
  if (!account->is_known)
    return json_null();
  json_t *object = json_object();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    json_put(object, rows[i].name, json_real(rows[i].ticks / second));
  for (int i = 0; i < HINDRANCE_COUNT; i++)
    json_put(object, lost[i], json_real(account->lost[i] / second));
  json_put(object, "could_be_saved_s", json_real(report_hindrance_gain(report) / second));
  json_put(object, "quota", account->quota > 0 ? json_real(account->quota) : json_null());
  json_put(object, "may_use", json_from_number(account->processors));
  json_put(object, "online", json_from_number(account->online));
  return object;
}
