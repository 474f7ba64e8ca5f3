/* The environment variables STAVE_*: one table (config.def), read once at start. */
#ifndef STAVE_SESSION_CONFIG_H
#define STAVE_SESSION_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_TEXT_BYTES = 4096, CONFIG_ERROR_BYTES = 512 };

enum overflow_policy { OVERFLOW_block, OVERFLOW_drop };
enum fork_policy { FORK_follow, FORK_ignore };
enum otf2_words { OTF2_WORDS_3_0, OTF2_WORDS_3_1 };
enum device_mode { DEVICE_on, DEVICE_off };
enum start_mode { START_on, START_paused };
enum record_log_mode { RECORD_LOG_off, RECORD_LOG_on };
enum system_mode { SYSTEM_off, SYSTEM_on };

/* Classes of events: bits of config.events. */
enum event_class_position {
#define CLASS(id, name, scorep) EVENT_CLASS_POSITION_##id,
#include "ompt/classes.def"
  EVENT_CLASS_COUNT,
};

enum event_class {
#define CLASS(id, name, scorep) EVENT_CLASS_##id = 1 << EVENT_CLASS_POSITION_##id,
#include "ompt/classes.def"
  EVENT_CLASS_all = (1 << EVENT_CLASS_COUNT) - 1,
  EVENT_CLASS_mpi = EVENT_CLASS_mpi_p2p | EVENT_CLASS_mpi_coll | EVENT_CLASS_mpi_comm | EVENT_CLASS_mpi_rma |
                    EVENT_CLASS_mpi_io | EVENT_CLASS_mpi_other,
};

/* The class's bit, so far to the left: it was named by itself, not as one of several. */
enum { EVENT_CLASS_NAMED_SHIFT = 32 };
_Static_assert((int)EVENT_CLASS_COUNT <= EVENT_CLASS_NAMED_SHIFT, "both fit into 64 bits");

typedef char config_text[CONFIG_TEXT_BYTES];
typedef uint64_t config_size; /* bytes */
typedef uint32_t config_number;
typedef uint32_t config_choice;  /* position in the row's list */
typedef uint64_t config_classes; /* set of enum event_class */

/* What is kept of a recording that goes on without end; both 0: everything. */
typedef struct {
  uint64_t ns;    /* so long before the last record; 0: as long as there is room */
  uint64_t bytes; /* of memory; 0: as much as KEEP_BYTES_STANDARD */
} config_keep;
enum { KEEP_BYTES_STANDARD = 1 << 30, KEEP_BYTES_MIN = 1 << 20 };

/* Which regions are watched, and how long one may last. */
enum trigger_kind { TRIGGER_parallel, TRIGGER_region };
enum { TRIGGER_NAME_BYTES = 128, TRIGGERS_MAX = 4, TRIGGER_SLOWEST_MAX = 10 };
struct config_watch {
  enum trigger_kind kind;
  char name[TRIGGER_NAME_BYTES]; /* of a region; or of a file, empty: any */
  uint32_t line;
  uint64_t slowest;  /* so many of the longest instances are requested; 0: the next one counts */
  uint64_t limit_ns; /* 0: `medians` counts */
  uint64_t medians;  /* so many times the median of those before */
};
typedef struct {
  uint32_t count;
  struct config_watch watches[TRIGGERS_MAX];
} config_trigger;

struct config {
#define SETTING(id, variable, type, standard, allowed, doc) config_##type id;
#include "session/config.def"
#undef SETTING
};

/* A row of the table, for those who print it. */
struct config_row {
  const char *variable;
  const char *type;
  const char *standard;
  const char *allowed;
  const char *doc;
};

/* The table, in order; *ret_count rows. Constant memory. */
const struct config_row *config_rows(size_t *ret_count);

/* Fills *config from the environment block `environment` (NULL-terminated "NAME=value" strings).
 * Returns 0, or -EINVAL with one line in `error` that names the variable, its value and what is allowed.
 * A variable STAVE_* that no row has is not an error: the first of them is named in `unknown` (else empty).
 * Allocates nothing. */
int config_read(struct config *config, char *const *environment, char error[CONFIG_ERROR_BYTES],
                char unknown[CONFIG_ERROR_BYTES]);

/* The variable that is nearest to one that no row has, or NULL. Constant memory. */
const char *config_near(const char *unknown);

/* Whether the variable may have this value. */
bool config_allows(const char *variable, const char *value);

/* The words of a list of event classes, from 0 on; NULL after the last. */
const char *config_event_class(size_t number);

#endif
