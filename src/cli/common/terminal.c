#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_MIN = 40 };

static bool is_set(const char *variable) {
  const char *value = getenv(variable);
  return value && *value != '\0';
}

/* Open MPI's mpirun gives its ranks a terminal of its own, which nobody looks at. */
static bool is_terminal(int fd) {
  return isatty(fd) == 1 && !is_set("OMPI_COMM_WORLD_RANK");
}

bool terminal_can_erase(int fd) {
  return is_terminal(fd) && is_set("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
}

bool terminal_has_colour(int fd) {
  return terminal_can_erase(fd) && !is_set("NO_COLOR");
}

size_t terminal_width(void) {
  struct winsize size = {0};
  if (!is_terminal(STDOUT_FILENO))
    return 0;
  size_t width = is_set("COLUMNS") ? strtoul(getenv("COLUMNS"), NULL, 10) : 0;
  if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
    width = size.ws_col;
  if (width == 0)
    width = WIDTH_DEFAULT;
  return width < WIDTH_MIN ? WIDTH_MIN : width;
}
