/* The scripted runtime: loads a tool as an OpenMP runtime does, and executes a script, line by line.
 *
 *     2: sync_region begin kind=barrier_explicit parallel=P1 task=I2 codeptr=alpha+4
 *
 * Thread 2 fires a callback; the lines are executed one after the other, whatever their thread (0, the main
 * thread, if left out). Callbacks are called as in OMPT, without ompt_callback_; the keys and the
 * names of values come from src/ompt, and every number is allowed in the place of a name. P1 and
 * I2 are ompt_data_t objects: they come into being with the value 0 and keep what the tool stores; beside=N
 * on the line hands out addresses N bytes after theirs. Addresses are functions (those of
 * scripted_program.c, of any library) plus an offset, or numbers. '#' starts a comment. The other actions:
 *
 *     runtime version="..." omp=201611      the arguments of ompt_start_tool
 *     result dispatch never                 what ompt_set_callback answers (default: always)
 *     states 0=work_parallel 1=...          what the enumeration functions return (default: nothing)
 *     mutex_impls 1=spin 2=queuing
 *     places 0=0,1 1=2,3                    places and their processors
 *     lacks ompt_get_state                  what the lookup does not find
 *     start; start_tool; initialize         start is both others
 *     finalize; unload                      unload closes the tool's library
 *     2: is place=1 processor=3 state=0x41 wait=0x10      what the inquiry functions answer on this thread
 *     forget P1 I2                          from now on these names mean something new, with the value 0
 *     repeat 100 ... done                   not nested
 *     2: leave                              the thread ends, without a word
 *     1: exit 3; 1: _exit 3; 1: abort       the process ends
 *     stop                                  the process stops (SIGSTOP), for whoever has started it
 *     inject, until, called                 CUDA: see scripted_cuda.c
 *     device, mark, record, native, odd, deliver            what devices record: see scripted_devices.c
 *
 * The runtime has a number, 1 by default: runtime=2 on `start`, `finalize` or a callback is another one in
 * the same process. A callback that the tool has not registered is skipped. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scripted_runtime.h"

enum { NAMES_MAX = 64, PLACES_MAX = 16 };

struct runtime {
  ompt_start_tool_result_t *tool;
  bool is_active;
  ompt_callback_t callbacks[CALLBACKS_MAX];
};

static struct {
  void *library;
  const char *counts_path;
  const char *version;
  unsigned omp_version;
  struct runtime runtimes[RUNTIMES_MAX + 1];
  struct runtime *initializing;
  int results[CALLBACKS_MAX];
  struct name states[NAMES_MAX], mutex_impls[NAMES_MAX];
  const char *places[PLACES_MAX];
  int place_count;
  const char *lacking[NAMES_MAX];
  unsigned delivered[CALLBACKS_MAX], skipped[CALLBACKS_MAX];
} self = {.version = "scripted runtime", .omp_version = 202011};

_Thread_local struct thread_answers answers = {.place = -1, .processor = -1};

/* -- what the tool may call -- */

static ompt_set_result_t set_callback(ompt_callbacks_t which, ompt_callback_t callback) {
  unsigned number = (unsigned)which;
  if (number >= CALLBACKS_MAX)
    return OMPT_SET_RESULT_error;
  if (self.results[number] > OMPT_SET_RESULT_never)
    self.initializing->callbacks[number] = callback;
  return (ompt_set_result_t)self.results[number];
}

static int get_callback(ompt_callbacks_t which, ompt_callback_t *callback) {
  if ((unsigned)which >= CALLBACKS_MAX || !self.initializing->callbacks[which])
    return 0;
  *callback = self.initializing->callbacks[which];
  return 1;
}

/* The names are in a row; the first follows any unknown value. */
static int enumerate(const struct name *names, int current, int *next, const char **name) {
  size_t i = 0;
  while (names[i].name && (int)names[i].value != current)
    i++;
  i = names[i].name ? i + 1 : 0;
  if (!names[i].name)
    return 0;
  *next = (int)names[i].value;
  *name = names[i].name;
  return 1;
}

static int enumerate_states(int current, int *next, const char **name) {
  return enumerate(self.states, current, next, name);
}

static int enumerate_mutex_impls(int current, int *next, const char **name) {
  return enumerate(self.mutex_impls, current, next, name);
}

static ompt_data_t *get_thread_data(void) {
  return answers.thread_data;
}

static int get_state(ompt_wait_id_t *wait_id) {
  if (wait_id)
    *wait_id = answers.wait_id;
  return answers.state;
}

static int get_parallel_info(int level, ompt_data_t **parallel, int *team_size) {
  (void)level, (void)parallel, (void)team_size;
  return 0;
}

static int get_task_info(int level, int *flags, ompt_data_t **task, ompt_frame_t **frame,
                         ompt_data_t **parallel, int *thread) {
  (void)level, (void)flags, (void)task, (void)frame, (void)parallel, (void)thread;
  return 0;
}

