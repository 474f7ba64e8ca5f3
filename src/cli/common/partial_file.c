#include "cli/common/partial_file.h"

#include "cli/common/ending.h"
#include "cli/common/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the handler removes; NULL: nothing. */
static struct { const char *volatile path; } growing;

void partial_file_remove_growing(void) {
  if (growing.path)
    unlink(growing.path);
}

/* The signal comes again, with its default action, when the handler has returned. */
static void remove_and_end(int number) {
  partial_file_remove_growing();
  raise(number);
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND}, before;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(ending_signals[i], &action, NULL);
}

static void release_signals(void) {
  struct sigaction before;
  growing.path = NULL;
  for (int i = 0; i < ENDING_SIGNALS; i++)
    if (sigaction(ending_signals[i], NULL, &before) == 0 && before.sa_handler == remove_and_end)
      signal(ending_signals[i], SIG_DFL);
}

static bool print_unwritten(const struct partial_file *file) {
  message_print("cannot write %s: %m", file->name);
  return false;
}

static bool open_as_it_is(struct partial_file *file) {
  file->fd = open(file->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return file->fd >= 0 || print_unwritten(file);
}

/* A new file of a name of its own. The signals wait until the handler knows of it. */
static int open_known(struct partial_file *file) {
  sigset_t ending, before;
  sigemptyset(&ending);
  for (int i = 0; i < ENDING_SIGNALS; i++)
    sigaddset(&ending, ending_signals[i]);
  sigprocmask(SIG_BLOCK, &ending, &before);
  int fd = mkostemps(file->path, (int)strlen(".part"), O_CLOEXEC);
  if (fd >= 0) {
    growing.path = file->path;
    catch_signals();
  }
  int error = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return fd;
}

static bool open_beside(struct partial_file *file) {
  mode_t mask = umask(0);
  umask(mask);
  size_t length = (size_t)snprintf(file->path, sizeof file->path, "%s.XXXXXX.part", file->name);
  file->is_beside = true;
  errno = ENAMETOOLONG;
  file->fd = length < sizeof file->path ? open_known(file) : -1;
  if (file->fd < 0)
    return print_unwritten(file);
  fchmod(file->fd, 0666 & ~mask);
  return true;
}

/* A link to what is not there (/dev/stdout, where that is closed) is not replaced by a file; nor is one made
 * where it points to, which may be somebody else's choice. */
static bool is_as_it_is(const char *name) {
  struct stat status;
  return stat(name, &status) == 0 ? !S_ISREG(status.st_mode)
                                  : lstat(name, &status) == 0 && S_ISLNK(status.st_mode);
}

bool partial_file_open(struct partial_file *ret, const char *name) {
  *ret = (struct partial_file){.name = name, .fd = -1};
  return is_as_it_is(name) ? open_as_it_is(ret) : open_beside(ret);
}

bool partial_file_close(struct partial_file *file, bool is_complete) {
  if (close(file->fd) < 0 && is_complete)
    is_complete = print_unwritten(file);
  if (!file->is_beside)
    return is_complete;
  if (is_complete && rename(file->path, file->name) < 0)
    is_complete = print_unwritten(file);
  if (!is_complete)
    unlink(file->path);
  release_signals();
  return is_complete;
}
