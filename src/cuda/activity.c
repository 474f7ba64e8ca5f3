/* What devices did, in buffers that CUPTI fills: late, and in no order. */
#include <string.h>
#include <sys/mman.h>

#include "cuda/cuda.h"

enum {
  BUFFER_BYTES = 1 << 20,
  FLUSH_PERIOD_MS = 250, /* the most that a kill can lose */
  NAME_BYTES = 2048,     /* of a kernel; what is longer is cut */
};

static uint64_t pair(uint32_t low, uint32_t high) {
  return low | (uint64_t)high << 32;
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
  cuda_put(*(const struct record *)&record, rest.words, 6 + (unsigned)(length + 7) / 8);
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
  cuda_put(*(const struct record *)&record, words, 3);
}

static void put_set(const struct cupti_memset *set) {
  const uint64_t words[4] = {pair(set->device, set->context), pair(set->stream, set->correlation),
                             set->bytes};
  const struct record_cuda_set record = {
      .type = RECORD_cuda_set, .begin = set->start, .end = set->end, .value = set->value};
  cuda_put(*(const struct record *)&record, words, 3);
}

static void put_device(const struct cupti_device *device) {
  uint64_t words[NAME_BYTES / 8] = {0};
  size_t length = device->name ? strnlen(device->name, sizeof words) : 0;
  memcpy(words, device->name ? device->name : "", length);
  const struct record_cuda_device record = {.type = RECORD_cuda_device,
                                            .multiprocessors = device->multiprocessors,
                                            .name_bytes = length,
                                            .device = device->id};
  cuda_put(*(const struct record *)&record, words, (unsigned)(length + 7) / 8);
}

static void put_wait(const struct cupti_wait *wait) {
  const uint64_t words[4] = {pair(wait->event, wait->context), pair(wait->stream, wait->correlation)};
  const struct record_cuda_wait record = {
      .type = RECORD_cuda_wait, .begin = wait->start, .end = wait->end, .kind = wait->type};
  cuda_put(*(const struct record *)&record, words, 2);
}

static void put_event(const struct cupti_event *event) {
  const uint64_t words[4] = {pair(event->event, event->context), pair(event->stream, event->correlation)};
  const struct record_cuda_event record = {.type = RECORD_cuda_event};
  cuda_put(*(const struct record *)&record, words, 2);
}

static void put_external(const struct cupti_external *external) {
  const struct record_cuda_external record = {
      .type = RECORD_cuda_external, .target = external->external, .correlation = external->correlation};
  if (external->external_kind == CUPTI_EXTERNAL_CUSTOM0)
    cuda_put(*(const struct record *)&record, NULL, 0);
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
  case CUPTI_WAIT:
    put_wait(record);
    return;
  case CUPTI_EVENT:
    put_event(record);
    return;
  case CUPTI_EXTERNAL:
    put_external(record);
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
  cuda_put(*(const struct record *)&record, NULL, 0);
}

/* Of the first buffer that CUPTI does not read: there may be many. */
static void note_unread(int error) {
  static atomic_flag is_noted = ATOMIC_FLAG_INIT;
  if (error != CUPTI_AT_END && !atomic_flag_test_and_set(&is_noted))
    cuda_note(CUDA_DELIVERY, "CUPTI does not read its buffers (error %d): what is in them is not recorded",
              error);
}

static void put_all(uint8_t *buffer, size_t valid) {
  void *record = NULL;
  int error;
  while ((error = cuda.cupti.cuptiActivityGetNextRecord(buffer, valid, &record)) == CUPTI_OK)
    put_activity(record);
  note_unread(error);
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
  if (atomic_load(&cuda.is_on) && valid > 0) {
    put_all(buffer, valid);
    cuda_put_clock();
    const struct record_cuda_buffer end = {.type = RECORD_cuda_buffer, .bytes = valid};
    cuda_put(*(const struct record *)&end, NULL, 0);
  }
  put_dropped(context, stream);
  if (buffer)
    munmap(buffer, BUFFER_BYTES);
  (void)bytes;
}

/* -- starting and stopping -- */

bool cuda_refuse(int error) {
  if (error == CUPTI_PRIVILEGES)
    cuda_note(CUDA_ALL,
              "the driver lets only root see what devices do (NVreg_RestrictProfilingToAdminUsers): "
              "it is not recorded");
  else if (error == CUPTI_SUBSCRIBERS)
    cuda_note(CUDA_ALL, "another profiler of CUDA is in this process: what the devices do is not recorded");
  else
    cuda_note(CUDA_ALL, "CUPTI refuses with error %d: what the devices do is not recorded", error);
  return false;
}

static const int kinds[] = {CUPTI_DEVICE, CUPTI_KERNEL, CUPTI_MEMCPY, CUPTI_MEMSET, CUPTI_MEMCPY_PEER};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* What devices did is recorded without these, too. */
static void enable_waits(void) {
  int error = cuda.cupti.cuptiActivityEnable(CUPTI_WAIT);
  if (error != CUPTI_OK)
    cuda_note(CUDA_WAITS, "CUPTI reports no waits (error %d): who waits for a device is not recorded", error);
}

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

bool cuda_request_activity(void) {
  int error = cuda_set_clock();
  if (error == CUPTI_OK)
    error = cuda.cupti.cuptiActivityRegisterCallbacks(on_requested, on_completed);
  if (error == CUPTI_OK)
    error = enable();
  if (error == CUPTI_OK)
    enable_waits();
  return error == CUPTI_OK || cuda_refuse(error);
}

void cuda_begin(void) {
  const struct record_cuda_begin record = {.type = RECORD_cuda_begin,
                                           .is_own_clock = cuda.is_own_clock,
                                           .has_externals = cuda.has_externals,
                                           .version = cuda.version};
  cuda_put(*(const struct record *)&record, NULL, 0);
  cuda_put_clock();
  atomic_store(&cuda.is_on, true);
  int error = cuda.cupti.cuptiActivityFlushPeriod ? cuda.cupti.cuptiActivityFlushPeriod(FLUSH_PERIOD_MS)
                                                  : CUPTI_NOT_THERE;
  if (error != CUPTI_OK)
    cuda_note(CUDA_DELIVERY,
              "CUPTI does not deliver now and then (error %d): what is in its buffers is not recorded if the "
              "program is killed",
              error);
}

void cuda_withdraw(void) {
  disable(KINDS);
  cuda.cupti.cuptiActivityDisable(CUPTI_WAIT);
}

void cuda_end(void) {
  int error =
      atomic_load(&cuda.is_on) ? cuda.cupti.cuptiActivityFlushAll(CUPTI_FLUSH_FORCED) : CUPTI_NOT_THERE;
  if (atomic_load(&cuda.is_on) && error != CUPTI_OK)
    cuda_note(CUDA_DELIVERY, "CUPTI does not deliver (error %d): what was in its buffers is not recorded",
              error);
  if (error != CUPTI_OK)
    return;
  const struct record_cuda_end record = {.type = RECORD_cuda_end};
  cuda_put(*(const struct record *)&record, NULL, 0);
}
