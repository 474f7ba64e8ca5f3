/* The same code as library_first.c on other lines. */
int work(void);

int work(void) {
  int members = 0;

#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  return members;
}