static int get_task_memory(void **address, size_t *size, int block) {
  (void)address, (void)size, (void)block;
  return 0;
}

static int get_num_places(void) {
  return self.place_count;
}

static int get_place_num(void) {
  return answers.place;
}

static int get_proc_id(void) {
  return answers.processor;
}

static int get_num_procs(void) {
  return 4;
}

/* As many as fit; returns how many there are. */
static int get_place_proc_ids(int place, int size, int *ids) {
  int count = 0;
  if (place < 0 || place >= self.place_count)
    return 0;
  for (const char *text = self.places[place]; *text; count++) {
    char *end;
    int id = (int)strtol(text, &end, 10);
    if (count < size)
      ids[count] = id;
    text = *end ? end + 1 : end;
  }
  return count;
}

static int get_partition_place_nums(int size, int *nums) {
  for (int i = 0; i < self.place_count && i < size; i++)
    nums[i] = i;
  return self.place_count;
}

static uint64_t get_unique_id(void) {
  static uint64_t id;
  return __atomic_add_fetch(&id, 1, __ATOMIC_RELAXED);
}

static int get_num_devices(void) {
  return 0;
}

static int get_target_info(uint64_t *device, ompt_id_t *target, ompt_id_t *operation) {
  (void)device, (void)target, (void)operation;
  return 0;
}

static const struct {
  const char *name;
  ompt_interface_fn_t function;
} functions[] = {
#define FUNCTION(name)                                                                                       \
  { "ompt_" #name, (ompt_interface_fn_t)name }
    FUNCTION(set_callback),    FUNCTION(get_callback),      FUNCTION(enumerate_states),
    FUNCTION(get_thread_data), FUNCTION(get_parallel_info), FUNCTION(enumerate_mutex_impls),
    FUNCTION(get_task_info),   FUNCTION(get_task_memory),   FUNCTION(get_partition_place_nums),
    FUNCTION(get_num_places),  FUNCTION(get_place_num),     FUNCTION(get_place_proc_ids),
    FUNCTION(get_proc_id),     FUNCTION(get_num_procs),     FUNCTION(get_unique_id),
    FUNCTION(get_num_devices), FUNCTION(get_target_info),   FUNCTION(get_state),
#undef FUNCTION
};

static ompt_interface_fn_t lookup(const char *name) {
  for (size_t i = 0; i < NAMES_MAX && self.lacking[i]; i++)
    if (!strcmp(self.lacking[i], name))
      return NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i].name, name))
      return functions[i].function;
  return NULL;
}

/* -- the actions -- */

static struct runtime *runtime_of(struct line *line) {
  uint64_t number = line_text(line, "runtime") ? line_number(line, "runtime") : 1;
  if (number < 1 || number > RUNTIMES_MAX)
    line_fails(line, "runtimes are 1 to %d", RUNTIMES_MAX);
  return &self.runtimes[number];
}

static void do_start_tool(struct line *line) {
  typedef ompt_start_tool_result_t *start_tool_t(unsigned, const char *);
  start_tool_t *start_tool = (start_tool_t *)dlsym(self.library, "ompt_start_tool");
  if (!start_tool)
    line_fails(line, "the tool has no ompt_start_tool");
  runtime_of(line)->tool = start_tool(self.omp_version, self.version);
}

static void do_initialize(struct line *line) {
  struct runtime *runtime = self.initializing = runtime_of(line);
  if (!runtime->tool)
    return;
  int answer = runtime->tool->initialize(lookup, 0, &runtime->tool->tool_data);
  runtime->is_active = answer != 0;
}

static void do_start(struct line *line) {
  do_start_tool(line);
  do_initialize(line);
}

static void do_finalize(struct line *line) {
  struct runtime *runtime = runtime_of(line);
  if (runtime->is_active)
    runtime->tool->finalize(&runtime->tool->tool_data);
  runtime->is_active = false;
}

static void do_unload(struct line *line) {
  (void)line;
  dlclose(self.library);
  self.library = NULL;
}

static void do_runtime(struct line *line) {
  self.version = line_text(line, "version");
  self.omp_version = (unsigned)line_number(line, "omp");
}

static void do_result(struct line *line) {
  const char *name = line_word(line), *result = line_word(line);
  const struct event_row *row = name ? event_find(name) : NULL;
  if (!row || !result)
    line_fails(line, "result CALLBACK RESULT");
  self.results[row->number] = (int)parse_value(line, result, OMPT_SET_RESULT);
}

static void read_names(struct line *line, struct name *names) {
  for (size_t i = 0; i < line->count; i++) {
    struct word *word = &line->words[i];
    word->is_used = true;
    names[i] = (struct name){word->value, parse_number(line, word->key ? word->key : "")};
  }
}

static void do_states(struct line *line) {
  read_names(line, self.states);
}

static void do_mutex_impls(struct line *line) {
  read_names(line, self.mutex_impls);
}

