/* generate_job FOLDER RANKS EVENTS: the archives of a job's ranks, FOLDER/rank/0 and so on, as Stave leaves
 * them, for what reads and merges very many. Each rank has two threads and about EVENTS events: steps of a
 * ring of messages, a parallel region with a dynamic loop, and a reduction every ten steps; some ranks are
 * slower. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <otf2/otf2.h>

enum { THREADS = 2, CHUNKS = 8, CHUNK_BYTES = 1 << 18, STEP_TICKS = 40000, EVENTS_A_STEP = 64 };

enum { WORLD, TEAM };

enum region { PROGRAM, INIT, SEND, RECV, ALLREDUCE, FINALIZE, PARALLEL, BARRIER, LOOP, CHUNK, REGIONS };

static const struct {
  const char *name;
  OTF2_RegionRole role;
  OTF2_Paradigm paradigm;
} regions[REGIONS] = {
    [PROGRAM] = {"app", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_MEASUREMENT_SYSTEM},
    [INIT] = {"MPI_Init", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_MPI},
    [SEND] = {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    [RECV] = {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    [ALLREDUCE] = {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI},
    [FINALIZE] = {"MPI_Finalize", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_MPI},
    [PARALLEL] = {"!$omp parallel @app.c:9", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP},
    [BARRIER] = {"!$omp implicit barrier @app.c:9", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP},
    [LOOP] = {"!$omp for @app.c:10", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP},
    [CHUNK] = {"!$omp loop chunk @app.c:10", OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_OPENMP},
};

struct rank {
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_EvtWriter *writers[THREADS];
  uint32_t number, ranks, strings;
  uint64_t now;
};

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool is_final) {
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = before_flush};

/* -- events -- */

static void enter(struct rank *rank, int thread, uint64_t ticks, enum region region) {
  OTF2_EvtWriter_Enter(rank->writers[thread], NULL, ticks, region);
}

static void leave(struct rank *rank, int thread, uint64_t ticks, enum region region) {
  OTF2_EvtWriter_Leave(rank->writers[thread], NULL, ticks, region);
}

/* Ranks differ, and so do steps. */
static uint64_t work_of(const struct rank *rank, uint64_t step) {
  return 200 + (rank->number * 7 + step * 13) % 97;
}

static uint64_t member(struct rank *rank, int thread, uint64_t begin, uint64_t step) {
  OTF2_EvtWriter *writer = rank->writers[thread];
  uint64_t now = begin + 20 * (uint64_t)thread;
  OTF2_EvtWriter_ThreadTeamBegin(writer, NULL, now, TEAM);
  enter(rank, thread, now, PARALLEL);
  enter(rank, thread, now += 10, LOOP);
  for (int i = 0; i < CHUNKS; i++) {
    enter(rank, thread, now, CHUNK);
    leave(rank, thread, now += work_of(rank, step + (uint64_t)i) * (thread == 0 ? 8 : 7), CHUNK);
  }
  leave(rank, thread, now, LOOP);
  enter(rank, thread, now, BARRIER);
  return now;
}

static void end_member(struct rank *rank, int thread, uint64_t ticks) {
  leave(rank, thread, ticks, BARRIER);
  leave(rank, thread, ticks, PARALLEL);
  OTF2_EvtWriter_ThreadTeamEnd(rank->writers[thread], NULL, ticks, TEAM);
}

static void parallel(struct rank *rank, uint64_t step) {
  OTF2_EvtWriter_ThreadFork(rank->writers[0], NULL, rank->now, OTF2_PARADIGM_OPENMP, THREADS);
  uint64_t end = 0, begin = rank->now + 10;
  for (int i = 0; i < THREADS; i++) {
    uint64_t came = member(rank, i, begin, step);
    end = came > end ? came : end;
  }
  for (int i = 0; i < THREADS; i++)
    end_member(rank, i, end + 10);
  OTF2_EvtWriter_ThreadJoin(rank->writers[0], NULL, end + 20, OTF2_PARADIGM_OPENMP);
}

