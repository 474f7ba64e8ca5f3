/* session_player [--spread] [--growing] [--killed] WRITER RECORDING ARCHIVE: plays a recorded session
 * (recording.h) to a stave-writer, in place of the application.
 *
 * All records are in their rings before the writer starts, so that what it makes of them depends on nothing
 * else.
 * --spread: records of different threads get different times: of equal ones encoders may handle another first
 * (docs/WRITER.md).
 * --growing: the rings begin small, grow and become full as they would in the application; times are spread
 * for this, or the record that the writer reads first would be chance.
 * --killed: the writer is killed when it has taken everything, so that the archive has to be recovered. The
 * archive is marked as the parent process's. Exit status: 0, or 2 after a line on stderr. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording.h"
#include "session/futex.h"
#include "session/ring.h"
#include "session/session.h"

enum { FD_SESSION = 3, FD_APPLICATION = 4, FD_LOWEST = 10 };
enum { SETTINGS_MOST = 64, WAIT_NS = 1000000, PATIENCE_MS = 120000 };

/* Times of a recording begin here. Early, since what comes after the writer's last look is not recovered. */
static const uint64_t start_ticks = 1000000000;

struct player {
  bool is_spread, is_growing, is_killed;
  const char *writer_path, *recording_path, *archive_path;
  FILE *file;
  char *settings[SETTINGS_MOST + 1];
  unsigned setting_count, state_count, mutex_count;
  struct session_constants constants;
  uint64_t slot_records[SESSION_SLOTS_MAX]; /* how far its records go */
  uint32_t slots;
  bool has_ended;
  enum tool_state end; /* TOOL_RECORDING: it died */
  struct session_header *session;
  int session_fd, application_fd;
  pid_t application, writer;
  struct ring rings[SESSION_SLOTS_MAX];
  uint64_t last_ticks; /* of a record, and whose it was */
  uint32_t last_slot;
};

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("session_player: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(2);
}

/* -- what is known before the writer starts -- */

/* "VALUE NAME" */
static void add_name(struct session_name *names, unsigned *count, const char *text) {
  char *name;
  if (*count >= SESSION_NAMES)
    fail("more than %d names", SESSION_NAMES);
  names[*count].value = (int32_t)strtol(text, &name, 10);
  snprintf(names[*count].name, SESSION_NAME_BYTES, "%s", *name ? name + 1 : "");
  ++*count;
}

static void read_runtime(struct session_constants *constants, const char *text) {
  char *rest;
  constants->runtime_base = strtoull(text, &rest, 0);
  constants->runtime_size = strtoull(rest, &rest, 10);
  constants->omp_version = (int32_t)strtol(rest, NULL, 10);
}

static void read_callback(struct session_constants *constants, const char *text) {
  char *rest;
  unsigned long number = strtoul(text, &rest, 10);
  if (number < SESSION_CALLBACKS)
    constants->set_callback_results[number] = (int32_t)strtol(rest, NULL, 10);
}

static void note_slot(struct player *player, uint32_t slot, uint64_t records) {
  if (slot >= SESSION_SLOTS_MAX)
    fail("slot %" PRIu32 " of %d", slot, SESSION_SLOTS_MAX);
  player->slots = slot < player->slots ? player->slots : slot + 1;
  player->slot_records[slot] = records > player->slot_records[slot] ? records : player->slot_records[slot];
}

static void count_record(struct player *player, char *line) {
  struct recorded recorded;
  const char *error = recording_parse(line, start_ticks, &recorded);
  if (error)
    fail("%s: %s", player->recording_path, error);
  note_slot(player, recorded.slot, recorded.position + 1 + recorded.record.more);
}

static void read_end(struct player *player, const char *how) {
  player->has_ended = true;
  player->end = !strcmp(how, "finished") ? TOOL_FINISHED
                : !strcmp(how, "ended")  ? TOOL_ENDED
                                         : TOOL_RECORDING;
}

