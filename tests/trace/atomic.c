// Atomic updates: clang's are instructions; some of gcc's call the runtime.
#include <stdio.h>

typedef struct {
  long double value;
} wide_t;

int main(void) {
  wide_t wide = {0};
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; i++) {
#pragma omp atomic
    wide.value += 1.5L;
  }
  printf("%.1Lf\n", wide.value);
  return 0;
}
