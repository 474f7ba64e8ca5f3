int work(void);

int work(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 300; i++) {
#pragma omp task shared(sum)
    {
      int x = 0;
#pragma omp task depend(mutexinoutset : x) shared(x)
      x = 1;
#pragma omp task depend(mutexinoutset : x) if (0) shared(x)
      x++;
#pragma omp taskwait
#pragma omp atomic
      sum++;
    }
  }
  return sum;
}
