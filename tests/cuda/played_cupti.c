/* A CUPTI without devices: plays what a real one has recorded, and the calls of the driver, at the same
 * distances in time.
 *
 * PLAYED names the recording, made of a NAME.activity.jsonl by played.py: a line each, in the order of the
 * buffers. call BEGIN END THREAD CORRELATION FUNCTION NAME kernel BEGIN END DEVICE CONTEXT STREAM CORRELATION
 * GX GY GZ BX BY BZ NAME copy BEGIN END DEVICE CONTEXT STREAM CORRELATION KIND BYTES FROM TO set BEGIN END
 * DEVICE CONTEXT STREAM CORRELATION BYTES wait BEGIN END CONTEXT STREAM CORRELATION TYPE EVENT event CONTEXT
 * STREAM CORRELATION EVENT device ID MULTIPROCESSORS NAME other: a record of a kind that was not requested.
 *
 * PLAYED_VERSION: the result of cuptiGetVersion, whose records are as long as that version's. PLAYED_ERROR=
 * FUNCTION:CODE,...: these functions fail; PLAYED_DROPPED:
 * so many records were dropped. PLAYED_CLOCK=OFFSET:PPM: CUPTI's own clock, where no other was registered.
 * PLAYED_LATE_MS: the devices do all of it so much later, so that a thread that is late on a busy machine
 * does not submit what has been done.
 *
 * Buffers hold a few records each; all come late, on a thread of this library. Records of calls that were
 * made with an external correlation are preceded by one of that. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda/cupti.h"

#define EXPORT __attribute__((visibility("default")))

#define FUNCTION(name, result, parameters) EXPORT result name parameters;
CUPTI_FUNCTIONS CUPTI_FUNCTIONS_OF_SOME
#undef FUNCTION

    enum {
      RECORDS_MAX = 1 << 18,
      NAME_BYTES = 256,
      FUNCTIONS = 1024,
      RECORD_BYTES_MAX = 256,
      THREADS_MAX = 64,
      VERSION_13 = 130000
    };
enum { BUFFER_RECORDS = 37, LEAD_NS = 20000000 };

enum what { CALL, KERNEL, COPY, SET, WAIT, EVENT, DEVICE, OTHER };

struct played {
  enum what what;
  unsigned long long begin, end, thread, bytes;
  unsigned device, context, stream, correlation, function, kind, memory[2], event;
  unsigned long long external; /* a call's; 0: none */
  int shape[6];
  char name[NAME_BYTES];
};

static struct {
  struct played *all;
  size_t count;
  unsigned long long base, offset; /* of the recording's clock */
  uint64_t (*now)(void);
  cupti_buffer_requested *requested;
  cupti_buffer_completed *completed;
  cupti_callback *callback;
  void *data;
  bool is_enabled[3][FUNCTIONS], is_requested[64];
  const char *functions[3][FUNCTIONS];
  size_t delivered;
} cupti;

enum { EXTERNALS_MAX = 8 };
static _Thread_local unsigned long long externals[EXTERNALS_MAX]; /* of this thread, the innermost last */
static _Thread_local unsigned external_depth;

/* -- errors -- */

static int result_of(const char *function) {
  size_t length = strlen(function);
  for (const char *at = getenv("PLAYED_ERROR"); at && *at; at += strcspn(at, ","), at += *at == ',')
    if (strncmp(at, function, length) == 0 && at[length] == ':')
      return atoi(at + length + 1);
  return 0;
}

#define RETURN_IF_REFUSED                                                                                    \
  do {                                                                                                       \
    int error = result_of(__func__);                                                                         \
    if (error)                                                                                               \
      return error;                                                                                          \
  } while (0)

/* -- the recording -- */

static bool read_line(struct played *p, const char *line) {
  int used = 0;
  const char *rest = strchr(line, ' ');
  *p = (struct played){.what = OTHER};
  if (sscanf(line, "call %llu %llu %llu %u %u %255s", &p->begin, &p->end, &p->thread, &p->correlation,
             &p->function, p->name) == 6) {
    p->what = CALL;
  } else if (sscanf(line, "kernel %llu %llu %u %u %u %u %d %d %d %d %d %d %n", &p->begin, &p->end, &p->device,
                    &p->context, &p->stream, &p->correlation, &p->shape[0], &p->shape[1], &p->shape[2],
                    &p->shape[3], &p->shape[4], &p->shape[5], &used) == 12) {
    p->what = KERNEL;
    snprintf(p->name, sizeof p->name, "%s", line + used);
  } else if (sscanf(line, "copy %llu %llu %u %u %u %u %u %llu %u %u", &p->begin, &p->end, &p->device,
                    &p->context, &p->stream, &p->correlation, &p->kind, &p->bytes, &p->memory[0],
                    &p->memory[1]) == 10) {
    p->what = COPY;
  } else if (sscanf(line, "set %llu %llu %u %u %u %u %llu", &p->begin, &p->end, &p->device, &p->context,
                    &p->stream, &p->correlation, &p->bytes) == 7) {
    p->what = SET;
  } else if (sscanf(line, "wait %llu %llu %u %u %u %u %u", &p->begin, &p->end, &p->context, &p->stream,
                    &p->correlation, &p->kind, &p->event) == 7) {
    p->what = WAIT;
  } else if (sscanf(line, "event %u %u %u %u", &p->context, &p->stream, &p->correlation, &p->event) == 4) {
    p->what = EVENT;
  } else if (sscanf(line, "device %u %u %n", &p->device, &p->context, &used) == 2) {
    p->what = DEVICE;
    snprintf(p->name, sizeof p->name, "%s", line + used);
  }
  return rest || p->what == OTHER;
}

