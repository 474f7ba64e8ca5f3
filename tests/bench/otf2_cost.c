/* otf2_cost PATTERN N FOLDER: what OTF2 itself costs for the events that N rounds of a workload become.
 *
 * Writes them on one location, as most tracers set the library up (1 MiB chunks that go to the file
 * when they are full), and does nothing else. Prints the processor time and the number of events. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <otf2/otf2.h>

enum { EVENT_CHUNK_BYTES = 1 << 20, DEFINITION_CHUNK_BYTES = 256 << 10, TICKS_APART = 20 };

static OTF2_EvtWriter *writer;
static uint64_t ticks;

static OTF2_FlushType pre_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* One chunk at a time. */
static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                      uint64_t bytes) {
  (void)data, (void)location;
  if (type == OTF2_FILETYPE_EVENTS && *buffer)
    return NULL;
  return *buffer = malloc(bytes);
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                     bool is_final) {
  (void)data, (void)type, (void)location, (void)is_final;
  free(*buffer);
  *buffer = NULL;
}

static void enter(uint32_t region) {
  OTF2_EvtWriter_Enter(writer, NULL, ticks, region);
}

static void leave(uint32_t region) {
  OTF2_EvtWriter_Leave(writer, NULL, ticks, region);
}

static void write_barrier(uint32_t i) {
  (void)i;
  for (uint32_t region = 1; region <= 2; region++, ticks += TICKS_APART)
    enter(region);
  for (uint32_t region = 2; region >= 1; region--, ticks += TICKS_APART)
    leave(region);
}

static void write_lock(uint32_t i) {
  enter(1);
  ticks += TICKS_APART;
  OTF2_EvtWriter_ThreadAcquireLock(writer, NULL, ticks, OTF2_PARADIGM_OPENMP, 0, i);
  leave(1);
  ticks += TICKS_APART;
  enter(2);
  OTF2_EvtWriter_ThreadReleaseLock(writer, NULL, ticks, OTF2_PARADIGM_OPENMP, 0, i);
  leave(2);
  ticks += TICKS_APART;
}

static void write_task(uint32_t i) {
  enter(1);
  OTF2_EvtWriter_ThreadTaskCreate(writer, NULL, ticks, 0, 0, i);
  leave(1);
  ticks += TICKS_APART;
  OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, ticks, 0, 0, i);
  enter(2);
  ticks += TICKS_APART;
  leave(2);
  OTF2_EvtWriter_ThreadTaskComplete(writer, NULL, ticks, 0, 0, i);
  OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, ticks, 0, 0, 0);
  ticks += TICKS_APART;
}

static uint64_t cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static OTF2_Archive *open_archive(const char *folder) {
  static const OTF2_FlushCallbacks flush = {pre_flush, NULL};
  static const OTF2_MemoryCallbacks memory = {allocate, free_all};
  OTF2_Archive *archive =
      OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES, DEFINITION_CHUNK_BYTES,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!archive)
    exit(1);
  OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
  OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  return archive;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*write)(uint32_t);
  } patterns[] = {{"barrier", write_barrier}, {"lock", write_lock}, {"task", write_task}};
  if (argc != 4)
    return 2;
  OTF2_Archive *archive = open_archive(argv[3]);
  writer = OTF2_Archive_GetEvtWriter(archive, 0);
  uint64_t begin = cpu_ns(), events = 0;
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
    for (uint32_t i = 1; strcmp(argv[1], patterns[p].name) == 0 && i <= (uint32_t)atol(argv[2]); i++)
      patterns[p].write(i);
  OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  printf("cpu_ns: %llu\nevents: %llu\n", (unsigned long long)(cpu_ns() - begin), (unsigned long long)events);
  OTF2_Archive_Close(archive);
  return events ? 0 : 2;
}
