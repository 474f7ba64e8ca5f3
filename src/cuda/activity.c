/* What devices did, in buffers that CUPTI fills: late, and in no order. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "cuda/cuda.h"

enum {
  BUFFER_BYTES = 1 << 20,
  FLUSH_PERIOD_MS = 250, /* what a kill can take */
  NAME_BYTES = 2048,     /* of a kernel; what is longer is cut */
};

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t pair(uint32_t low, uint32_t high) {
  return low | (uint64_t)high << 32;
}

static void put(struct record record, const uint64_t *words, unsigned count) {
  record.more = (uint8_t)((count + 3) / 4);
  cuda.recorder->put(&record, words, 0, NULL);
}

/* -- clocks: one instant on both, of a few tries the one in which the least time passed -- */

static void put_clock(void) {
  enum { TRIES = 5 };
  uint64_t narrowest = UINT64_MAX, ticks = 0, time = 0;
  for (int i = 0; i < TRIES; i++) {
    uint64_t before = cuda.recorder->ticks(), now = now_ns(), after = cuda.recorder->ticks();
    if (after - before >= narrowest)
      continue;
    narrowest = after - before;
    ticks = before + narrowest / 2;
    time = now;
  }
  const uint64_t words[4] = {ticks};
  const struct record_cuda_clock record = {.type = RECORD_cuda_clock, .time = time};
  put(*(const struct record *)&record, words, 1);
}

/* -- records -- */

static void put_kernel(const struct cupti_kernel *kernel) {
  struct {
    uint64_t words[6];
    char name[NAME_BYTES];
  } rest = {.words = {pair(kernel->device, kernel->context), pair(kernel->stream, kernel->correlation),
                      pair((uint32_t)kernel->grid[0], (uint32_t)kernel->grid[1]),
                      pair((uint32_t)kernel->grid[2], (uint32_t)kernel->block[0]),
                      pair((uint32_t)kernel->block[1], (uint32_t)kernel->block[2])}};
  size_t length = kernel->name ? strnlen(kernel->name, sizeof rest.name) : 0;
  memcpy(rest.name, kernel->name ? kernel->name : "", length);
  rest.words[5] = length;
  const struct record_cuda_kernel record = {
      .type = RECORD_cuda_kernel, .begin = kernel->start, .end = kernel->end};
  put(*(const struct record *)&record, rest.words, 6 + (unsigned)(length + 7) / 8);
}

static void put_copy(const struct cupti_memcpy *copy, size_t correlation_at) {
  uint32_t correlation;
  memcpy(&correlation, (const char *)copy + correlation_at, sizeof correlation);
  const uint64_t words[4] = {pair(copy->device, copy->context), pair(copy->stream, correlation), copy->bytes};
  const struct record_cuda_copy record = {.type = RECORD_cuda_copy,
                                          .begin = copy->start,
                                          .end = copy->end,
                                          .kinds = copy->copy_kind | (uint32_t)copy->source_kind << 8 |
                                                   (uint32_t)copy->destination_kind << 16 |
                                                   (uint32_t)copy->flags << 24};
  put(*(const struct record *)&record, words, 3);
}

static void put_set(const struct cupti_memset *set) {
  const uint64_t words[4] = {pair(set->device, set->context), pair(set->stream, set->correlation),
                             set->bytes};
  const struct record_cuda_set record = {
      .type = RECORD_cuda_set, .begin = set->start, .end = set->end, .value = set->value};
  put(*(const struct record *)&record, words, 3);
}

static void put_device(const struct cupti_device *device) {
  uint64_t words[NAME_BYTES / 8] = {0};
  size_t length = device->name ? strnlen(device->name, sizeof words) : 0;
  memcpy(words, device->name ? device->name : "", length);
  const struct record_cuda_device record = {.type = RECORD_cuda_device,
                                            .multiprocessors = device->multiprocessors,
                                            .name_bytes = length,
                                            .device = device->id};
  put(*(const struct record *)&record, words, (unsigned)(length + 7) / 8);
}

