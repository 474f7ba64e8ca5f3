/* A library that uses OpenMP: with it the runtime is loaded by dlopen, in the middle of a program's life. */
int team_size(void);

int team_size(void) {
  int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  return members;
}
