/* The STAVE_* variables: what is taken, what is refused, and in which words. */
#include <errno.h>
#include <string.h>

#include "unit.h"

#include "session/config.h"

static struct config config;
static char message[CONFIG_ERROR_BYTES], unknown_name[CONFIG_ERROR_BYTES];

/* Reads an environment of this one string between two that are none of Stave's business. */
static int read_setting(const char *setting) {
  char *environment[] = {"PATH=/bin", (char *)setting, "XSTAVE_OUTPUT=no", NULL};
  memset(&config, 0xa5, sizeof config);
  memset(message, 0, sizeof message);
  return config_read(&config, environment, message, unknown_name);
}

static void expect_defaults(void) {
  assert_string_equal(config.output, "stave-%e-%p");
  assert_int_equal(config.events, EVENT_CLASS_all);
  assert_int_equal(config.buffer_size, 4 << 20);
  assert_int_equal(config.overflow, OVERFLOW_block);
  assert_int_equal(config.fork, FORK_follow);
  assert_int_equal(config.timeout, 60);
  assert_int_equal(config.max_size, 0);
  assert_string_equal(config.writer, "");
  assert_int_equal(config.verbose, 1);
  assert_string_equal(config.status, "");
}

static void defaults_need_no_environment(void **state) {
  char *nothing[] = {NULL};
  (void)state;
  memset(&config, 0xa5, sizeof config);
  assert_int_equal(config_read(&config, nothing, message, unknown_name), 0);
  expect_defaults();
  memset(&config, 0xa5, sizeof config);
  assert_int_equal(config_read(&config, NULL, message, unknown_name), 0);
  expect_defaults();
  assert_string_equal(unknown_name, "");
}

/* As a shell leaves it when a variable is cleared. */
static void empty_values_are_defaults(void **state) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  (void)state;
  for (size_t i = 0; i < count; i++) {
    char setting[64];
    snprintf(setting, sizeof setting, "%s=", rows[i].variable);
    assert_int_equal(read_setting(setting), 0);
    expect_defaults();
  }
}

static void every_row_prints_its_value(void **state) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  (void)state;
  assert_true(count >= 10);
  for (size_t i = 0; i < count; i++) {
    assert_memory_equal(rows[i].variable, "STAVE_", 6);
    assert_true(strlen(rows[i].doc) > 20);
    assert_non_null(rows[i].standard);
    assert_true(strlen(rows[i].allowed) > 0);
    for (size_t j = 0; j < i; j++)
      assert_string_not_equal(rows[i].variable, rows[j].variable);
  }
}

static void numbers_are_read(void **state) {
  static const struct {
    const char *setting;
    uint32_t *field;
    uint32_t value;
  } good[] = {
      {"STAVE_TIMEOUT=1", &config.timeout, 1},
      {"STAVE_TIMEOUT=3600", &config.timeout, 3600},
      {"STAVE_TIMEOUT=007", &config.timeout, 7},
      {"STAVE_VERBOSE=0", &config.verbose, 0},
      {"STAVE_SAMPLE_HZ=0", &config.sample_hz, 0},
      {"STAVE_SAMPLE_HZ=10000", &config.sample_hz, 10000},
      {"STAVE_VERBOSE=2", &config.verbose, 2},
      {"STAVE_OVERFLOW=block", &config.overflow, OVERFLOW_block},
      {"STAVE_OVERFLOW=drop", &config.overflow, OVERFLOW_drop},
      {"STAVE_FORK=ignore", &config.fork, FORK_ignore},
      {"STAVE_FORK=follow", &config.fork, FORK_follow},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    assert_int_equal(read_setting(good[i].setting), 0);
    assert_int_equal(*good[i].field, good[i].value);
  }
}

