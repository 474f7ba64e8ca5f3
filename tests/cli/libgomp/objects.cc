/* Objects with copy constructors and an alignment in deferred, undeferred, final and untied tasks and in
 * taskloops; exceptions that tasks throw and catch. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

static long constructed, destroyed, wrong, tasks, sum, caught;

static void add(long *number, long value) {
#pragma omp atomic
  *number += value;
}

struct alignas(64) Object {
  std::string text;
  long values[9];
  Object() : text("a string that does not fit into the object itself") {
    for (long &value : values)
      value = 7;
    add(&constructed, 1);
  }
  Object(const Object &other) : text(other.text) {
    memcpy(values, other.values, sizeof values);
    add(&constructed, 1);
  }
  ~Object() {
    add(&wrong, (uintptr_t)this % 64 != 0);
    for (long &value : values)
      value = 0;
    add(&destroyed, 1);
  }
};

static void create(int i, int conditions) {
  Object object;
#pragma omp task firstprivate(object) if (conditions & 1) final(conditions & 2)
  {
    add(&wrong, (uintptr_t)&object % 64 != 0);
    try {
#pragma omp task firstprivate(object)
      add(&sum, object.values[3]);
      if (i % 2)
        throw std::runtime_error(object.text);
    } catch (std::exception &error) {
      add(&wrong, error.what() != object.text);
      add(&caught, 1);
    }
#pragma omp taskwait
  }
#pragma omp task untied firstprivate(object) mergeable
  {
#pragma omp taskyield
    add(&sum, object.values[8]);
  }
#pragma omp taskloop firstprivate(object) num_tasks(3) if (conditions & 1)
  for (int k = 0; k < 6; k++)
    add(&sum, object.values[k] * i);
  add(&tasks, 3 + 3);
}

int main() {
  for (int threads = 1; threads <= 8; threads *= 2) {
    for (int conditions = 0; conditions < 4; conditions++) {
#pragma omp parallel num_threads(threads)
#pragma omp single
      for (int i = 0; i < 100; i++)
        create(i, conditions);
    }
  }
  create(1, 1);
  printf("%ld %ld %ld %ld\n", sum, caught, wrong, constructed - destroyed);
  fprintf(stderr, "truth: created %ld, complete %ld\n", tasks, tasks);
  return 3;
}
