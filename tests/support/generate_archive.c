/* generate_archive mixed FOLDER EVENTS | ranks FOLDER EVENTS RANKS | regions FOLDER COUNT | threads FOLDER
 * COUNT: large archives for tests of speed and of sheer numbers.
 *
 * mixed: four threads in parallel regions, each with a loop of chunks, critical sections, tasks that another
 * thread runs, and barriers; in the proportions of a busy program. ranks: RANKS processes of that kind at the
 * same time, with samples in the chunks, each of which sends a message to the next after each parallel
 * region. regions: a parallel region at each of COUNT places, once. threads: a parallel region of COUNT
 * threads with a loop.
 * */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <otf2/otf2.h>

enum { THREADS = 4, CHUNK_BYTES = 1 << 20, RANKS_CHUNK_BYTES = 1 << 18, MESSAGE_BYTES = 4096 };

enum region {
  PROGRAM,
  PARALLEL,
  IMPLICIT_BARRIER,
  LOOP,
  CHUNK,
  CRITICAL,
  SBLOCK,
  CREATE,
  TASK,
  TASKWAIT,
  SEND,
  RECEIVE,
  REGIONS
};

static const struct {
  const char *name;
  OTF2_RegionRole role;
} regions[REGIONS] = {
    [PROGRAM] = {"program", OTF2_REGION_ROLE_ARTIFICIAL},
    [PARALLEL] = {"!$omp parallel @a.c:1", OTF2_REGION_ROLE_PARALLEL},
    [IMPLICIT_BARRIER] = {"!$omp implicit barrier @a.c:1", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    [LOOP] = {"!$omp for @a.c:2", OTF2_REGION_ROLE_LOOP},
    [CHUNK] = {"!$omp loop chunk @a.c:2", OTF2_REGION_ROLE_CODE},
    [CRITICAL] = {"!$omp critical @a.c:3", OTF2_REGION_ROLE_CRITICAL},
    [SBLOCK] = {"!$omp critical sblock @a.c:3", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
    [CREATE] = {"!$omp create task @a.c:4", OTF2_REGION_ROLE_TASK_CREATE},
    [TASK] = {"!$omp task @a.c:4", OTF2_REGION_ROLE_TASK},
    [TASKWAIT] = {"!$omp taskwait @a.c:5", OTF2_REGION_ROLE_TASK_WAIT},
    [SEND] = {"MPI_Send @a.c:6", OTF2_REGION_ROLE_POINT2POINT},
    [RECEIVE] = {"MPI_Recv @a.c:7", OTF2_REGION_ROLE_POINT2POINT},
};

struct generator {
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_EvtWriter **all, **writers; /* all ranks', those of the rank that is made */
  uint64_t now, events, tasks, order;
  uint32_t strings, rank; /* a rank's team and lock have its number */
  bool has_samples;
};

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

/* Without post-flush there are no BufferFlush records. */
static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = before_flush};

static uint32_t string(struct generator *g, const char *text) {
  OTF2_GlobalDefWriter_WriteString(g->definitions, g->strings, text);
  return g->strings++;
}

static void begin(struct generator *g, const char *folder, uint64_t chunk) {
  *g = (struct generator){.now = 1000};
  g->archive = OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, chunk, CHUNK_BYTES,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!g->archive)
    exit(EXIT_FAILURE);
  OTF2_Archive_SetFlushCallbacks(g->archive, &flush_callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(g->archive);
  OTF2_Archive_OpenEvtFiles(g->archive);
  g->definitions = OTF2_Archive_GetGlobalDefWriter(g->archive);
}

static void open_writers(struct generator *g, uint64_t count) {
  g->all = g->writers = calloc(count, sizeof *g->all);
  if (!g->all)
    exit(EXIT_FAILURE);
  for (uint64_t i = 0; i < count; i++)
    g->all[i] = OTF2_Archive_GetEvtWriter(g->archive, i);
}

static void define_locations(struct generator *g) {
  static const uint64_t members[THREADS] = {0, 1, 2, 3};
  uint32_t name = string(g, "");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(g->definitions, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(g->definitions, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  for (uint64_t i = 0; i < THREADS; i++) {
    char text[32];
    uint64_t count;
    snprintf(text, sizeof text, "thread %" PRIu64, i);
    OTF2_EvtWriter_GetNumberOfEvents(g->writers[i], &count);
    OTF2_GlobalDefWriter_WriteLocation(g->definitions, i, string(g, text), OTF2_LOCATION_TYPE_CPU_THREAD,
                                       count, 0);
  }
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                  OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, THREADS, members);
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, 1, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, THREADS, members);
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, 2, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, 1, members);
  OTF2_GlobalDefWriter_WriteComm(g->definitions, 0, name, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteComm(g->definitions, 1, name, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}

static void define_region(struct generator *g, uint32_t number, const char *text, OTF2_RegionRole role) {
  uint32_t name = string(g, text);
  OTF2_GlobalDefWriter_WriteRegion(g->definitions, number, name, name, name, role, OTF2_PARADIGM_OPENMP,
                                   OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
}

static void define_clock(struct generator *g) {
  OTF2_GlobalDefWriter_WriteClockProperties(g->definitions, 1000000000, 1000, g->now - 1000,
                                            OTF2_UNDEFINED_TIMESTAMP);
}

static void close_archive(struct generator *g) {
  OTF2_Archive_CloseEvtFiles(g->archive);
  OTF2_Archive_Close(g->archive);
}

static void end(struct generator *g) {
  define_clock(g);
  define_locations(g);
  for (int i = 0; i < THREADS; i++)
    OTF2_Archive_CloseEvtWriter(g->archive, g->writers[i]);
  close_archive(g);
}

static uint64_t next(struct generator *g) {
  g->events++;
  return g->now += 10;
}

static void enter(struct generator *g, int thread, uint32_t region) {
  OTF2_EvtWriter_Enter(g->writers[thread], NULL, next(g), region);
}

static void leave(struct generator *g, int thread, uint32_t region) {
  OTF2_EvtWriter_Leave(g->writers[thread], NULL, next(g), region);
}

static void begin_region(struct generator *g, int threads, uint32_t comm, uint32_t region) {
  OTF2_EvtWriter_ThreadFork(g->writers[0], NULL, next(g), OTF2_PARADIGM_OPENMP, (uint32_t)threads);
  for (int i = 0; i < threads; i++) {
    OTF2_EvtWriter_ThreadTeamBegin(g->writers[i], NULL, next(g), comm);
    enter(g, i, region);
  }
}

static void end_region(struct generator *g, int threads, uint32_t comm, uint32_t region) {
  for (int i = 0; i < threads; i++)
    enter(g, i, IMPLICIT_BARRIER);
  for (int i = threads; i-- > 0;) {
    leave(g, i, IMPLICIT_BARRIER);
    leave(g, i, region);
    OTF2_EvtWriter_ThreadTeamEnd(g->writers[i], NULL, next(g), comm);
  }
  OTF2_EvtWriter_ThreadJoin(g->writers[0], NULL, next(g), OTF2_PARADIGM_OPENMP);
}

/* Enter(critical) of all, one after another gets it. */
static void critical_sections(struct generator *g) {
  for (int i = 0; i < THREADS; i++)
    enter(g, i, CRITICAL);
  for (int i = 0; i < THREADS; i++) {
    uint32_t order = (uint32_t)++g->order;
    OTF2_EvtWriter_ThreadAcquireLock(g->writers[i], NULL, next(g), OTF2_PARADIGM_OPENMP, g->rank, order);
    enter(g, i, SBLOCK);
    leave(g, i, SBLOCK);
    OTF2_EvtWriter_ThreadReleaseLock(g->writers[i], NULL, next(g), OTF2_PARADIGM_OPENMP, g->rank, order);
    leave(g, i, CRITICAL);
  }
}

static void run_task(struct generator *g, int thread, uint32_t task) {
  OTF2_EvtWriter *writer = g->writers[thread];
  OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, next(g), g->rank, 0, task);
  enter(g, thread, TASK);
  leave(g, thread, TASK);
  OTF2_EvtWriter_ThreadTaskComplete(writer, NULL, next(g), g->rank, 0, task);
  OTF2_EvtWriter_ThreadTaskSwitch(writer, NULL, next(g), g->rank, (uint32_t)thread, 0);
}

static void tasks(struct generator *g) {
  uint32_t first = (uint32_t)g->tasks + 1;
  for (int i = 0; i < THREADS; i++) {
    enter(g, 0, CREATE);
    OTF2_EvtWriter_ThreadTaskCreate(g->writers[0], NULL, next(g), g->rank, 0, (uint32_t)++g->tasks);
    leave(g, 0, CREATE);
  }
  for (int i = 0; i < THREADS; i++)
    enter(g, i, TASKWAIT);
  for (int i = 0; i < THREADS; i++)
    run_task(g, i, first + (uint32_t)i);
  for (int i = 0; i < THREADS; i++)
    leave(g, i, TASKWAIT);
}

static void chunks(struct generator *g) {
  for (int i = 0; i < THREADS; i++)
    enter(g, i, LOOP);
  for (int i = 0; i < 4 * THREADS; i++) {
    enter(g, i % THREADS, CHUNK);
    if (g->has_samples)
      OTF2_EvtWriter_CallingContextSample(g->writers[i % THREADS], NULL, next(g), (uint32_t)i % 2, 1, 0);
    leave(g, i % THREADS, CHUNK);
  }
  for (int i = 0; i < THREADS; i++)
    leave(g, i, LOOP);
}

static void make_round(struct generator *g) {
  begin_region(g, THREADS, g->rank, PARALLEL);
  for (int i = 0; i < 20; i++) {
    chunks(g);
    critical_sections(g);
    tasks(g);
  }
  end_region(g, THREADS, g->rank, PARALLEL);
}

static void define_regions(struct generator *g) {
  for (uint32_t i = 0; i < REGIONS; i++)
    define_region(g, i, regions[i].name, regions[i].role);
}

static void make_mixed(struct generator *g, uint64_t events) {
  enter(g, 0, PROGRAM);
  while (g->events < events)
    make_round(g);
  leave(g, 0, PROGRAM);
  define_regions(g);
}

/* -- ranks -- */

/* What the rank before sent after its last round; then a round; then a message to the next rank. */
static void make_rank_round(struct generator *g, uint32_t ranks, bool is_first) {
  if (!is_first) {
    enter(g, 0, RECEIVE);
    OTF2_EvtWriter_MpiRecv(g->writers[0], NULL, next(g), (g->rank + ranks - 1) % ranks, ranks, 0,
                           MESSAGE_BYTES);
    leave(g, 0, RECEIVE);
  }
  make_round(g);
  enter(g, 0, SEND);
  OTF2_EvtWriter_MpiSend(g->writers[0], NULL, next(g), (g->rank + 1) % ranks, ranks, 0, MESSAGE_BYTES);
  leave(g, 0, SEND);
}

static uint32_t define_group(struct generator *g, uint32_t number, OTF2_GroupType type,
                             OTF2_Paradigm paradigm, uint32_t count, const uint64_t *members) {
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, number, string(g, ""), type, paradigm, OTF2_GROUP_FLAG_NONE,
                                  count, members);
  return number;
}

static void define_rank(struct generator *g, uint32_t rank) {
  char text[32];
  snprintf(text, sizeof text, "Rank %" PRIu32, rank);
  OTF2_GlobalDefWriter_WriteLocationGroup(g->definitions, rank, string(g, text),
                                          OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
  for (uint64_t i = (uint64_t)rank * THREADS; i < (rank + 1ull) * THREADS; i++) {
    uint64_t count;
    snprintf(text, sizeof text, i % THREADS ? "OMP thread %" PRIu64 : "Master thread", i % THREADS);
    OTF2_EvtWriter_GetNumberOfEvents(g->all[i], &count);
    OTF2_GlobalDefWriter_WriteLocation(g->definitions, i, string(g, text), OTF2_LOCATION_TYPE_CPU_THREAD,
                                       count, rank);
  }
}

/* Groups of locations come first, then those of teams and of the ranks. */
static void define_comms(struct generator *g, uint32_t ranks) {
  uint64_t *members = calloc((size_t)ranks * THREADS, sizeof *members),
           *numbers = calloc(ranks, sizeof *numbers);
  if (!members || !numbers)
    exit(EXIT_FAILURE);
  for (uint64_t i = 0; i < ranks * (uint64_t)THREADS; i++)
    members[i] = i;
  define_group(g, ranks, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, ranks * THREADS, members);
  for (uint32_t i = 0; i < ranks; i++) {
    define_group(g, i, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, THREADS,
                 members + (size_t)i * THREADS);
    OTF2_GlobalDefWriter_WriteComm(g->definitions, i, string(g, ""), i, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
  }
  for (uint32_t i = 0; i < ranks; i++)
    numbers[i] = (uint64_t)i * THREADS;
  define_group(g, ranks + 1, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, ranks, numbers);
  uint32_t world = define_group(g, ranks + 2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, ranks, members);
  OTF2_GlobalDefWriter_WriteComm(g->definitions, ranks, string(g, "MPI_COMM_WORLD"), world,
                                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  free(members);
  free(numbers);
}

static void define_contexts(struct generator *g) {
  for (uint32_t i = 0; i < 2; i++)
    OTF2_GlobalDefWriter_WriteCallingContext(g->definitions, i, i ? CHUNK : LOOP,
                                             OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                             i ? 0 : OTF2_UNDEFINED_CALLING_CONTEXT);
  OTF2_GlobalDefWriter_WriteInterruptGenerator(g->definitions, 0, string(g, "timer"),
                                               OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -3, 1);
}

static void define_ranks(struct generator *g, uint32_t ranks) {
  uint32_t name = string(g, "node");
  define_regions(g);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(g->definitions, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t i = 0; i < ranks; i++)
    define_rank(g, i);
  define_comms(g, ranks);
  define_contexts(g);
}

/* Round by round, each of which lasts as long on all ranks. */
static void make_ranks(struct generator *g, uint64_t events, uint32_t ranks) {
  uint64_t started = g->now, order = 0;
  g->has_samples = true;
  open_writers(g, (uint64_t)ranks * THREADS);
  for (bool is_first = true; is_first || g->events < events; is_first = false) {
    for (g->rank = 0; g->rank < ranks; g->rank++) {
      g->writers = g->all + (size_t)g->rank * THREADS;
      g->now = started;
      g->order = order;
      make_rank_round(g, ranks, is_first);
    }
    started = g->now;
    order = g->order;
  }
  define_clock(g);
  define_ranks(g, ranks);
  for (uint64_t i = 0; i < ranks * (uint64_t)THREADS; i++)
    OTF2_Archive_CloseEvtWriter(g->archive, g->all[i]);
  close_archive(g);
}

/* -- places, threads -- */

static void make_regions(struct generator *g, uint64_t count) {
  char text[64];
  define_regions(g);
  for (uint64_t i = 0; i < count; i++) {
    uint32_t region = (uint32_t)(REGIONS + i);
    snprintf(text, sizeof text, "!$omp parallel @many.c:%" PRIu64, i + 1);
    define_region(g, region, text, OTF2_REGION_ROLE_PARALLEL);
    begin_region(g, 1, 1, region);
    end_region(g, 1, 1, region);
  }
}

/* One after another, as writers of thousands need much memory together. */
static void write_thread(struct generator *g, uint64_t thread, uint64_t count) {
  static const uint32_t inside[] = {PARALLEL, LOOP, IMPLICIT_BARRIER};
  OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(g->archive, thread);
  uint64_t step = count + 10, now = 1000 + thread;
  if (thread == 0)
    OTF2_EvtWriter_ThreadFork(writer, NULL, now, OTF2_PARADIGM_OPENMP, (uint32_t)count);
  OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, now += step, 0);
  OTF2_EvtWriter_Enter(writer, NULL, now, inside[0]);
  OTF2_EvtWriter_Enter(writer, NULL, now += step, inside[1]);
  OTF2_EvtWriter_Leave(writer, NULL, now += (100 + thread % 7) * step, inside[1]);
  OTF2_EvtWriter_Enter(writer, NULL, now += step, inside[2]);
  now = 1000 + thread + 110 * step;
  OTF2_EvtWriter_Leave(writer, NULL, now, inside[2]);
  OTF2_EvtWriter_Leave(writer, NULL, now, inside[0]);
  OTF2_EvtWriter_ThreadTeamEnd(writer, NULL, now, 0);
  if (thread == 0)
    OTF2_EvtWriter_ThreadJoin(writer, NULL, now += step, OTF2_PARADIGM_OPENMP);
  g->now = now > g->now ? now : g->now;
  OTF2_Archive_CloseEvtWriter(g->archive, writer);
}

static void define_threads(struct generator *g, uint64_t count) {
  uint64_t *members = calloc(count, sizeof *members);
  uint32_t name = string(g, "");
  if (!members)
    exit(EXIT_FAILURE);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(g->definitions, 0, name, name, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(g->definitions, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  for (uint64_t i = 0; i < count; i++) {
    char text[32];
    members[i] = i;
    snprintf(text, sizeof text, i ? "OMP thread %" PRIu64 : "Master thread", i);
    OTF2_GlobalDefWriter_WriteLocation(g->definitions, i, string(g, text), OTF2_LOCATION_TYPE_CPU_THREAD,
                                       i ? 8 : 10, 0);
  }
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                  OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, (uint32_t)count, members);
  OTF2_GlobalDefWriter_WriteGroup(g->definitions, 1, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, (uint32_t)count, members);
  OTF2_GlobalDefWriter_WriteComm(g->definitions, 0, name, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  free(members);
}

static void make_threads(struct generator *g, uint64_t count) {
  define_regions(g);
  for (uint64_t i = 0; i < count; i++)
    write_thread(g, i, count);
  define_threads(g, count);
  define_clock(g);
  close_archive(g);
}

/* Four threads. */
static void make_team(struct generator *g, const char *kind, uint64_t number) {
  open_writers(g, THREADS);
  if (strcmp(kind, "mixed") == 0)
    make_mixed(g, number);
  else
    make_regions(g, number);
  end(g);
}

int main(int argc, char **argv) {
  struct generator generator;
  uint64_t number = argc >= 4 ? strtoull(argv[3], NULL, 10) : 0,
           ranks = argc == 5 ? strtoull(argv[4], NULL, 10) : 0;
  bool has_ranks = argc == 5 && strcmp(argv[1], "ranks") == 0 && ranks > 0;
  if (number == 0 || (argc != 4 && !has_ranks)) {
    fprintf(stderr,
            "usage: generate_archive mixed|regions|threads FOLDER NUMBER | ranks FOLDER EVENTS RANKS\n");
    return 2;
  }
  begin(&generator, argv[2], has_ranks ? RANKS_CHUNK_BYTES : CHUNK_BYTES);
  if (has_ranks)
    make_ranks(&generator, number, (uint32_t)ranks);
  else if (strcmp(argv[1], "threads") == 0)
    make_threads(&generator, number);
  else
    make_team(&generator, argv[1], number);
  free(generator.all);
  return 0;
}