/* All but what is in the rings and on the slots' pages. */
static void read_before(struct player *player, char *line) {
  struct session_constants *constants = &player->constants;
  char *text = strchr(line, ' ');
  if (!text)
    fail("%s: a line of one word: %s", player->recording_path, line);
  if (!strncmp(line, "record ", 7)) {
    count_record(player, line);
    return;
  }
  *text++ = '\0';
  if (!strcmp(line, "set") && player->setting_count < SETTINGS_MOST)
    player->settings[player->setting_count++] = strdup(text);
  else if (!strcmp(line, "start"))
    constants->start = (struct clock_point){start_ticks, start_ticks, strtoull(text, NULL, 10)};
  else if (!strcmp(line, "runtime"))
    read_runtime(constants, text);
  else if (!strcmp(line, "runtime_version"))
    snprintf(constants->runtime_version, sizeof constants->runtime_version, "%s", text);
  else if (!strcmp(line, "program"))
    snprintf(constants->program, sizeof constants->program, "%s", text);
  else if (!strcmp(line, "callback"))
    read_callback(constants, text);
  else if (!strcmp(line, "state"))
    add_name(constants->states, &player->state_count, text);
  else if (!strcmp(line, "mutex"))
    add_name(constants->mutex_implementations, &player->mutex_count, text);
  else if (!strcmp(line, "end"))
    read_end(player, text);
}

static void for_each_line(struct player *player, void (*handle)(struct player *, char *line)) {
  static char line[RECORDING_LINE_BYTES];
  rewind(player->file);
  if (!fgets(line, sizeof line, player->file) || strcmp(line, RECORDING_TITLE "\n"))
    fail("%s is no recording", player->recording_path);
  while (fgets(line, sizeof line, player->file)) {
    line[strcspn(line, "\n")] = '\0';
    handle(player, line);
  }
}

static void read_constants(struct player *player) {
  struct session_constants *constants = &player->constants;
  char error[CONFIG_ERROR_BYTES], unknown[CONFIG_ERROR_BYTES];
  for (int i = 0; i < SESSION_CALLBACKS; i++)
    constants->set_callback_results[i] = -1;
  for_each_line(player, read_before);
  if (!player->has_ended)
    fail("%s has no end", player->recording_path);
  if (config_read(&constants->config, player->settings, error, unknown) < 0)
    fail("%s: %s", player->recording_path, error);
  snprintf(constants->config.output, sizeof constants->config.output, "%s", player->archive_path);
  constants->clock_kind = CLOCK_KIND_MONOTONIC;
  constants->clock_frequency = 1000000000;
  constants->pid = 0; /* nobody: what the kernel reports of a process is not the same twice */
}

/* -- session and processes -- */

static int move_up(int fd) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FD_LOWEST);
  if (fd < 0 || moved < 0)
    fail("no descriptor: %s", strerror(errno));
  close(fd);
  return moved;
}

/* Room for all records, or by the settings. */
static uint64_t ring_bytes(const struct player *player) {
  uint64_t bytes = 64 << 10, needed = player->constants.config.buffer_size;
  for (uint32_t i = 0; i < player->slots && !player->is_growing; i++)
    needed =
        player->slot_records[i] * RECORD_BYTES > needed ? player->slot_records[i] * RECORD_BYTES : needed;
  while (bytes < needed)
    bytes *= 2;
  return player->is_growing && bytes > needed ? bytes / 2 : bytes;
}

static void create_session(struct player *player) {
  uint64_t bytes = ring_bytes(player);
  int fd, error = session_create(bytes, player->slots ? player->slots : 1, &player->session, &fd);
  if (error || player->session->constants.slots_max < player->slots)
    fail("no memory for %" PRIu32 " rings of %" PRIu64 " bytes", player->slots, bytes);
  struct session_constants layout = player->session->constants;
  player->constants.magic = layout.magic;
  player->constants.bytes = layout.bytes;
  player->constants.ring_bytes = layout.ring_bytes;
  player->constants.slots_max = layout.slots_max;
  player->session->constants = player->constants;
  atomic_store(&player->session->shared.is_described, 1);
  player->session_fd = move_up(fd);
  fcntl(player->session_fd, F_SETLK, &(struct flock){.l_type = F_WRLCK}); /* else this looks like an exec */
  if (player->is_growing && bytes > RING_START_BYTES)
    bytes = RING_START_BYTES;
  for (uint32_t i = 0; i < player->slots; i++) {
    struct thread_slot *slot = session_slot(player->session, i);
    player->rings[i] =
        (struct ring){.slot = slot,
                      .records = session_ring(player->session, layout.slots_max, layout.ring_bytes, i),
                      .mask = bytes / RECORD_BYTES - 1};
    atomic_store(&slot->mask, player->rings[i].mask);
    atomic_store(&slot->owner, (uint64_t)getpid());
    slot->is_used = true;
  }
  atomic_store(&player->session->shared.slots_used, player->slots);
}