static void limits_of_keeping_are_read(void **state) {
  static const struct {
    const char *setting;
    uint64_t ns, bytes;
  } good[] = {
      {"STAVE_KEEP=", 0, 0},
      {"STAVE_KEEP=10s", UINT64_C(10000000000), 0},
      {"STAVE_KEEP=250ms", 250000000, 0},
      {"STAVE_KEEP=2min", UINT64_C(120000000000), 0},
      {"STAVE_KEEP=1h", UINT64_C(3600000000000), 0},
      {"STAVE_KEEP=500M", 0, 500 << 20},
      {"STAVE_KEEP=500m,10s", UINT64_C(10000000000), 500 << 20},
      {"STAVE_KEEP=10s,2G", UINT64_C(10000000000), UINT64_C(2) << 30},
  };
  static const char *const bad[] = {"10",
                                    "0s",
                                    "s",
                                    "10s,",
                                    ",10s",
                                    "10s,20s",
                                    "1M,2M",
                                    "-1s",
                                    "10x",
                                    "1K",
                                    "0",
                                    "1.5s",
                                    "99999999999999999999s",
                                    "10 s"};
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    assert_int_equal(read_setting(good[i].setting), 0);
    assert_int_equal(config.keep.ns, good[i].ns);
    assert_int_equal(config.keep.bytes, good[i].bytes);
  }
  for (size_t i = 0; i < COUNT(bad); i++) {
    char setting[64];
    snprintf(setting, sizeof setting, "STAVE_KEEP=%s", bad[i]);
    assert_int_equal(read_setting(setting), -EINVAL);
  }
}

static void triggers_are_read(void **state) {
  static const char *const bad[] = {"parallel",
                                    "parallel >",
                                    "> 5ms",
                                    "parallel > 5",
                                    "loop > 5ms",
                                    "region > 5ms",
                                    "parallel @a.c > 5ms",
                                    "parallel @:3 > 5ms",
                                    "parallel @a.c:0 > 5ms",
                                    "parallel > 0 x median",
                                    "parallel > 3 x mean",
                                    "parallel > 3 x median x",
                                    "slowest 0 parallel",
                                    "slowest 11 parallel",
                                    "slowest 3",
                                    "slowest 3 parallel > 5ms",
                                    "parallel > 5ms;;parallel > 6ms",
                                    "slowest 3 parallel; fast",
                                    "region a>1s;region b>1s;region c>1s;region d>1s;region e>1s"};
  (void)state;
  assert_int_equal(read_setting("STAVE_TRIGGER=parallel @src/app.c:12 > 50ms"), 0);
  assert_int_equal(config.trigger.watches[0].kind, TRIGGER_parallel);
  assert_string_equal(config.trigger.watches[0].name, "src/app.c");
  assert_int_equal(config.trigger.watches[0].line, 12);
  assert_int_equal(config.trigger.watches[0].limit_ns, 50000000);
  assert_int_equal(read_setting("STAVE_TRIGGER=region time step>3 x median"), 0);
  assert_int_equal(config.trigger.watches[0].kind, TRIGGER_region);
  assert_string_equal(config.trigger.watches[0].name, "time step");
  assert_int_equal(config.trigger.watches[0].medians, 3);
  assert_int_equal(read_setting("STAVE_TRIGGER=parallel > 1s"), 0);
  assert_int_equal(config.trigger.watches[0].line, 0);
  assert_int_equal(config.trigger.count, 1);
  assert_int_equal(read_setting("STAVE_TRIGGER=slowest 5 region step; parallel @a.c:3 > 5ms;"), 0);
  assert_int_equal(config.trigger.count, 2);
  assert_int_equal(config.trigger.watches[0].slowest, 5);
  assert_string_equal(config.trigger.watches[0].name, "step");
  assert_int_equal(config.trigger.watches[1].slowest, 0);
  assert_int_equal(config.trigger.watches[1].line, 3);
  for (size_t i = 0; i < COUNT(bad); i++) {
    char setting[96];
    snprintf(setting, sizeof setting, "STAVE_TRIGGER=%s", bad[i]);
    assert_int_equal(read_setting(setting), -EINVAL);
  }
}

static void sizes_are_read(void **state) {
  static const struct {
    const char *setting;
    uint64_t *field;
    uint64_t value;
  } good[] = {
      {"STAVE_BUFFER_SIZE=65536", &config.buffer_size, 65536},
      {"STAVE_BUFFER_SIZE=64K", &config.buffer_size, 65536},
      {"STAVE_BUFFER_SIZE=64k", &config.buffer_size, 65536},
      {"STAVE_BUFFER_SIZE=1m", &config.buffer_size, 1 << 20},
      {"STAVE_BUFFER_SIZE=64M", &config.buffer_size, 64 << 20},
      {"STAVE_MAX_SIZE=0", &config.max_size, 0},
      {"STAVE_MAX_SIZE=1", &config.max_size, 1},
      {"STAVE_MAX_SIZE=3g", &config.max_size, UINT64_C(3) << 30},
      {"STAVE_MAX_SIZE=1024G", &config.max_size, UINT64_C(1) << 40},
      {"STAVE_MAX_SIZE=1099511627776", &config.max_size, UINT64_C(1) << 40},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    assert_int_equal(read_setting(good[i].setting), 0);
    assert_int_equal(*good[i].field, good[i].value);
  }
}