static int domain_of(const struct played *p) {
  return strncmp(p->name, "cuda", 4) == 0 ? CUPTI_DOMAIN_RUNTIME : CUPTI_DOMAIN_DRIVER;
}

__attribute__((constructor)) static void read_all(void) {
  char line[1024];
  FILE *file = getenv("PLAYED") ? fopen(getenv("PLAYED"), "r") : NULL;
  cupti.all = calloc(RECORDS_MAX, sizeof *cupti.all);
  while (file && cupti.all && cupti.count < RECORDS_MAX && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    struct played *p = &cupti.all[cupti.count];
    if (!read_line(p, line))
      continue;
    cupti.count++;
    if (p->what == CALL && p->function < FUNCTIONS)
      cupti.functions[domain_of(p)][p->function] = p->name;
    if (p->begin && (cupti.base == 0 || p->begin < cupti.base))
      cupti.base = p->begin;
  }
  if (file)
    fclose(file);
}

/* -- records in buffers, as long as the version's -- */

static bool is_13(void) {
  uint32_t version;
  cuptiGetVersion(&version);
  return version >= VERSION_13;
}

static size_t bytes_of(uint32_t kind) {
  switch (kind) {
  case CUPTI_KERNEL:
    return is_13() ? 216 : 208;
  case CUPTI_MEMCPY:
    return is_13() ? 96 : 88;
  case CUPTI_MEMSET:
    return is_13() ? 88 : 80;
  case CUPTI_DEVICE:
    return is_13() ? 184 : 176;
  case CUPTI_WAIT:
    return is_13() ? 56 : 40;
  case CUPTI_EVENT:
    return is_13() ? 56 : 24;
  default:
    return 32;
  }
}

/* On the clock that the tool has registered, else on CUPTI's own. */
static unsigned long long clock_of(unsigned long long monotonic) {
  long long offset = 0, ppm = 0;
  const char *own = getenv("PLAYED_CLOCK");
  if (!own || cupti.now || sscanf(own, "%lld:%lld", &offset, &ppm) < 1)
    return monotonic;
  return monotonic + (unsigned long long)offset + monotonic / 1000000 * (unsigned long long)ppm;
}

static unsigned long long time_of(unsigned long long recorded) {
  const char *late = getenv("PLAYED_LATE_MS");
  return clock_of(recorded + cupti.offset + (late ? (unsigned long long)atoi(late) * 1000000u : 0));
}

static void write_kernel(struct cupti_kernel *to, const struct played *p) {
  to->start = time_of(p->begin);
  to->end = time_of(p->end);
  to->device = p->device;
  to->context = p->context;
  to->stream = p->stream;
  to->correlation = p->correlation;
  for (int i = 0; i < 3; i++) {
    to->grid[i] = p->shape[i];
    to->block[i] = p->shape[3 + i];
  }
  to->name = p->name;
}

static void write_copy(struct cupti_memcpy *to, const struct played *p) {
  to->copy_kind = (uint8_t)p->kind;
  to->source_kind = (uint8_t)p->memory[0];
  to->destination_kind = (uint8_t)p->memory[1];
  to->flags = 0;
  to->bytes = p->bytes;
  to->start = time_of(p->begin);
  to->end = time_of(p->end);
  to->device = p->device;
  to->context = p->context;
  to->stream = p->stream;
  memcpy((char *)to + CUPTI_MEMCPY_CORRELATION, &p->correlation, sizeof p->correlation);
}

static void write_set(struct cupti_memset *to, const struct played *p) {
  to->bytes = p->bytes;
  to->start = time_of(p->begin);
  to->end = time_of(p->end);
  to->device = p->device;
  to->context = p->context;
  to->stream = p->stream;
  to->correlation = p->correlation;
}

