// An event that a thread which is not OpenMP's fulfils.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int is_detached;
static omp_event_handle_t event;

static void *fulfil(void *argument) {
  (void)argument;
  while (!is_detached)
    usleep(1000);
  usleep(20000);
  omp_fulfill_event(event);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, fulfil, NULL);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t mine;
#pragma omp task detach(mine)
    {
      event = mine;
      is_detached = 1;
    }
  }
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
