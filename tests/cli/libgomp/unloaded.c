/* A library that is unloaded. */
enum { COUNT = 10 };

#ifdef ROOM
char room[ROOM];
#endif

int count(void);

int count(void) {
  int n = 0;
#pragma omp parallel reduction(+ : n)
#pragma omp for schedule(dynamic)
  for (int i = 0; i < COUNT; i++)
    n++;
  return n;
}