static void write_wait(struct cupti_wait *to, const struct played *p) {
  to->type = p->kind;
  to->start = time_of(p->begin);
  to->end = time_of(p->end);
  to->correlation = p->correlation;
  to->context = p->context;
  to->stream = p->stream;
  to->event = p->event;
}

static void write_event(struct cupti_event *to, const struct played *p) {
  to->correlation = p->correlation;
  to->context = p->context;
  to->stream = p->stream;
  to->event = p->event;
}

static size_t write_external(struct cupti_external *to, const struct played *p) {
  *to = (struct cupti_external){CUPTI_EXTERNAL, CUPTI_EXTERNAL_CUSTOM0, p->external, p->correlation, 0};
  return bytes_of(CUPTI_EXTERNAL);
}

static void write_device(struct cupti_device *to, const struct played *p) {
  to->id = p->device;
  to->multiprocessors = p->context;
  to->name = p->name;
}

/* What was not requested does not come; events come with waits. */
static bool is_requested(const struct played *p) {
  static const int kinds[] = {[CALL] = CUPTI_DRIVER, [WAIT] = CUPTI_WAIT, [EVENT] = CUPTI_WAIT};
  return p->what > EVENT || (p->what != CALL && p->what < WAIT) || cupti.is_requested[kinds[p->what]];
}

/* What is not written is no zero. */
static size_t write_record(void *to, const struct played *p) {
  static const uint32_t kinds[] = {
      [CALL] = CUPTI_DRIVER, [KERNEL] = CUPTI_KERNEL, [COPY] = CUPTI_MEMCPY,   [SET] = CUPTI_MEMSET,
      [WAIT] = CUPTI_WAIT,   [EVENT] = CUPTI_EVENT,   [DEVICE] = CUPTI_DEVICE, [OTHER] = 17};
  uint32_t kind = kinds[p->what];
  memset(to, 0xa5, bytes_of(kind));
  if (p->what == KERNEL)
    write_kernel(to, p);
  else if (p->what == COPY)
    write_copy(to, p);
  else if (p->what == SET)
    write_set(to, p);
  else if (p->what == WAIT)
    write_wait(to, p);
  else if (p->what == EVENT)
    write_event(to, p);
  else if (p->what == DEVICE)
    write_device(to, p);
  memcpy(to, &kind, sizeof kind);
  return bytes_of(kind);
}

static void *deliver(void *nothing) {
  while (cupti.delivered < cupti.count && cupti.requested) {
    uint8_t *buffer = NULL;
    size_t bytes = 0, records = 0, used = 0;
    cupti.requested(&buffer, &bytes, &records);
    if (!buffer)
      return nothing;
    for (int i = 0;
         i < BUFFER_RECORDS && cupti.delivered < cupti.count && used + 2 * RECORD_BYTES_MAX < bytes; i++) {
      const struct played *p = &cupti.all[cupti.delivered++];
      if (p->external && cupti.is_requested[CUPTI_EXTERNAL])
        used += write_external((void *)(buffer + used), p);
      if (is_requested(p))
        used += write_record(buffer + used, p);
    }
    cupti.completed(NULL, 0, buffer, bytes, used);
  }
  return nothing;
}

/* -- CUPTI's functions -- */

int cuptiGetVersion(uint32_t *version) {
  const char *setting = getenv("PLAYED_VERSION");
  *version = setting ? (uint32_t)atoi(setting) : 130001;
  return result_of(__func__);
}

int cuptiActivityEnable(int kind) {
  RETURN_IF_REFUSED;
  cupti.is_requested[kind] = true;
  return 0;
}

int cuptiActivityDisable(int kind) {
  RETURN_IF_REFUSED;
  cupti.is_requested[kind] = false;
  return 0;
}

int cuptiActivityRegisterCallbacks(cupti_buffer_requested *requested, cupti_buffer_completed *completed) {
  RETURN_IF_REFUSED;
  cupti.requested = requested;
  cupti.completed = completed;
  return 0;
}

int cuptiActivityRegisterTimestampCallback(uint64_t (*now)(void)) {
  RETURN_IF_REFUSED;
  cupti.now = now;
  return 0;
}

int cuptiGetTimestamp(uint64_t *time) {
  struct timespec now;
  RETURN_IF_REFUSED;
  clock_gettime(CLOCK_MONOTONIC, &now);
  *time = clock_of((unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
  return 0;
}

int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id) {
  RETURN_IF_REFUSED;
  if (kind != CUPTI_EXTERNAL_CUSTOM0 || external_depth >= EXTERNALS_MAX)
    return 1;
  externals[external_depth++] = id;
  return 0;
}

int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *last) {
  RETURN_IF_REFUSED;
  if (kind != CUPTI_EXTERNAL_CUSTOM0 || external_depth == 0)
    return 26; /* CUPTI_ERROR_QUEUE_EMPTY */
  *last = externals[--external_depth];
  return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record) {
  RETURN_IF_REFUSED;
  uint8_t *next = buffer;
  if (*record) {
    uint32_t kind;
    memcpy(&kind, *record, sizeof kind);
    next = (uint8_t *)*record + bytes_of(kind);
  }
  if (next >= buffer + valid)
    return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
  *record = next;
  return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped) {
  RETURN_IF_REFUSED;
  static bool is_reported;
  const char *setting = getenv("PLAYED_DROPPED");
  (void)context;
  (void)stream;
  *dropped = setting && !is_reported ? (size_t)atoi(setting) : 0;
  is_reported = true;
  return 0;
}