/* What the writer watches: as long as the application is not to have ended, a child that waits for its
 * parent's end. */
static void start_application(struct player *player) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0 || (player->application = fork()) < 0)
    fail("no process: %s", strerror(errno));
  if (player->application == 0) {
    char byte;
    close(ends[1]);
    _exit(read(ends[0], &byte, 1) != 0);
  }
  close(ends[0]);
  player->application_fd = move_up((int)syscall(SYS_pidfd_open, player->application, 0));
}

static void end_application(struct player *player) {
  kill(player->application, SIGKILL);
  waitpid(player->application, NULL, 0);
}

static void start_writer(struct player *player) {
  player->writer = fork();
  if (player->writer < 0)
    fail("no process: %s", strerror(errno));
  if (player->writer > 0)
    return;
  dup2(player->session_fd, FD_SESSION);
  dup2(player->application_fd, FD_APPLICATION);
  execl(player->writer_path, "stave-writer", (char *)NULL);
  fail("%s: %s", player->writer_path, strerror(errno));
}

/* Waits a little; the writer must not have failed, died or hung. */
static void wait_for_writer(struct player *player) {
  static int waited;
  struct session_shared *shared = &player->session->shared;
  usleep(WAIT_NS / 1000);
  uint32_t state = atomic_load(&shared->writer_state);
  if (state == WRITER_FAILED)
    fail("the writer failed: %.1000s", shared->message);
  if (state != WRITER_CLOSED && waitpid(player->writer, NULL, WNOHANG) != 0 &&
      atomic_load(&shared->writer_state) != WRITER_CLOSED)
    fail("the writer has died");
  if (++waited > PATIENCE_MS)
    fail("the writer needs too long");
}

/* -- records -- */

/* As the tool does it (thread.c): where ring.h allows it, and once the writer has got the memory. */
static void grow_if_possible(struct ring *ring, uint64_t position, uint64_t end) {
  uint64_t old = ring->mask + 1, boundary = (position + old - 1) / old * old;
  uint64_t tail = atomic_load_explicit(&ring->slot->tail, memory_order_acquire);
  bool is_at_boundary =
      boundary <= end && (boundary / old) % 2 == 1 && (int64_t)(tail - (boundary - old)) >= 0;
  if (!is_at_boundary || atomic_load_explicit(&ring->slot->prepared, memory_order_acquire) < 2 * old)
    return;
  ring->mask = 2 * old - 1;
  atomic_store_explicit(&ring->slot->mask, ring->mask, memory_order_relaxed);
}

static void wait_for_room(struct player *player, struct ring *ring, uint64_t end) {
  while (end - atomic_load_explicit(&ring->slot->tail, memory_order_acquire) > ring->mask + 1) {
    session_wake_writer(player->session);
    wait_for_writer(player);
  }
}

static void spread_ticks(struct player *player, struct recorded *recorded) {
  uint64_t earliest = player->last_ticks + (recorded->slot != player->last_slot);
  if (recorded->record.ticks < earliest)
    recorded->record.ticks = earliest;
  player->last_ticks = recorded->record.ticks;
  player->last_slot = recorded->slot;
}

