// Tasks that end when their event is fulfilled: within themselves, and later by another task.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t early, late;
#pragma omp task detach(early) shared(done)
    {
#pragma omp atomic
      done++;
      omp_fulfill_event(early);
    }
#pragma omp task detach(late) shared(done)
    {
#pragma omp atomic
      done++;
    }
#pragma omp task shared(done) firstprivate(late)
    {
#pragma omp atomic
      done++;
      omp_fulfill_event(late);
    }
  }
  printf("done %d\n", done);
  return 0;
}
