/* A tool that counts what the runtime delivers, and hands each event on to another tool.
 *
 * COUNTING_TOOL_FORWARD is that other tool (libstave.so; none if not set): it gets the very events that were
 * counted, so that numbers which differ from run to run can be compared too. COUNTING_TOOL_OUTPUT names the
 * file with the counts (struct counts; counting.py reads it): "%p" is the process's number, and if there is
 * such a file, "-2" and so on is appended, as in STAVE_OUTPUT. The file is mapped, so that the counts are
 * there however the program ends. A forked child that has events gets a file of its own.
 *
 * KIND is what callbacks.def calls the value that distinguishes the callback's events: a kind, a status,
 * flags; 1 for a league in parallel_begin and parallel_end; the flags initial to taskwait, and 0x20 for
 * merged, in task_create and implicit_task. Each dependence of `dependences` is counted as `dependence` by
 * its type as well. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "other_tool.h"

enum { CALLBACKS_MAX = 64, KINDS_MAX = 128, ENDPOINTS_MAX = 4 };
enum { NO_KIND = KINDS_MAX - 1, DEPENDENCE = CALLBACKS_MAX - 1 };

/* The file. A name is OMPT's without ompt_callback_; registered: by the other tool. */
struct counts {
  struct {
    char name[24];
    uint64_t is_registered;
  } callbacks[CALLBACKS_MAX];
  _Atomic uint64_t events[CALLBACKS_MAX][KINDS_MAX][ENDPOINTS_MAX];
};

static struct {
  struct counts *counts;
  bool *is_ours; /* in a page that the kernel wipes in a forked child */
  ompt_set_result_t results[CALLBACKS_MAX];
  ompt_callback_t forward[CALLBACKS_MAX];
  ompt_set_callback_t set_callback;
  ompt_function_lookup_t lookup;
  ompt_start_tool_result_t *other;
} self;

