/* Target constructs that run on the host: some wait for dependences, some go on later, as tasks; leagues and
 * regions in them; worksharing around them. */
#include <omp.h>
#include <stdio.h>

static int a[1000], b[1000];
static long regions, data, updates, leagues, tasks;

static void synchronous(long *sum) {
  int x = 3, y[4] = {4};
#pragma omp target map(tofrom : sum[0]) firstprivate(x)
  {
    *sum += x;
    x = 9;
  }
#pragma omp target data map(to : a) map(from : b)
  {
#pragma omp target data map(tofrom : y)
      {
#pragma omp target map(to : a) map(from : b)
          for (int i = 0; i < 1000; i++) b[i] = a[i] + i;
#pragma omp target update to(a)
#pragma omp target update from(b)
}
}
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(release : a)
#pragma omp target teams num_teams(2) map(tofrom : sum[0])
#pragma omp parallel num_threads(2)
#pragma omp atomic
*sum += 1;
*sum += x;
regions += 3, data += 6, updates += 2, leagues++;
}

static void with_dependences(long *sum) {
  long parts[64] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
  for (int i = 0; i < 64; i++) {
    int own[10];
    for (int k = 0; k < 10; k++)
      own[k] = i + k;
#pragma omp target nowait map(tofrom : parts[i]) firstprivate(own, i) depend(inout : parts[i])
    for (int k = 0; k < 10; k++)
      parts[i] += own[k];
#pragma omp target map(tofrom : parts[i]) firstprivate(own, i) depend(inout : parts[i])
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int k = 0; k < 10; k++)
#pragma omp atomic
      parts[i] += own[k];
    for (int k = 0; k < 10; k++)
      own[k] = 0;
  }
  for (int i = 0; i < 64; i++)
    *sum += parts[i];
  regions += 128, tasks += 128;
}

/* libgomp makes a team for it, in which tasks are deferred from then on. */
static void outside(long *sum) {
  int own[100] = {[99] = 5};
#pragma omp target nowait map(tofrom : sum[0]) firstprivate(own)
  *sum += own[99];
#pragma omp taskwait
  for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(own, i) shared(sum)
    *sum += own[99] * i;
  }
#pragma omp taskwait
  regions++, tasks += 11;
}

static void inside_loops(long *sum) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 30; i++) {
#pragma omp target map(tofrom : sum[0])
#pragma omp atomic
      *sum += i;
#pragma omp target nowait map(tofrom : sum[0])
#pragma omp atomic
      *sum += i;
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < 30; i++)
#pragma omp atomic
      *sum += 1;
  }
  regions += 60, tasks += 30;
}

/* Orphaned: on the host it belongs to the target region, whose only thread does all of it. */
static void orphan(long *sum) {
#pragma omp for schedule(dynamic, 2)
  for (int i = 0; i < 10; i++)
#pragma omp atomic
    *sum += i;
#pragma omp single
#pragma omp atomic
  *sum += 1;
}

static void around_orphans(long *sum) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
#pragma omp target map(tofrom : sum[0])
      orphan(sum);
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; i++) {
#pragma omp target map(tofrom : sum[0])
      orphan(sum);
    }
    if (omp_get_thread_num() == 1) {
#pragma omp target map(tofrom : sum[0])
      orphan(sum);
    }
#pragma omp single nowait
#pragma omp atomic
    *sum += 1;
  }
  regions += 12;
}

int main(void) {
  long sum = 0;
  synchronous(&sum);
  with_dependences(&sum);
  inside_loops(&sum);
  around_orphans(&sum);
  outside(&sum);
  printf("%ld\n", sum);
  fprintf(stderr, "truth: created %ld, complete %ld, target %ld, data %ld, update %ld, teams %ld\n", tasks,
          tasks, regions, data, updates, leagues);
  return 3;
}