static void put_activity(const void *record) {
  uint32_t kind;
  memcpy(&kind, record, sizeof kind);
  switch (kind) {
  case CUPTI_KERNEL:
    put_kernel(record);
    return;
  case CUPTI_MEMCPY:
    put_copy(record, CUPTI_MEMCPY_CORRELATION);
    return;
  case CUPTI_MEMCPY_PEER:
    put_copy(record, CUPTI_PEER_CORRELATION);
    return;
  case CUPTI_MEMSET:
    put_set(record);
    return;
  case CUPTI_DEVICE:
    put_device(record);
    return;
  default: /* another tool's wish */
    return;
  }
}

/* -- buffers -- */

static void on_requested(uint8_t **buffer, size_t *bytes, size_t *records_most) {
  void *memory = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *buffer = memory == MAP_FAILED ? NULL : memory;
  *bytes = memory == MAP_FAILED ? 0 : BUFFER_BYTES;
  *records_most = 0;
}

static void put_dropped(void *context, uint32_t stream) {
  size_t dropped = 0;
  if (!cuda.cupti.cuptiActivityGetNumDroppedRecords ||
      cuda.cupti.cuptiActivityGetNumDroppedRecords(context, stream, &dropped) != CUPTI_OK || dropped == 0)
    return;
  const struct record_cuda_dropped record = {.type = RECORD_cuda_dropped, .count = dropped};
  put(*(const struct record *)&record, NULL, 0);
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
  void *record = NULL;
  if (atomic_load(&cuda.is_on) && valid > 0) {
    while (cuda.cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK)
      put_activity(record);
    put_clock();
    const struct record_cuda_buffer end = {.type = RECORD_cuda_buffer, .bytes = valid};
    put(*(const struct record *)&end, NULL, 0);
  }
  put_dropped(context, stream);
  if (buffer)
    munmap(buffer, BUFFER_BYTES);
  (void)bytes;
}

/* -- starting and stopping -- */

static bool refuse(int error) {
  if (error == CUPTI_PRIVILEGES)
    cuda.recorder->say(
        "the driver lets only root see what devices do (NVreg_RestrictProfilingToAdminUsers): it is not "
        "recorded");
  else if (error == CUPTI_SUBSCRIBERS)
    cuda.recorder->say("another profiler of CUDA is in this process: what the devices do is not recorded");
  else
    cuda.recorder->say("CUPTI refuses with error %d: what the devices do is not recorded", error);
  return false;
}

static const int kinds[] = {CUPTI_DEVICE, CUPTI_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET, CUPTI_MEMCPY_PEER};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void disable(size_t count) {
  while (count-- > 0)
    cuda.cupti.cuptiActivityDisable(kinds[count]);
}

static int enable(void) {
  int error = CUPTI_OK;
  size_t count = 0;
  while (count < KINDS && (error = cuda.cupti.cuptiActivityEnable(kinds[count])) == CUPTI_OK)
    count++;
  if (error != CUPTI_OK)
    disable(count);
  return error;
}

/* Without the callback CUPTI's clock is another one, and nothing would fit. */
static int set_clock(void) {
  return cuda.cupti.cuptiActivityRegisterTimestampCallback
             ? cuda.cupti.cuptiActivityRegisterTimestampCallback(now_ns)
             : CUPTI_OK;
}

bool cuda_ask(void) {
  int error = set_clock();
  if (error == CUPTI_OK)
    error = cuda.cupti.cuptiActivityRegisterCallbacks(on_requested, on_completed);
  if (error == CUPTI_OK)
    error = enable();
  return error == CUPTI_OK || refuse(error);
}

void cuda_begin(void) {
  const struct record_cuda_begin record = {.type = RECORD_cuda_begin, .version = cuda.version};
  put(*(const struct record *)&record, NULL, 0);
  put_clock();
  atomic_store(&cuda.is_on, true);
  if (cuda.cupti.cuptiActivityFlushPeriod)
    cuda.cupti.cuptiActivityFlushPeriod(FLUSH_PERIOD_MS);
}

void cuda_withdraw(void) {
  disable(KINDS);
}

void cuda_flush(void) {
  if (atomic_load(&cuda.is_on))
    cuda.cupti.cuptiActivityFlushAll(CUPTI_FLUSH_FORCED);
}