/* Creates the file that COUNTING_TOOL_OUTPUT names; -1 if there is none to be had. */
static int create_file(void) {
  const char *output = getenv("COUNTING_TOOL_OUTPUT"), *process = output ? strstr(output, "%p") : NULL;
  if (!output)
    return -1;
  char path[4096];
  int before = process ? (int)(process - output) : (int)strlen(output), file = -1;
  for (int i = 1; i == 1 || (file < 0 && errno == EEXIST); i++) {
    int length = snprintf(path, sizeof path - 16, "%.*s", before, output);
    if (process)
      length += snprintf(path + length, sizeof path - 16 - length, "%d%s", getpid(), process + 2);
    if (i > 1)
      snprintf(path + length, 16, "-%d", i);
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return file;
}

/* Memory for the counts, in place of what is mapped at `address` (NULL: nowhere). */
static struct counts *map_counts(void *address) {
  int file = create_file(), place = address ? MAP_FIXED : 0;
  if (file >= 0 && ftruncate(file, sizeof(struct counts)) < 0)
    abort();
  void *memory = mmap(address, sizeof(struct counts), PROT_READ | PROT_WRITE,
                      place | (file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), file, 0);
  if (memory == MAP_FAILED)
    abort();
  if (file >= 0)
    close(file);
  return memory;
}

/* A forked child has its parent's file mapped: it gets its own. One thread is left in it. */
static void adopt_counts(void) {
  typeof(self.counts->callbacks) callbacks;
  *self.is_ours = true;
  memcpy(callbacks, self.counts->callbacks, sizeof callbacks);
  memcpy(map_counts(self.counts)->callbacks, callbacks, sizeof callbacks);
}

/* Endpoint 0: the event has none. */
static void count_event(unsigned number, uint64_t kind, unsigned endpoint) {
  if (!*self.is_ours)
    adopt_counts();
  if (kind >= KINDS_MAX)
    kind = NO_KIND - 1;
  atomic_fetch_add_explicit(&self.counts->events[number][kind][endpoint % ENDPOINTS_MAX], 1,
                            memory_order_relaxed);
}

/* What distinguishes an event from others of its callback. */
struct what {
  uint64_t kind;
  unsigned endpoint;
};

static uint64_t kind_of(enum ompt_enumeration enumeration, uint64_t value) {
  const uint32_t kinds =
      OMPT_TASK_initial | OMPT_TASK_implicit | OMPT_TASK_explicit | OMPT_TASK_target | OMPT_TASK_taskwait;
  if (enumeration == OMPT_PARALLEL)
    return (value & OMPT_PARALLEL_league) != 0;
  if (enumeration == OMPT_TASK)
    return (value & kinds) | (value & OMPT_TASK_merged ? 0x20 : 0);
  return value;
}

static void look(struct what *what, enum ompt_enumeration enumeration, uint64_t value) {
  if (enumeration == OMPT_SCOPE)
    what->endpoint = (unsigned)value;
  else
    what->kind = kind_of(enumeration, value);
}

/* on_<name>: counts the event and hands it on. */
#define IGNORE(meaning, type, name) (void)name
#define LOOK(enumeration, type, name) look(&what, OMPT_##enumeration, (uint64_t)name)
#define CALLBACK(name, number, since, result, signature, ...)                                                \
  static result on_##name OMPT_PARAMETERS(signature) {                                                       \
    struct what what = {NO_KIND, 0};                                                                         \
    SIGNATURE_##signature(IGNORE, LOOK);                                                                     \
    count_event(number, what.kind, what.endpoint);                                                           \
    if (!self.forward[number])                                                                               \
      return (result)0;                                                                                      \
    return ((ompt_callback_##signature##_t)self.forward[number])OMPT_ARGUMENTS(signature);                   \
  }
#include "ompt/callbacks.def"

static void on_each_dependence(ompt_data_t *task, const ompt_dependence_t *dependences, int number) {
  for (int i = 0; dependences && i < number; i++)
    count_event(DEPENDENCE, dependences[i].dependence_type, 0);
  on_dependences(task, dependences, number);
}

static const struct {
  const char *name;
  unsigned number;
  ompt_callback_t handler;
} table[] = {
#define CALLBACK(name, number, ...) {#name, number, (ompt_callback_t)on_##name},
#include "ompt/callbacks.def"
};

enum { ROWS = sizeof table / sizeof *table };

/* What a runtime cannot always deliver without harm to the program: only if the other tool registers for it,
 * which knows when. */
static bool is_harmful(unsigned number) {
  bool is_named = false;
#define HARMFUL(name, class, reason) is_named |= number == OMPT_CALLBACK_##name;
#include "session/harmful.def"
#undef HARMFUL
  return self.other && is_named;
}

static ompt_callback_t handler_of(size_t row) {
  return table[row].number == OMPT_CALLBACK_dependences ? (ompt_callback_t)on_each_dependence
                                                        : table[row].handler;
}

/* What the other tool sees of the runtime: everything but ompt_set_callback is the runtime's own. */
static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  for (size_t i = 0; i < ROWS; i++) {
    if (table[i].number != (unsigned)which)
      continue;
    self.forward[which] = callback;
    if (is_harmful(which))
      self.results[which] = self.set_callback(which, callback ? handler_of(i) : NULL);
    self.counts->callbacks[which].is_registered = 1;
    return self.results[which];
  }
  return self.set_callback(which, callback);
}

static ompt_interface_fn_t lookup(const char *name) {
  return strcmp(name, "ompt_set_callback") ? self.lookup(name) : (ompt_interface_fn_t)set_callback;
}

static int initialize(ompt_function_lookup_t runtime_lookup, int device, ompt_data_t *tool_data) {
  (void)tool_data;
  self.lookup = runtime_lookup;
  self.set_callback = (ompt_set_callback_t)runtime_lookup("ompt_set_callback");
  for (size_t i = 0; i < ROWS; i++)
    if (!is_harmful(table[i].number))
      self.results[table[i].number] = self.set_callback(table[i].number, handler_of(i));
  return self.other ? self.other->initialize(lookup, device, &self.other->tool_data) : 1;
}

static void finalize(ompt_data_t *tool_data) {
  (void)tool_data;
  if (self.other)
    self.other->finalize(&self.other->tool_data);
}

/* Once, also where a second runtime comes in. */
static void prepare_counts(void) {
  if (self.counts)
    return;
  self.is_ours = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (self.is_ours == MAP_FAILED || madvise(self.is_ours, 1, MADV_WIPEONFORK) < 0)
    abort();
  *self.is_ours = true;
  self.counts = map_counts(NULL);
  for (size_t i = 0; i < ROWS; i++)
    strcpy(self.counts->callbacks[table[i].number].name, table[i].name);
  strcpy(self.counts->callbacks[DEPENDENCE].name, "dependence");
}

/* NULL, and the program runs without any tool, if the other tool cannot be loaded or declines. */
ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  const char *path = getenv("COUNTING_TOOL_FORWARD");
  self.other = other_tool_start(path, omp_version, runtime_version);
  if (path && !self.other)
    return NULL;
  prepare_counts();
  return &result;
}
