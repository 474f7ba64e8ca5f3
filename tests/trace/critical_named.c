// Two critical sections of different names, two locks; one of them nested in the other.
#include <stdio.h>

int main(void) {
  int left = 0, right = 0;
#pragma omp parallel
  for (int i = 0; i < 20; i++) {
#pragma omp critical(left)
    {
      left++;
#pragma omp critical(right)
      right++;
    }
  }
  printf("left %d right %d\n", left, right);
  return 0;
}