/* Of the classes that are named here; there may be more. */
enum {
  ALWAYS = EVENT_CLASS_thread | EVENT_CLASS_parallel,
  NAMED =
      ALWAYS | EVENT_CLASS_task | EVENT_CLASS_work | EVENT_CLASS_sync | EVENT_CLASS_wait | EVENT_CLASS_mutex,
};

static void classes_are_read(void **state) {
  static const struct {
    const char *setting;
    uint32_t set;
  } good[] = {
      {"STAVE_EVENTS=all", NAMED},
      {"STAVE_EVENTS=scorep", NAMED & ~EVENT_CLASS_wait},
      {"STAVE_EVENTS=task", ALWAYS | EVENT_CLASS_task},
      {"STAVE_EVENTS=thread", ALWAYS},
      {"STAVE_EVENTS=work,sync", ALWAYS | EVENT_CLASS_work | EVENT_CLASS_sync},
      {"STAVE_EVENTS=scorep,wait", NAMED},
      {"STAVE_EVENTS=all,-mutex,-task", NAMED & ~(EVENT_CLASS_mutex | EVENT_CLASS_task)},
      {"STAVE_EVENTS=-mutex", NAMED & ~EVENT_CLASS_mutex},
      {"STAVE_EVENTS=-mutex,mutex", NAMED},
      {"STAVE_EVENTS=-all", ALWAYS},
      {"STAVE_EVENTS=-parallel,-thread", NAMED},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(good); i++) {
    assert_int_equal(read_setting(good[i].setting), 0);
    assert_int_equal(config.events & NAMED, good[i].set);
  }
}

static void texts_are_kept_as_they_are(void **state) {
  static char setting[sizeof "STAVE_OUTPUT=" + CONFIG_TEXT_BYTES];
  (void)state;
  assert_int_equal(read_setting("STAVE_OUTPUT=/tmp/a b=%p"), 0);
  assert_string_equal(config.output, "/tmp/a b=%p");
  assert_int_equal(read_setting("STAVE_WRITER=/x"), 0);
  assert_string_equal(config.writer, "/x");
  int n = snprintf(setting, sizeof setting, "STAVE_OUTPUT=");
  memset(setting + n, 'x', CONFIG_TEXT_BYTES - 1);
  assert_int_equal(read_setting(setting), 0);
  assert_string_equal(config.output, setting + n);
  memset(setting + n, 'x', CONFIG_TEXT_BYTES);
  assert_int_equal(read_setting(setting), -EINVAL);
}

/* "all" names none of them: what does harm is recorded only where its class is named. */
static void named_classes_are_marked(void **state) {
  static const struct {
    const char *setting;
    uint32_t named;
  } rows[] = {{"STAVE_EVENTS=all", 0},
              {"STAVE_EVENTS=scorep", 0},
              {"STAVE_EVENTS=-task", 0},
              {"STAVE_EVENTS=all,error", EVENT_CLASS_error},
              {"STAVE_EVENTS=depend,error", EVENT_CLASS_depend | EVENT_CLASS_error},
              {"STAVE_EVENTS=error,-error,all", 0}};
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_int_equal(read_setting(rows[i].setting), 0);
    assert_int_equal(config.events >> EVENT_CLASS_NAMED_SHIFT, rows[i].named);
  }
}

