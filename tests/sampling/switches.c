/* Tasks in memory that none had before: what a runtime has not written there yet is what was there. */
int main(void) {
  int count = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3000; i++) {
#pragma omp task shared(count)
#pragma omp atomic
    count++;
  }
  return count != 3000;
}
