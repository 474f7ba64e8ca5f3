/* costs_of REPORT COMMAND [ARGUMENT...]: runs the command and ends as it ends. REPORT then appears, with the
 * processor time and the peak memory that it used, as JSON.
 *
 * A program counts the memory of the process that started it as its own until exec: so that is a small
 * one. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval time) {
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int write_report(const char *path, const struct rusage *usage) {
  char new_path[4096];
  snprintf(new_path, sizeof new_path, "%s.new", path);
  FILE *file = fopen(new_path, "w");
  if (!file)
    return -1;
  fprintf(file, "{\"memory_kib\": %ld, \"cpu_s\": %.6f}\n", usage->ru_maxrss,
          seconds(usage->ru_utime) + seconds(usage->ru_stime));
  return fclose(file) == 0 ? rename(new_path, path) : -1;
}

int main(int argc, char **argv) {
  struct rusage usage;
  int status;
  if (argc < 3)
    return 2;
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child || write_report(argv[1], &usage) < 0)
    return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
