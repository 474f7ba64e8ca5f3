/* drops USER: a program of root's that gives its rights up, in the midst of its work, and then waits for a
 * byte or the end of its input. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void work(void) {
  static int sum;
#pragma omp parallel num_threads(2)
#pragma omp critical
  sum++;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  work();
  if (setuid((uid_t)atoi(argv[1])) < 0)
    return 3;
  work();
  puts("dropped");
  fflush(stdout);
  getchar();
  work();
  return 7;
}
