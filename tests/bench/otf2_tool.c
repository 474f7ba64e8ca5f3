/* What most tracers do: OTF2 is called in the callback. Every event is an Enter or a Leave in turn, without
 * attributes, under the library's own buffering; BENCH_OTF2_OUTPUT is the folder for the archive. */
#include "bench_tool.h"

#include <pthread.h>
#include <stdlib.h>
#include <x86intrin.h>

#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>

static OTF2_Archive *archive;
static uint64_t locations;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

BENCH_THREAD_LOCAL OTF2_EvtWriter *writer;
BENCH_THREAD_LOCAL uint64_t events;

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

static OTF2_TimeStamp now(void *data, OTF2_FileType type, OTF2_LocationRef location) {
  (void)data, (void)type, (void)location;
  return __rdtsc();
}

static __attribute__((noinline, cold)) void attach(void) {
  pthread_mutex_lock(&mutex);
  writer = OTF2_Archive_GetEvtWriter(archive, locations++);
  pthread_mutex_unlock(&mutex);
}

static void on_any_event(uint64_t first, uint64_t second, uint64_t third) {
  (void)first, (void)second, (void)third;
  uint64_t ticks = __rdtsc();
  if (__builtin_expect(!writer, 0))
    attach();
  if (events++ % 2)
    OTF2_EvtWriter_Leave(writer, NULL, ticks, 0);
  else
    OTF2_EvtWriter_Enter(writer, NULL, ticks, 0);
}

static void begin(void) {
  static const OTF2_FlushCallbacks callbacks = {flush_always, now};
  const char *folder = getenv("BENCH_OTF2_OUTPUT");
  archive = OTF2_Archive_Open(folder ? folder : "otf2-inline", "traces", OTF2_FILEMODE_WRITE, 1024 * 1024,
                              256 * 1024, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!archive)
    abort();
  OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL);
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
}

static void end(void) {
  OTF2_Archive_Close(archive);
}

const struct bench_tool bench_tool = {on_any_event, begin, end};
