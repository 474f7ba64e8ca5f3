/* What Stave's own code may allocate in one request, whatever is in its input. Libraries' own requests, which
 * this does not see, fail where they are larger (fuzzing.py). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const size_t BYTES_MAX = (size_t)1 << 30;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static void look_at(size_t count, size_t bytes) {
  if (count == 0 || bytes <= BYTES_MAX / count)
    return;
  fprintf(stderr, "Stave's own code allocates %zu times %zu bytes\n", count, bytes);
  abort();
}

void *__wrap_malloc(size_t bytes) {
  look_at(1, bytes);
  return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  look_at(count, bytes);
  return __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  look_at(1, bytes);
  return __real_realloc(memory, bytes);
}
