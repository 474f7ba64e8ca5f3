// An error directive that warns, without a message: it crashes LLVM's runtime if a tool registers for it.
#include <stdio.h>

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp error at(execution) severity(warning)
    puts("on it goes");
  }
  return 0;
}
