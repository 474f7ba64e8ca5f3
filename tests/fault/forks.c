/* A parent that has used OpenMP forks three children one after another; each uses OpenMP too, and both print
 * what they found. At the end nobody is left to wait for: whatever traces this must be nobody's child. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int team_size(void) {
  int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  return members;
}

int main(void) {
  printf("parent has %d\n", team_size());
  for (int i = 0; i < 3; i++) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      printf("child has %d\n", team_size());
      exit(i);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WEXITSTATUS(status));
  }
  printf("parent has %d, wait gives %d\n", team_size(), (int)wait(NULL));
  return 0;
}
