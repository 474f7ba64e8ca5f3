// Tasks that a thread unknown to OpenMP ends, made by the entry points of LLVM's runtime as compilers would
// make them of `target nowait`: the runtime reports that it begins them and nothing more, and the tasks that
// wait for them run when the other thread is done.
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>

// Of kmp.h: what is the same in all of its versions.
struct kmp_task {
  void *shared;
  int (*routine)(int thread, struct kmp_task *task);
  int part;
};
struct dependence {
  intptr_t address;
  size_t bytes;
  unsigned char kind;
};
enum { INOUT = 3, TIED = 1, PROXY = 0x10 };
int __kmpc_global_thread_num(void *place);
struct kmp_task *__kmpc_omp_task_alloc(void *place, int thread, int flags, size_t bytes, size_t shared_bytes,
                                       int (*routine)(int thread, struct kmp_task *task));
int __kmpc_omp_task_with_deps(void *place, int thread, struct kmp_task *task, int count,
                              struct dependence *dependences, int count_noalias, struct dependence *noalias);
void __kmpc_proxy_task_completed_ooo(struct kmp_task *task);

static pthread_t helper;
static sem_t may_end;

static void *end_proxy(void *task) {
  sem_wait(&may_end);
  __kmpc_proxy_task_completed_ooo(task);
  return NULL;
}

static int begin_proxy(int thread, struct kmp_task *task) {
  (void)thread;
  pthread_create(&helper, NULL, end_proxy, task);
  return 0;
}

static int try_once(void) {
  int x = 0, done = 0;
  struct dependence inout = {.address = (intptr_t)&x, .bytes = sizeof x, .kind = INOUT};
  int thread = __kmpc_global_thread_num(NULL);
  struct kmp_task *proxy = __kmpc_omp_task_alloc(NULL, thread, TIED | PROXY, sizeof *proxy, 0, begin_proxy);
  __kmpc_omp_task_with_deps(NULL, thread, proxy, 1, &inout, 0, NULL);
#pragma omp task shared(done) depend(inout : x)
  done++;
#pragma omp task shared(done) depend(in : x)
  done++;
  sem_post(&may_end);
#pragma omp taskwait
  pthread_join(helper, NULL);
  return done;
}

int main(void) {
  int done = 0;
  sem_init(&may_end, 0, 0);
  done += try_once();
#pragma omp parallel num_threads(2)
#pragma omp single
  done += try_once();
  printf("done %d\n", done);
  return 0;
}
