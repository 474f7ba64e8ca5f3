/* What became of the threads' time, in one line. */
#include "cli/report/report_print.h"

#include "cli/common/json.h"

#include "cli/common/table.h"
#include "trace/label.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

/* Of the threads' time: less is not worth a word. */
#define MIN 0.0005
#define TABLE_SHARE 0.01

static double larger_than_0(double number) {
  return number > 0 ? number : 0;
}

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
                                      [HINDRANCE_WRITER] = "Stave's writer",
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
  add(text, ", preempted %s", text_percent(share, account->ready / all));
  for (int i = 0; i < HINDRANCE_STOPPED; i++)
    if (account->lost[i] >= MIN * all) {
      add(text, "%s%s %s", separator, name_of(account, (enum hindrance)i),
          text_percent(share, account->lost[i] / all));
      separator = ", ";
    }
  add(text, "%s", *separator == ',' ? ")" : "");
  if (account->lost[HINDRANCE_STOPPED] >= MIN * all)
    add(text, ", stopped %s", text_percent(share, account->lost[HINDRANCE_STOPPED] / all));
  if (account->lost[HINDRANCE_HYPERVISOR] >= MIN * all)
    add(text, ", taken by a hypervisor %s", text_percent(share, account->lost[HINDRANCE_HYPERVISOR] / all));
  add(text, ", blocked %s", text_percent(share, account->slept / all));
  if (account->unknown >= MIN * all)
    add(text, ", not known %s (outside of the kernel's readings, ten a second)",
        text_percent(share, account->unknown / all));
  return text;
}

static bool is_accounted(const struct report_region *base) {
  return base->parallel && base->parallel->accounted > 0;
}

static double accounted_weight(const struct report_region *base) {
  return base->parallel->accounted;
}

static void add_region(struct table *table, const struct report *report, uint32_t region) {
  const struct report_parallel *one = report->regions[region].parallel;
  double all = one->accounted, slept = larger_than_0(all - one->ran - one->ready);
  char label[LABEL_BYTES], time[TEXT_TIME_BYTES], ran[TEXT_TIME_BYTES], ready[TEXT_TIME_BYTES],
      rest[TEXT_TIME_BYTES];
  const char *const cells[] = {label_region(label, report->trace, region),
                               text_time(time, report->trace, all), text_percent(ran, one->ran / all),
                               text_percent(ready, one->ready / all), text_percent(rest, slept / all)};
  table_row(table, cells);
}

double report_lost_by_others(const struct report_account *account) {
  return account->ready + account->lost[HINDRANCE_STOPPED] + account->lost[HINDRANCE_HYPERVISOR];
}

void report_print_processors(const struct report_print *print) {
  static const char *const columns[] = {"ran", "preempted", "blocked or stopped"};
  const struct report_account *account = &print->report->account;
  struct table table;
  uint32_t *order;
  if (!account->is_known || report_lost_by_others(account) < TABLE_SHARE * account->all)
    return;
  size_t count = report_print_order(print, is_accounted, accounted_weight, &order);
  if (count > 0) {
    table_heading("Processor time by parallel region");
    table_begin(&table);
    table_column(&table, "region", TABLE_TEXT);
    table_column(&table, "threads' time", TABLE_NUMBER);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
      table_column(&table, columns[i], TABLE_NUMBER);
    for (size_t i = 0; i < count && i < print->top; i++)
      add_region(&table, print->report, order[i]);
    table_print_first(&table, count, print->top);
  }
  free(order);
}

json_t *report_account_json(const struct report *report) {
  const struct report_account *account = &report->account;
  static const char *const lost[] = {[HINDRANCE_QUOTA] = "by_quota_s",
                                     [HINDRANCE_TEAM] = "by_each_other_s",
                                     [HINDRANCE_OWN_THREADS] = "by_own_threads_s",
                                     [HINDRANCE_WRITER] = "by_stave_writer_s",
                                     [HINDRANCE_OTHERS] = "by_other_processes_s",
                                     [HINDRANCE_STOPPED] = "stopped_s",
                                     [HINDRANCE_HYPERVISOR] = "by_hypervisor_s"};
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
  json_put(object, "ran_before_s", json_real(report->life.ran / second));
  return object;
}