int cuptiActivityFlushAll(uint32_t flag) {
  pthread_t thread;
  (void)flag;
  RETURN_IF_REFUSED;
  if (pthread_create(&thread, NULL, deliver, NULL) == 0)
    pthread_join(thread, NULL);
  return 0;
}

int cuptiActivityFlushPeriod(uint32_t ms) {
  (void)ms;
  return result_of(__func__);
}

int cuptiSubscribe(void **subscriber, cupti_callback *callback, void *data) {
  RETURN_IF_REFUSED;
  *subscriber = &cupti;
  cupti.callback = callback;
  cupti.data = data;
  return 0;
}

int cuptiUnsubscribe(void *subscriber) {
  RETURN_IF_REFUSED;
  (void)subscriber;
  cupti.callback = NULL;
  return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t function) {
  RETURN_IF_REFUSED;
  (void)subscriber;
  if (domain < CUPTI_DOMAIN_DRIVER || domain > CUPTI_DOMAIN_RUNTIME || function >= FUNCTIONS)
    return 1;
  cupti.is_enabled[domain][function] = enable;
  return 0;
}

int cuptiGetCallbackName(int domain, uint32_t function, const char **name) {
  RETURN_IF_REFUSED;
  if (domain < CUPTI_DOMAIN_DRIVER || domain > CUPTI_DOMAIN_RUNTIME || function >= FUNCTIONS ||
      !cupti.functions[domain][function])
    return 1;
  *name = cupti.functions[domain][function];
  return 0;
}

/* -- playing -- */

static void wait_until(unsigned long long recorded) {
  unsigned long long at = recorded + cupti.offset;
  struct timespec when = {(time_t)(at / 1000000000u), (long)(at % 1000000000u)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0)
    continue;
}

static void call(struct played *p, uint32_t site) {
  p->external = external_depth ? externals[external_depth - 1] : 0;
  const struct cupti_call data = {.site = site, .function = p->name, .correlation = p->correlation};
  int domain = domain_of(p);
  if (cupti.callback && p->function < FUNCTIONS && cupti.is_enabled[domain][p->function])
    cupti.callback(cupti.data, domain, p->function, &data);
}

static void *play_thread(void *number) {
  for (size_t i = 0; i < cupti.count; i++) {
    struct played *p = &cupti.all[i];
    if (p->what != CALL || p->thread != (unsigned long long)(uintptr_t)number)
      continue;
    wait_until(p->begin);
    call(p, CUPTI_ENTER);
    wait_until(p->end);
    call(p, CUPTI_EXIT);
  }
  return NULL;
}

/* A script's (../support/scripted_cuda.c), whose threads make the calls. */
EXPORT void played_begin(void);
EXPORT void played_until(unsigned long long recorded);
EXPORT void played_call(unsigned long number, int is_enter);

void played_begin(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  cupti.offset =
      (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec + LEAD_NS - cupti.base;
}

void played_until(unsigned long long recorded) {
  wait_until(recorded);
}

void played_call(unsigned long number, int is_enter) {
  if (number < cupti.count)
    call(&cupti.all[number], is_enter ? CUPTI_ENTER : CUPTI_EXIT);
}

/* The program's: its threads are those of the recording. */
EXPORT void played_run(void);

void played_run(void) {
  pthread_t threads[THREADS_MAX];
  unsigned long long numbers[THREADS_MAX];
  size_t count = 0;
  played_begin();
  for (size_t i = 0; i < cupti.count; i++) {
    const struct played *p = &cupti.all[i];
    size_t known = 0;
    while (known < count && numbers[known] != p->thread)
      known++;
    if (p->what != CALL || known < count || count == THREADS_MAX)
      continue;
    numbers[count] = p->thread;
    if (count > 0)
      pthread_create(&threads[count], NULL, play_thread, (void *)(uintptr_t)p->thread);
    count++;
  }
  if (count > 0)
    play_thread((void *)(uintptr_t)numbers[0]);
  for (size_t i = 1; i < count; i++)
    pthread_join(threads[i], NULL);
  for (size_t i = 0; i < cupti.count; i++) /* no program ends before its devices have done their work */
    wait_until(cupti.all[i].end);
}
