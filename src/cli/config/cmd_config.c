#include "cli/config/cmd_config.h"

#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/prose.h"
#include "cli/common/table.h"
#include "cli/common/terminal.h"
#include "cli/common/usage.h"
#include "cli/config/config_mpi.h"
#include "session/config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALLOWED_BYTES = 256, MEANING_BYTES = 1024, VALUE_WIDTH = 24, MDOC_COLUMNS = 110, TABLE_WIDTH = 75 };
enum { OPTION_JSON = 256, OPTION_MARKDOWN, OPTION_MDOC, OPTION_MPI };

static const struct usage_option options[] = {
    {OPTION_JSON, "json", NULL, "one JSON object instead of text", USAGE_NOTHING, NULL},
    {OPTION_MARKDOWN, "markdown", NULL, "the variables without values, as docs/SETTINGS.md has them",
     USAGE_NOTHING, NULL},
    {OPTION_MDOC, "mdoc", NULL, "the same as the manual page has them", USAGE_NOTHING, NULL},
    {OPTION_MPI, "mpi", NULL, "how launchers of MPI give the ranks what they need to be traced",
     USAGE_NOTHING, NULL},
    {0},
};

/* A row of the table and what the environment makes of it. */
struct setting {
  const struct config_row *row;
  const char *value; /* NULL: not set. Empty counts as not set too */
  bool is_valid;
};

/* -- values -- */

/* Queries the tool's own reader about one variable alone, since it stops at the first that is wrong. */
static bool is_valid(const char *setting, char error[CONFIG_ERROR_BYTES]) {
  static struct config config;
  char unknown[CONFIG_ERROR_BYTES];
  char *const environment[] = {(char *)setting, NULL};
  return config_read(&config, environment, error, unknown) == 0;
}

static const char *find_setting(const char *variable) {
  size_t length = strlen(variable);
  for (char **entry = environ; *entry; entry++)
    if (strncmp(*entry, variable, length) == 0 && (*entry)[length] == '=')
      return *entry;
  return NULL;
}

static struct setting setting_of(const struct config_row *row) {
  char error[CONFIG_ERROR_BYTES];
  const char *entry = find_setting(row->variable);
  if (!entry)
    return (struct setting){row, NULL, true};
  const char *value = entry + strlen(row->variable) + 1;
  return (struct setting){row, value, is_valid(entry, error)};
}

static bool is_set(const struct setting *setting) {
  return setting->value && *setting->value != '\0';
}

static const char *state_of(const struct setting *setting) {
  if (!setting->is_valid)
    return "not valid";
  return is_set(setting) ? "set" : "default";
}

/* One line on stderr for each variable that is wrong or that nobody reads. Returns the exit status. */
static int complain(void) {
  static struct config config;
  int status = EXIT_SUCCESS;
  for (char **entry = environ; *entry; entry++) {
    char error[CONFIG_ERROR_BYTES], unknown[CONFIG_ERROR_BYTES];
    char *const environment[] = {*entry, NULL};
    if (config_read(&config, environment, error, unknown) < 0) {
      message_print("%s", error);
      status = EXIT_FOUND;
    } else if (*unknown != '\0') {
      message_print("%s is set, but Stave knows no such variable", unknown);
    }
  }
  return status;
}

/* -- forms -- */

static const char *value_of(const struct setting *setting) {
  return is_set(setting) ? setting->value : setting->row->standard;
}

/* A path may be cut on a narrow terminal, short values should not be. */
static enum table_column value_column(const struct config_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct setting setting = setting_of(&rows[i]);
    if (strlen(value_of(&setting)) > VALUE_WIDTH)
      return TABLE_TEXT;
  }
  return TABLE_NAME;
}

static void print_table(const struct config_row *rows, size_t count) {
  struct table table;
  table_begin(&table);
  table_column(&table, "VARIABLE", TABLE_NAME);
  table_column(&table, "VALUE", value_column(rows, count));
  table_column(&table, "IS", TABLE_NAME);
  table_column(&table, "MEANING", TABLE_PROSE);
  for (size_t i = 0; i < count; i++) {
    char meaning[MEANING_BYTES];
    struct setting setting = setting_of(&rows[i]);
    snprintf(meaning, sizeof meaning, "(%s) %s", rows[i].allowed, rows[i].doc);
    const char *const cells[] = {rows[i].variable, value_of(&setting), state_of(&setting), meaning};
    table_row(&table, cells);
  }
  table_print(&table);
}

/* Where there is no room for a table. */
static void print_paragraphs(const struct config_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct setting setting = setting_of(&rows[i]);
    prose_printf(0, "%s=%s (%s)", rows[i].variable, value_of(&setting), state_of(&setting));
    prose_printf(2, "(%s) %s", rows[i].allowed, rows[i].doc);
  }
}

static void print_text(const struct config_row *rows, size_t count) {
  size_t width = terminal_width();
  if (width > 0 && width < TABLE_WIDTH)
    print_paragraphs(rows, count);
  else
    print_table(rows, count);
}

static json_t *json_setting(const struct setting *setting) {
  const struct config_row *row = setting->row;
  json_t *value = json_from_text(value_of(setting));
  return json_pack("{s:o,s:b,s:b,s:s,s:s,s:s,s:s}", "value", value, "set", is_set(setting), "valid",
                   setting->is_valid, "default", row->standard, "type", row->type, "allowed", row->allowed,
                   "meaning", row->doc);
}