/* In order, from 0 on. */
static void do_places(struct line *line) {
  for (size_t i = 0; i < line->count && self.place_count < PLACES_MAX; i++) {
    line->words[i].is_used = true;
    self.places[self.place_count++] = line->words[i].value;
  }
}

static void do_lacks(struct line *line) {
  const char *name;
  size_t count = 0;
  while (self.lacking[count])
    count++;
  while ((name = line_word(line)) && count < NAMES_MAX - 1)
    self.lacking[count++] = name;
}

static void do_is(struct line *line) {
  if (line_text(line, "place"))
    answers.place = (int)line_number(line, "place");
  if (line_text(line, "processor"))
    answers.processor = (int)line_number(line, "processor");
  answers.state = (int)line_number(line, "state");
  answers.wait_id = line_number(line, "wait");
}

static void do_forget(struct line *line) {
  const char *name;
  while ((name = line_word(line)))
    data_forget(name);
}

/* -- the end -- */

static void write_counts(void) {
  FILE *file = self.counts_path ? fopen(self.counts_path, "w") : NULL;
  for (unsigned i = 0; file && i < CALLBACKS_MAX; i++) {
    const struct event_row *row = event_by_number(i);
    if (row && self.delivered[i])
      fprintf(file, "delivered %s %u\n", row->name, self.delivered[i]);
    if (row && self.skipped[i])
      fprintf(file, "skipped %s %u\n", row->name, self.skipped[i]);
  }
  if (file)
    fclose(file);
}

static int status_of(struct line *line) {
  const char *word = line_word(line);
  write_counts();
  return word ? (int)parse_number(line, word) : 0;
}

static void do_exit(struct line *line) {
  exit(status_of(line));
}

static void do__exit(struct line *line) {
  _exit(status_of(line));
}

static void do_abort(struct line *line) {
  (void)line;
  write_counts();
  abort();
}

static void do_stop(struct line *line) {
  (void)line;
  raise(SIGSTOP);
}

static const struct {
  const char *name;
  void (*perform)(struct line *line);
} actions[] = {
#define ACTION(name)                                                                                         \
  { #name, do_##name }
    ACTION(start),       ACTION(start_tool), ACTION(initialize), ACTION(finalize), ACTION(unload),
    ACTION(runtime),     ACTION(result),     ACTION(states),     ACTION(places),   ACTION(lacks),
    ACTION(is),          ACTION(forget),     ACTION(exit),       ACTION(_exit),    ACTION(abort),
    ACTION(mutex_impls), ACTION(stop),       ACTION(device),     ACTION(mark),     ACTION(record),
    ACTION(native),      ACTION(odd),        ACTION(deliver),    ACTION(inject),   ACTION(until),
    ACTION(called),
#undef ACTION
};

static bool do_action(struct line *line) {
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (!strcmp(actions[i].name, line->action)) {
      actions[i].perform(line);
      return true;
    }
  return false;
}

static void do_event(struct line *line) {
  const struct event_row *row = event_find(line->action);
  if (!row)
    line_fails(line, "'%s' is neither a callback nor an action", line->action);
  struct runtime *runtime = runtime_of(line);
  ompt_callback_t callback = runtime->callbacks[row->number];
  if (!runtime->is_active || !callback) {
    self.skipped[row->number]++;
    return;
  }
  if (row->number == OMPT_CALLBACK_thread_begin)
    answers.thread_data = line_data(line, "thread");
  row->fire(callback, line);
  line_expect_used(line);
  self.delivered[row->number]++;
}

bool runtime_do(struct line *line) {
  for (size_t i = 0; i < line->count; i++)
    line->words[i].is_used = false;
  if (!strcmp(line->action, "leave"))
    return false;
  if (do_action(line))
    line_expect_used(line);
  else
    do_event(line);
  return true;
}

/* Plays the lines from `from` to the next `done`, or to the end; returns where it stopped. */
static size_t play(struct script *script, size_t from) {
  size_t i = from;
  for (; i < script->count && strcmp(script->lines[i].action, "done"); i++) {
    struct line *line = &script->lines[i];
    if (strcmp(line->action, "repeat")) {
      threads_do(line);
      continue;
    }
    uint64_t times = parse_number(line, line->count ? line->words[0].value : "");
    size_t body = i + 1;
    while (times-- > 0)
      i = play(script, body);
  }
  return i;
}

int scripted_run(const char *tool, const char *path, const char *counts) {
  for (unsigned i = 0; i < CALLBACKS_MAX; i++)
    self.results[i] = event_by_number(i) ? OMPT_SET_RESULT_always : OMPT_SET_RESULT_never;
  self.counts_path = counts;
  self.library = dlopen(tool, RTLD_NOW | RTLD_LOCAL);
  if (!self.library) {
    fprintf(stderr, "scripted_runtime: %s\n", dlerror());
    return 98;
  }
  struct script script = script_read(path);
  play(&script, 0);
  write_counts();
  return 0;
}