/* The error names the variable, the value and what is allowed, on one line. */
static void bad_values_are_reported(void **state) {
  static const char *const bad[][3] = {
      {"STAVE_TIMEOUT", "0", "1..3600"},
      {"STAVE_TIMEOUT", "3601", "1..3600"},
      {"STAVE_TIMEOUT", "-1", "1..3600"},
      {"STAVE_TIMEOUT", " 5", "1..3600"},
      {"STAVE_TIMEOUT", "5 ", "1..3600"},
      {"STAVE_TIMEOUT", "5s", "1..3600"},
      {"STAVE_TIMEOUT", "1K", "1..3600"},
      {"STAVE_TIMEOUT", "0x10", "1..3600"},
      {"STAVE_TIMEOUT", "4294967297", "1..3600"},
      {"STAVE_TIMEOUT", "18446744073709551617", "1..3600"},
      {"STAVE_VERBOSE", "3", "0..2"},
      {"STAVE_SAMPLE_HZ", "10001", "0..10000"},
      {"STAVE_VERBOSE", "yes", "0..2"},
      {"STAVE_BUFFER_SIZE", "65535", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "63K", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "65M", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "1T", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "1MB", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "M", "64K..64M"},
      {"STAVE_BUFFER_SIZE", "18014398509481985K", "64K..64M"},
      {"STAVE_MAX_SIZE", "1025G", "0..1024G"},
      {"STAVE_MAX_SIZE", "18446744073709551615G", "0..1024G"},
      {"STAVE_OVERFLOW", "dropp", "block|drop"},
      {"STAVE_OVERFLOW", "bloc", "block|drop"},
      {"STAVE_OVERFLOW", "Block", "block|drop"},
      {"STAVE_OVERFLOW", "block|drop", "block|drop"},
      {"STAVE_FORK", "1", "follow|ignore"},
      {"STAVE_EVENTS", "tasks", "all, scorep, or classes"},
      {"STAVE_EVENTS", "task,", "all, scorep, or classes"},
      {"STAVE_EVENTS", ",task", "all, scorep, or classes"},
      {"STAVE_EVENTS", "-", "all, scorep, or classes"},
      {"STAVE_EVENTS", "--task", "all, scorep, or classes"},
      {"STAVE_EVENTS", "task wait", "all, scorep, or classes"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(bad); i++) {
    char setting[128];
    snprintf(setting, sizeof setting, "%s=%s", bad[i][0], bad[i][1]);
    assert_int_equal(read_setting(setting), -EINVAL);
    assert_non_null(strstr(message, setting));
    assert_non_null(strstr(message, bad[i][2]));
    assert_null(strchr(message, '\n'));
  }
}

/* Whatever the value holds, the message stays one readable line that fits. */
static void messages_hold_no_control_characters(void **state) {
  static char setting[10000];
  (void)state;
  assert_int_equal(read_setting("STAVE_VERBOSE=1\n\033[2J\377"), -EINVAL);
  assert_non_null(strstr(message, "STAVE_VERBOSE=1??[2J?"));
  memset(setting, 'y', sizeof setting - 1);
  memcpy(setting, "STAVE_VERBOSE=", strlen("STAVE_VERBOSE="));
  assert_int_equal(read_setting(setting), -EINVAL);
  assert_true(strlen(message) < CONFIG_ERROR_BYTES);
  assert_non_null(strstr(message, "0..2"));
}

static void similar_names_are_proposed(void **state) {
  (void)state;
  assert_string_equal(config_near("STAVE_EVNTS"), "STAVE_EVENTS");
  assert_string_equal(config_near("STAVE_OUTPUTS"), "STAVE_OUTPUT");
  assert_null(config_near("STAVE_XYZZY")); /* the prefix is no part of what is alike */
  assert_null(config_near("STAVE_"));
  assert_null(config_near(""));
}

static void unknown_variables_are_named(void **state) {
  char *environment[] = {"STAVE_TIMEOUT=20", "STAVE_OUTPUTS=x", "STAVE_NEXT=y", "STAVE_VERBOSE=2", NULL};
  (void)state;
  assert_int_equal(config_read(&config, environment, message, unknown_name), 0);
  assert_string_equal(unknown_name, "STAVE_OUTPUTS");
  assert_int_equal(config.timeout, 20);
  assert_int_equal(config.verbose, 2);
  assert_int_equal(read_setting("STAVE_OUTPU=x"), 0);
  assert_string_equal(unknown_name, "STAVE_OUTPU");
  assert_int_equal(read_setting("stave_output=x"), 0);
  assert_string_equal(unknown_name, "");
  assert_int_equal(read_setting("STAVE_WITHOUT_VALUE"), 0);
  assert_string_equal(unknown_name, "");
  expect_defaults();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_need_no_environment),
      cmocka_unit_test(empty_values_are_defaults),
      cmocka_unit_test(every_row_prints_its_value),
      cmocka_unit_test(numbers_are_read),
      cmocka_unit_test(limits_of_keeping_are_read),
      cmocka_unit_test(triggers_are_read),
      cmocka_unit_test(sizes_are_read),
      cmocka_unit_test(classes_are_read),
      cmocka_unit_test(texts_are_kept_as_they_are),
      cmocka_unit_test(named_classes_are_marked),
      cmocka_unit_test(bad_values_are_reported),
      cmocka_unit_test(messages_hold_no_control_characters),
      cmocka_unit_test(unknown_variables_are_named),
      cmocka_unit_test(similar_names_are_proposed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
