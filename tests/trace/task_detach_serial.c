// A team of one thread: a runtime may call all its tasks undeferred, but one that depends on a detached task
// has to wait until that one's event is fulfilled.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int done = 0, order = 0;
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 10; i++) {
    omp_event_handle_t event;
    int started = 0;
#pragma omp task detach(event) depend(out : done) shared(done)
    done++;
#pragma omp task depend(inout : done) shared(done, started)
    {
      done++;
      started = 1;
    }
#pragma omp flush
#pragma omp critical
    order += started;
    omp_fulfill_event(event);
#pragma omp taskwait
  }
  printf("done %d before its turn %d\n", done, order);
  return 0;
}