/* Received when the slowest of all has sent, so that no message is received before that. */
static void exchange(struct rank *rank) {
  uint32_t right = (rank->number + 1) % rank->ranks, left = (rank->number + rank->ranks - 1) % rank->ranks;
  OTF2_EvtWriter *writer = rank->writers[0];
  enter(rank, 0, rank->now, SEND);
  OTF2_EvtWriter_MpiSend(writer, NULL, rank->now, right, WORLD, 1, 8192);
  leave(rank, 0, rank->now + 50, SEND);
  enter(rank, 0, rank->now + 60, RECV);
  OTF2_EvtWriter_MpiRecv(writer, NULL, rank->now + 300, left, WORLD, 1, 8192);
  leave(rank, 0, rank->now + 300, RECV);
  rank->now += 400;
}

static void reduce(struct rank *rank, uint64_t step_end) {
  OTF2_EvtWriter *writer = rank->writers[0];
  enter(rank, 0, step_end - 2000 + rank->number % 1000, ALLREDUCE);
  OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, step_end - 2000 + rank->number % 1000);
  OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, step_end - 500, OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD,
                                  OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
  leave(rank, 0, step_end - 500, ALLREDUCE);
}

static void write_events(struct rank *rank, uint64_t events) {
  uint64_t begin = 1000000, steps = events / EVENTS_A_STEP + 1;
  enter(rank, 0, begin, PROGRAM);
  enter(rank, 0, begin, INIT);
  leave(rank, 0, begin + 1000, INIT);
  for (uint64_t i = 0; i < steps; i++) {
    rank->now = begin + 2000 + i * STEP_TICKS;
    exchange(rank);
    parallel(rank, i);
    if (i % 10 == 9)
      reduce(rank, begin + 2000 + (i + 1) * STEP_TICKS);
  }
  rank->now = begin + 2000 + steps * STEP_TICKS;
  enter(rank, 0, rank->now, FINALIZE);
  leave(rank, 0, rank->now + 1000, FINALIZE);
  leave(rank, 0, rank->now + 1000, PROGRAM);
}

/* -- definitions -- */

static uint32_t string(struct rank *rank, const char *text) {
  OTF2_GlobalDefWriter_WriteString(rank->definitions, rank->strings, text);
  return rank->strings++;
}

