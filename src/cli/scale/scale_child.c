#include "cli/scale/scale_child.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/plural.h"
#include "cli/common/message.h"
#include "cli/common/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBER_BYTES = 24 };

/* -- the command -- */

struct argument_list {
  char **items;
  size_t count, capacity;
};

static void add(struct argument_list *words, const char *word) {
  array_reserve(&words->items, &words->capacity, words->count + 2, sizeof *words->items);
  words->items[words->count++] = memory_text(word);
  words->items[words->count] = NULL;
}

static void free_words(struct argument_list *words) {
  for (size_t i = 0; i < words->count; i++)
    free(words->items[i]);
  free(words->items);
}

/* As a template, in which a percent sign represents itself if it is doubled. */
static void add_template(struct argument_list *words, const char *path) {
  char *escaped = memory_get(2 * strlen(path) + 1, 1), *at = escaped;
  for (; *path != '\0'; path++) {
    if (*path == '%')
      *at++ = '%';
    *at++ = *path;
  }
  *at = '\0';
  add(words, escaped);
  free(escaped);
}

static void add_launcher(struct argument_list *words, const char *launcher, size_t ranks) {
  char *copy = memory_text(launcher), *rest = NULL, number[NUMBER_BYTES];
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    add(words, word);
  snprintf(number, sizeof number, "%zu", ranks);
  add(words, number);
  free(copy);
}

static struct argument_list words_of(const struct scale_command *command, const struct scale_run *run) {
  struct argument_list words = {.count = 0};
  add(&words, "stave");
  add(&words, "record");
  add(&words, "-q");
  add(&words, "--wait"); /* what goes on would slow down the next run */
  add(&words, "-o");
  add_template(&words, run->archive);
  if (command->counters) {
    add(&words, "--counters");
    add(&words, command->counters);
  }
  add(&words, "--");
  if (run->ranks)
    add_launcher(&words, command->launcher, run->ranks);
  for (char **word = command->program; *word; word++)
    add(&words, *word);
  return words;
}

/* -- the process -- */

/* Standard input that is a file is read from its beginning by each run. */
_Noreturn static void exec_record(const struct scale_run *run, char **words, const char *output,
                                  const sigset_t *mask) {
  char number[NUMBER_BYTES];
  snprintf(number, sizeof number, "%zu", run->threads);
  setenv("OMP_NUM_THREADS", number, 1);
  lseek(STDIN_FILENO, 0, SEEK_SET);
  int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
    message_print("%s cannot be written: %s", output, strerror(errno));
    _exit(EXIT_FAILED);
  }
  sigprocmask(SIG_SETMASK, mask, NULL);
  execv("/proc/self/exe", words);
  message_print("cannot run stave record: %s", strerror(errno));
  _exit(EXIT_FAILED);
}

/* What the terminal sends is for the program, as without stave. */
static int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return status;
}

static int start(const struct scale_run *run, char **words, const char *output) {
  sigset_t signals, mask;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGQUIT);
  sigprocmask(SIG_BLOCK, &signals, &mask);
  pid_t pid = fork();
  if (pid == 0)
    exec_record(run, words, output, &mask);
  int status = pid < 0 ? -1 : wait_for(pid);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return status;
}

static int explain(const struct scale_run *run, const char *output, int status) {
  if (status == 0)
    return EXIT_SUCCESS;
  if (status < 0)
    message_print("cannot start a process: %s", strerror(errno));
  else if (WIFSIGNALED(status))
    message_print("with %zu thread%s the program was ended by signal %d; what it printed: %s", run->threads,
                  plural(run->threads), WTERMSIG(status), output);
  else
    message_print("with %zu thread%s the program ended with status %d; what it printed: %s", run->threads,
                  plural(run->threads), WEXITSTATUS(status), output);
  return EXIT_FAILED;
}

int scale_child_run(const struct scale_command *command, const struct scale_run *run) {
  struct argument_list words = words_of(command, run);
  char *output = memory_print("%s.txt", run->archive);
  int status = explain(run, output, start(run, words.items, output));
  free(output);
  free_words(&words);
  return status;
}
