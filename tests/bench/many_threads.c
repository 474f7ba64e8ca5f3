/* Two trivial regions of as many threads as there are by OMP_NUM_THREADS: what a program costs whose threads
 * do next to nothing. */
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
#pragma omp parallel reduction(+ : sum)
    sum++;
  }
  return sum > 0 ? 0 : 1;
}
