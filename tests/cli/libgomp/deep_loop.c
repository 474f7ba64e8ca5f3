/* A loop with dependences between iterations in 61 dimensions, of which all but three have one step: each
 * wait has as many arguments. The last one decides, too: with another one there a wait is for what never
 * comes. */
#include <stdio.h>

enum { ROUNDS = 6, COLUMNS = 8, ROWS = 7 };
static int done[ROUNDS][COLUMNS][ROWS];
static volatile unsigned long long zero;

#define LOOP(n) for (n = 4; n < 5; n++)
#define AND(n) , n
#define NAMES_4(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define NAMES_16(X, n) NAMES_4(X, n##0) NAMES_4(X, n##1) NAMES_4(X, n##2) NAMES_4(X, n##3)
#define DECLARE(n) int n;
#define ONES(X)                                                                                              \
  NAMES_16(X, m0) NAMES_16(X, m1) NAMES_16(X, m2) NAMES_4(X, m30) NAMES_4(X, m31) X(m320) X(m321)

int main(void) {
  unsigned long long i;
  int j, k, wrong = 0, waits = 0, posts = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong, waits, posts)
  {
    ONES(DECLARE)
#pragma omp for ordered(61) schedule(dynamic, 1)
    for (i = 1; i < ROUNDS + zero; i++)
      for (j = 1; j < COLUMNS; j++)
        ONES(LOOP)
    for (k = 0; k < ROWS; k++) {
#pragma omp ordered depend(sink : i - 1, j ONES(AND), k)
      if (i > 1) {
        waits++;
        int before;
#pragma omp atomic read
        before = done[i - 1][j][k];
        wrong += before != 1;
      }
#pragma omp atomic write
      done[i][j][k] = 1;
      posts++;
#pragma omp ordered depend(source)
    }
  }
  printf("%d wrong, %d posts, %d waits\n", wrong, posts, waits);
  fprintf(stderr, "truth: source %d, sink %d\n", 61 * posts, 61 * waits);
  return wrong ? 1 : 3;
}
