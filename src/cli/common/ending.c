#include "cli/common/ending.h"

#include <signal.h>
#include <stddef.h>

#include "cli/common/folder.h"

const int ending_signals[ENDING_SIGNALS] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

static struct {
  int depth;
  struct sigaction before[ENDING_SIGNALS];
  volatile sig_atomic_t caught;
  const char *folder;
} ending;

static void remember(int number) {
  ending.caught = number;
}

void ending_wait(void) {
  struct sigaction action = {.sa_handler = remember};
  if (ending.depth++)
    return;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &ending.before[i]) == 0 && ending.before[i].sa_handler == SIG_DFL)
      sigaction(ending_signals[i], &action, NULL);
}

void ending_removes(const char *folder) {
  ending.folder = folder;
}

void ending_remove(void) {
  if (ending.folder)
    folder_remove(ending.folder);
  ending.folder = NULL;
}

bool ending_is_requested(void) {
  return ending.caught;
}

static void give_back(void) {
  for (int i = 0; i < ENDING_SIGNALS; i++)
    sigaction(ending_signals[i], &ending.before[i], NULL);
}

void ending_of_child(void) {
  if (ending.depth)
    give_back();
  ending.depth = 0;
  ending.folder = NULL;
}

void ending_go_on(void) {
  if (--ending.depth)
    return;
  ending_remove();
  give_back();
  if (ending.caught)
    raise(ending.caught);
}