static void print_json(const struct config_row *rows, size_t count) {
  json_t *object = json_object();
  for (size_t i = 0; i < count; i++) {
    struct setting setting = setting_of(&rows[i]);
    json_put(object, rows[i].variable, json_setting(&setting));
  }
  json_print(object);
}

/* "a|b|c" as "a, b or c" and "1..9" as "1 to 9", each word between `before` and `after`. */
static void allowed_text(char target[ALLOWED_BYTES], const struct config_row *row, const char *before,
                         const char *after) {
  const char *dots = strstr(row->allowed, "..");
  size_t used = 0;
  if (strcmp(row->type, "size") == 0 || strcmp(row->type, "number") == 0) {
    snprintf(target, ALLOWED_BYTES, "%.*s to %s", (int)(dots - row->allowed), row->allowed, dots + 2);
    return;
  }
  if (strcmp(row->type, "choice") != 0) {
    snprintf(target, ALLOWED_BYTES, "%s", row->allowed);
    return;
  }
  for (const char *word = row->allowed; word && used < ALLOWED_BYTES;) {
    const char *end = strchr(word, '|');
    int length = end ? (int)(end - word) : (int)strlen(word);
    const char *join = word == row->allowed ? "" : end ? ", " : " or ";
    used += (size_t)snprintf(target + used, ALLOWED_BYTES - used, "%s%s%.*s%s", join, before, length, word,
                             after);
    word = end ? end + 1 : NULL;
  }
}

static void print_markdown(const struct config_row *rows, size_t count) {
  char allowed[ALLOWED_BYTES];
  printf("| variable | default | allowed | what it does |\n|---|---|---|---|\n");
  for (size_t i = 0; i < count; i++) {
    allowed_text(allowed, &rows[i], "`", "`");
    const char *quote = *rows[i].standard != '\0' ? "`" : "";
    printf("| `%s` | %s%s%s | %s | %s |\n", rows[i].variable, quote, rows[i].standard, quote, allowed,
           rows[i].doc);
  }
}

/* Text lines that begin with a dot or a quote would be requests, a backslash an escape. */
static void print_mdoc_word(const char *word, size_t length, bool begins_line) {
  if (begins_line && (*word == '.' || *word == '\''))
    fputs("\\&", stdout);
  for (size_t i = 0; i < length; i++)
    if (word[i] == '\\')
      fputs("\\e", stdout);
    else
      putchar(word[i]);
}

/* A sentence begins a line. */
static void print_mdoc_text(const char *text) {
  size_t column = 0;
  for (const char *word = text; *word != '\0';) {
    size_t length = strcspn(word, " ");
    print_mdoc_word(word, length, column == 0);
    column += length + 1;
    bool ends_sentence = length > 0 && word[length - 1] == '.';
    word += length + (word[length] == ' ');
    bool ends_line = *word == '\0' || ends_sentence || column + strcspn(word, " ") > MDOC_COLUMNS;
    putchar(ends_line ? '\n' : ' ');
    column = ends_line ? 0 : column;
  }
}

static void print_mdoc(const struct config_row *rows, size_t count) {
  char allowed[ALLOWED_BYTES], line[2 * ALLOWED_BYTES];
  printf(".Bl -tag -width Ds\n");
  for (size_t i = 0; i < count; i++) {
    allowed_text(allowed, &rows[i], "", "");
    bool has_default = *rows[i].standard != '\0';
    snprintf(line, sizeof line, "(%s%s%s)", allowed, has_default ? "; default " : "", rows[i].standard);
    printf(".It Ev %s\n", rows[i].variable);
    print_mdoc_text(line);
    print_mdoc_text(rows[i].doc);
  }
  printf(".El\n");
}

/* -- the command -- */

static int print(int form) {
  size_t count;
  const struct config_row *rows = config_rows(&count);
  if (form == OPTION_MPI)
    return config_print_mpi();
  if (form == OPTION_MARKDOWN)
    print_markdown(rows, count);
  else if (form == OPTION_MDOC)
    print_mdoc(rows, count);
  else if (form == OPTION_JSON)
    print_json(rows, count);
  else
    print_text(rows, count);
  return form == OPTION_MARKDOWN || form == OPTION_MDOC ? EXIT_SUCCESS : complain();
}

static bool set_option(void *form, int option, const char *value) {
  (void)value;
  *(int *)form = option;
  return true;
}

const struct usage *cmd_config_usage(void) {
  static const struct usage usage = {
      .command = "config",
      .summary = "list the settings and their values",
      .synopsis = "[--json | --markdown | --mdoc | --mpi]",
      .about = "Lists the environment variables that Stave reads, with their values here and now.",
      .status =
          "Exit status: 0; 1 if --mpi finds no library; 2 if an option is wrong; 3 if a value is not valid.",
      .options = options,
      .set = set_option,
  };
  return &usage;
}

int cmd_config(int argc, char **argv) {
  int form = 0;
  int status = usage_read(cmd_config_usage(), argc, argv, &form);
  return status >= 0 ? status : print(form);
}