static void put_record(struct player *player, char *line) {
  struct recorded recorded;
  const char *error = recording_parse(line, start_ticks, &recorded);
  struct ring *ring = &player->rings[recorded.slot];
  uint64_t position = ring->reserved, n = 1u + recorded.record.more;
  if (error || recorded.position != position)
    fail("%s: slot %" PRIu32 " goes on at %" PRIu64 ", not at %" PRIu64, player->recording_path,
         recorded.slot, recorded.position, position);
  if (player->is_spread || player->is_growing)
    spread_ticks(player, &recorded);
  if (player->is_growing) {
    grow_if_possible(ring, position, position + n);
    wait_for_room(player, ring, position + n);
  }
  ring->reserved += n;
  for (unsigned i = 0; i < recorded.record.more; i++)
    memcpy(ring_at(ring, position + 1 + i), recorded.words + 4 * i, RECORD_BYTES);
  *ring_at(ring, position) = recorded.record;
  ring_commit(ring, position, n);
}

static void set_counters(struct player *player, const char *text) {
  char *rest;
  uint32_t index = (uint32_t)strtoul(text, &rest, 10);
  if (index >= player->slots)
    return;
  struct thread_slot *slot = player->rings[index].slot;
  atomic_store(&slot->figures.lost, strtoull(rest, &rest, 10));
  atomic_store(&slot->figures.stalls, strtoull(rest, &rest, 10));
  strtoull(rest, &rest, 10);
  atomic_store(&slot->figures.samples_left_out, strtoull(rest, &rest, 10));
}

static void put_line(struct player *player, char *line) {
  char *rest;
  if (!strncmp(line, "record ", 7)) {
    put_record(player, line);
  } else if (!strncmp(line, "slot ", 5)) {
    set_counters(player, line + 5);
  } else if (!strncmp(line, "shared ", 7)) {
    atomic_store(&player->session->shared.figures.lost, strtoull(line + 7, &rest, 10));
    atomic_store(&player->session->shared.figures.threads_unsampled, strtoull(rest, NULL, 10));
  }
}

/* -- the end -- */

static bool is_drained(const struct player *player) {
  for (uint32_t i = 0; i < player->slots; i++)
    if (atomic_load(&player->rings[i].slot->tail) != player->rings[i].reserved)
      return false;
  return true;
}

/* After draining the writer still notes how far it is: two more passes, and the last one has. */
static void kill_when_drained(struct player *player) {
  while (!is_drained(player))
    wait_for_writer(player);
  uint64_t progress = atomic_load(&player->session->shared.progress);
  while (atomic_load(&player->session->shared.progress) - progress < 3) {
    session_wake_writer(player->session);
    wait_for_writer(player);
  }
  kill(player->writer, SIGKILL);
  waitpid(player->writer, NULL, 0);
  end_application(player);
}

static void end_session(struct player *player) {
  if (player->end != TOOL_RECORDING)
    atomic_store(&player->session->shared.tool_state, player->end);
  else
    end_application(player);
}

static void wait_until_closed(struct player *player) {
  session_wake_writer(player->session);
  while (atomic_load(&player->session->shared.writer_state) != WRITER_CLOSED)
    wait_for_writer(player);
  waitpid(player->writer, NULL, 0);
  if (player->end != TOOL_RECORDING)
    end_application(player);
}

static void play(struct player *player) {
  read_constants(player);
  create_session(player);
  start_application(player);
  if (player->is_growing)
    start_writer(player);
  for_each_line(player, put_line);
  if (!player->is_killed)
    end_session(player);
  if (!player->is_growing)
    start_writer(player);
  if (player->is_killed)
    kill_when_drained(player);
  else
    wait_until_closed(player);
}

int main(int argc, char **argv) {
  static struct player player;
  int i = 1;
  for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
    player.is_spread |= !strcmp(argv[i], "--spread");
    player.is_growing |= !strcmp(argv[i], "--growing");
    player.is_killed |= !strcmp(argv[i], "--killed");
  }
  if (argc - i != 3)
    fail("usage: session_player [--spread] [--growing] [--killed] WRITER RECORDING ARCHIVE");
  player.writer_path = argv[i];
  player.recording_path = argv[i + 1];
  player.archive_path = argv[i + 2];
  player.file = fopen(player.recording_path, "re");
  if (!player.file)
    fail("%s: %s", player.recording_path, strerror(errno));
  play(&player);
  return 0;
}