static void define_regions(struct rank *rank) {
  for (uint32_t i = 0; i < REGIONS; i++) {
    uint32_t name = string(rank, regions[i].name);
    OTF2_GlobalDefWriter_WriteRegion(rank->definitions, i, name, name, name, regions[i].role,
                                     regions[i].paradigm, OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
  }
}

static void define_locations(struct rank *rank) {
  char text[64];
  snprintf(text, sizeof text, "MPI Rank %" PRIu32, rank->number);
  uint32_t name = string(rank, text), node = string(rank, "node");
  OTF2_GlobalDefWriter_WriteSystemTreeNode(rank->definitions, 0, node, node, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteLocationGroup(rank->definitions, 0, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                          OTF2_UNDEFINED_LOCATION_GROUP);
  for (uint64_t i = 0; i < THREADS; i++) {
    uint64_t count;
    snprintf(text, sizeof text, i == 0 ? "Master thread" : "OMP thread %" PRIu64, i);
    OTF2_EvtWriter_GetNumberOfEvents(rank->writers[i], &count);
    OTF2_GlobalDefWriter_WriteLocation(rank->definitions, i, string(rank, text),
                                       OTF2_LOCATION_TYPE_CPU_THREAD, count, 0);
  }
}

/* What a rank knows: which locations the others have it does not. */
static void define_groups(struct rank *rank, uint32_t none) {
  static const uint64_t threads[THREADS] = {0, 1};
  uint64_t *locations = calloc(rank->ranks, sizeof *locations), *world = calloc(rank->ranks, sizeof *world);
  if (!locations || !world)
    exit(EXIT_FAILURE);
  for (uint32_t i = 0; i < rank->ranks; i++) {
    locations[i] = i == rank->number ? 0 : OTF2_UNDEFINED_LOCATION;
    world[i] = i;
  }
  OTF2_GlobalDefWriter *definitions = rank->definitions;
  OTF2_GlobalDefWriter_WriteGroup(definitions, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, THREADS, threads);
  OTF2_GlobalDefWriter_WriteGroup(definitions, 1, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, rank->ranks, locations);
  OTF2_GlobalDefWriter_WriteGroup(definitions, 2, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, rank->ranks, world);
  OTF2_GlobalDefWriter_WriteGroup(definitions, 3, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                  OTF2_GROUP_FLAG_NONE, THREADS, threads);
  OTF2_GlobalDefWriter_WriteComm(definitions, WORLD, string(rank, "MPI_COMM_WORLD"), 2, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteComm(definitions, TEAM, none, 3, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  free(locations);
  free(world);
}

static void define_paradigms(struct rank *rank) {
  OTF2_GlobalDefWriter_WriteParadigm(rank->definitions, OTF2_PARADIGM_OPENMP, string(rank, "OpenMP"),
                                     OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
  OTF2_GlobalDefWriter_WriteParadigm(rank->definitions, OTF2_PARADIGM_MPI, string(rank, "MPI"),
                                     OTF2_PARADIGM_CLASS_PROCESS);
}

static void set_properties(struct rank *rank) {
  char number[16], size[16];
  snprintf(number, sizeof number, "%" PRIu32, rank->number);
  snprintf(size, sizeof size, "%" PRIu32, rank->ranks);
  OTF2_Archive_SetProperty(rank->archive, "STAVE::MPI::RANK", number, true);
  OTF2_Archive_SetProperty(rank->archive, "STAVE::MPI::SIZE", size, true);
  OTF2_Archive_SetProperty(rank->archive, "STAVE::CLOCK::DOMAIN", "tsc of one machine", true);
  OTF2_Archive_SetProperty(rank->archive, "STAVE::MPI::COMM::0", "world", true);
}

/* -- an archive -- */

static void begin(struct rank *rank, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/rank/%" PRIu32, folder, rank->number);
  rank->archive = OTF2_Archive_Open(path, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, CHUNK_BYTES,
                                    OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (!rank->archive)
    exit(EXIT_FAILURE);
  OTF2_Archive_SetFlushCallbacks(rank->archive, &flush_callbacks, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(rank->archive);
  OTF2_Archive_OpenEvtFiles(rank->archive);
  rank->definitions = OTF2_Archive_GetGlobalDefWriter(rank->archive);
  for (uint64_t i = 0; i < THREADS; i++)
    rank->writers[i] = OTF2_Archive_GetEvtWriter(rank->archive, i);
}

static void end(struct rank *rank) {
  uint32_t none = string(rank, "");
  OTF2_GlobalDefWriter_WriteClockProperties(rank->definitions, 1000000000, 1000000,
                                            rank->now + 1000 - 1000000, OTF2_UNDEFINED_TIMESTAMP);
  define_paradigms(rank);
  define_locations(rank);
  define_regions(rank);
  define_groups(rank, none);
  set_properties(rank);
  for (int i = 0; i < THREADS; i++)
    OTF2_Archive_CloseEvtWriter(rank->archive, rank->writers[i]);
  OTF2_Archive_CloseEvtFiles(rank->archive);
  OTF2_Archive_Close(rank->archive);
}

int main(int argc, char **argv) {
  char path[4096];
  if (argc != 4)
    return EXIT_FAILURE;
  uint32_t ranks = (uint32_t)strtoul(argv[2], NULL, 10);
  mkdir(argv[1], 0777);
  snprintf(path, sizeof path, "%s/rank", argv[1]);
  mkdir(path, 0777);
  for (uint32_t i = 0; i < ranks; i++) {
    struct rank rank = {.number = i, .ranks = ranks};
    begin(&rank, argv[1]);
    write_events(&rank, strtoull(argv[3], NULL, 10));
    end(&rank);
  }
}
