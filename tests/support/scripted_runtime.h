/* A program that plays an OpenMP runtime from a script, for what no real runtime does here: see
 * scripted_runtime.c. */
#ifndef STAVE_TESTS_SCRIPTED_RUNTIME_H
#define STAVE_TESTS_SCRIPTED_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt/types.h"

enum { RUNTIMES_MAX = 4, CALLBACKS_MAX = 64, WORDS_MAX = 24, THREADS_MAX = 64 };

/* -- a line of the script (scripted_script.c) -- */

struct word {
  char *key; /* NULL: a bare word */
  char *value;
  bool is_used;
};

struct line {
  unsigned number; /* in the script */
  unsigned thread; /* that executes it */
  char *action;
  struct word words[WORDS_MAX];
  size_t count;
};

struct script {
  struct line *lines;
  size_t count;
};

/* Reads all of the script; a line that it does not understand ends the program. */
struct script script_read(const char *path);

/* Reports what is wrong with a line and ends the program with status 98. */
_Noreturn void line_fails(const struct line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* -- the values in a line (scripted_values.c); what is left out is 0, NULL or "" -- */

struct name {
  const char *name;
  uint64_t value;
};

/* The text of key=text, or NULL. */
const char *line_text(struct line *line, const char *key);

/* The next bare word that was not used, or NULL. */
const char *line_word(struct line *line);

/* A number, or several joined by '|'. */
uint64_t line_number(struct line *line, const char *key);
uint64_t parse_number(const struct line *line, const char *text);

/* The same, where values of the enumeration also have names: an id or a text of enumerations.def. */
uint64_t line_value(struct line *line, const char *key, enum ompt_enumeration enumeration);
uint64_t parse_value(const struct line *line, const char *text, enum ompt_enumeration enumeration);

/* The ompt_data_t of that name; a new name makes a new one, with the value 0. "NULL" is NULL. */
ompt_data_t *line_data(struct line *line, const char *key);

/* What the named ompt_data_t holds. */
uint64_t data_value(const struct line *line, const char *name);

/* Sets the named ompt_data_t back to 0: the script uses the name for something new. */
void data_forget(const char *name);

/* A code address: "function", "function+0x10" (of the program or any library), or a number. */
const void *line_code(struct line *line, const char *key);

/* Ends the program if a word of the line was not used: a misspelt key. */
void line_expect_used(const struct line *line);

/* -- callbacks (scripted_events.c) -- */

struct event_row {
  const char *name; /* without ompt_callback_ */
  unsigned number;
  void (*fire)(ompt_callback_t callback, struct line *line);
};

/* The row of that name, or NULL. */
const struct event_row *event_find(const char *name);
const struct event_row *event_by_number(unsigned number);

/* -- devices that trace themselves (scripted_devices.c) -- */

/* What device_initialize hands to the tool: trace=yes on the line, else nothing. */
void device_handles(struct line *line, ompt_device_t **ret_handle, ompt_function_lookup_t *ret_lookup);

/* The actions. */
void do_device(struct line *line);
void do_mark(struct line *line);
void do_record(struct line *line);
void do_native(struct line *line);
void do_odd(struct line *line);
void do_deliver(struct line *line);

/* -- CUDA (scripted_cuda.c): actions -- */

void do_inject(struct line *line);
void do_until(struct line *line);
void do_called(struct line *line);

/* -- the runtimes and what they answer (scripted_runtime.c) -- */

/* What a thread answers to inquiries; set by the actions `thread_begin` and `is`. */
struct thread_answers {
  ompt_data_t *thread_data;
  int place, processor, state;
  uint64_t wait_id;
};
extern _Thread_local struct thread_answers answers;

/* Does one line on the calling thread. False: it is the thread's last one. */
bool runtime_do(struct line *line);

/* Loads the tool and plays the script. Counts, one "delivered NAME N" or "skipped NAME N" a line, go into the
 * file `counts` if it is not NULL. Returns the exit status. */
int scripted_run(const char *tool, const char *script, const char *counts)
    __attribute__((visibility("default")));

/* Waits for a thread to execute the line. Used by scripted_run only. */
void threads_do(struct line *line);

#endif
