#include "cli/cmd_dump.h"

#include "cli/common/message.h"
#include "cli/common/usage.h"
#include "cli/common/writers.h"
#include "session/futex.h"
#include "session/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An archive of what is kept is made in seconds. */
enum { SLICE_NS = 100000000, ANSWER_SLICES = 600 };

static const struct usage_option options[] = {{0}};

/* Whose process it is; UINT_MAX: it has gone. (What lies in /proc may be root's where it is not.) */
static uid_t user_of(pid_t pid) {
  char line[128];
  unsigned user = UINT_MAX;
  FILE *file = process_open(pid, "status");
  while (file && user == UINT_MAX && fgets(line, sizeof line, file))
    if (sscanf(line, "Uid: %u", &user) != 1)
      user = UINT_MAX;
  if (file)
    fclose(file);
  return user;
}

/* Anybody can use the writer's name for a process. A writer belongs to its program's user or to the caller;
 * or to root, where the program has given up its rights since. */
static bool may_write_for(pid_t writer, pid_t program) {
  uid_t user = user_of(writer);
  return user != UINT_MAX && (user == user_of(program) || user == geteuid() || user == 0);
}

/* Only the memory that memfd_create(2) made under this name: whatever else it is, it is not opened. */
static bool is_session(int path_fd, const char *path) {
  static const char requested[] = "/memfd:stave";
  char name[64];
  struct stat status;
  ssize_t length = readlink(path, name, sizeof name - 1);
  name[length > 0 ? length : 0] = '\0';
  return fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0 &&
         strncmp(name, requested, sizeof requested - 1) == 0;
}

/* Memory that survives its processes is a file (session.h), and then nothing of it is kept to be dumped. */
static bool is_session_file(int path_fd, const char *path) {
  static const char requested[] = SESSION_FOLDER "/";
  char name[64];
  struct stat status;
  ssize_t length = readlink(path, name, sizeof name - 1);
  name[length > 0 ? length : 0] = '\0';
  return fstat(path_fd, &status) == 0 && S_ISREG(status.st_mode) &&
         strncmp(name, requested, sizeof requested - 1) == 0;
}

/* The memory that a writer shares with its program. Returns 0 or a negative errno; -ENODATA: nothing in it is
 * kept. */
static int map_session(pid_t writer, struct session_header **ret_session) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)writer, WRITER_FD_SESSION);
  int path_fd = open(path, O_PATH | O_CLOEXEC), error = 0;
  if (path_fd < 0)
    return -errno;
  snprintf(path, sizeof path, "/proc/self/fd/%d", path_fd);
  int fd = is_session(path_fd, path) ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
  if (fd < 0 && is_session_file(path_fd, path))
    error = -ENODATA;
  else if (fd < 0)
    error = is_session(path_fd, path) ? -errno : -EPERM;
  close(path_fd);
  if (fd < 0)
    return error;
  error = session_map_header(fd, ret_session);
  close(fd);
  return error;
}

/* A shell's $! is `stave record` itself. */
static bool is_of(pid_t traced, pid_t program) {
  return traced == program ||
         (process_has_name(program, "stave\n") && process_number(traced, "status", "PPid: %d") == program);
}

/* 0; -ESRCH: it has no writer; or why that cannot be reached. */
static int find_session(pid_t program, struct session_header **ret_session, uid_t *ret_user) {
  int result = -ESRCH;
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; processes && result == -ESRCH && (entry = readdir(processes));) {
    pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
    struct session_header *session;
    if (pid <= 0 || !process_has_name(pid, "stave-writer\n") || !may_write_for(pid, program))
      continue;
    int error = map_session(pid, &session);
    pid_t traced = writer_traces(pid);
    if (error && traced && is_of(traced, program))
      result = error;
    if (error)
      continue;
    /* where the kernel has no pidfds the session has its owner */
    if (!is_of(traced ? traced : session->constants.pid, program)) {
      session_unmap(session, SESSION_HEADER_BYTES);
      continue;
    }
    *ret_session = session;
    *ret_user = user_of(pid);
    result = 0;
  }
  if (processes)
    closedir(processes);
  return result;
}

static const char is_complete[] =
    "process %s is written to its archive completely: only with STAVE_KEEP is there a part to dump";

static bool explain(const char *argument, int error) {
  if (error == -ESRCH)
    message_print("process %s is not traced, or has ended", argument);
  else if (error == -ENODATA)
    message_print(is_complete, argument);
  else
    message_print("cannot reach the stave-writer of process %s: %s", argument,
                  error == -EINVAL ? "it is of another version" : strerror(-error));
  return false;
}

/* Sends the request to the writer, and waits for its answer. */
static bool is_answered(struct session_header *session, const char *argument) {
  struct session_shared *shared = &session->shared;
  uint32_t requested = atomic_fetch_add(&shared->dumps_requested, 1) + 1, answered;
  for (int i = 0; (int32_t)((answered = atomic_load(&shared->dumps_answered)) - requested) < 0; i++) {
    if (session_writer_is_dead(session)) {
      message_print("process %s has ended", argument);
      return false;
    }
    if (i == ANSWER_SLICES) {
      message_print("process %s: its stave-writer has not answered for %d seconds", argument,
                    (int)((int64_t)ANSWER_SLICES * SLICE_NS / 1000000000));
      return false;
    }
    session_wake_writer(session);
    futex_wait(&shared->dumps_answered, answered, SLICE_NS);
  }
  return true;
}

/* What another user has written into the memory may name what is not his. */
static bool is_of_writer(const char *archive, uid_t user) {
  struct stat status;
  return user == geteuid() || lstat(archive, &status) < 0 ||
         (S_ISDIR(status.st_mode) && status.st_uid == user);
}

static bool request_dump(struct session_header *session, const char *argument, uid_t user) {
  struct session_shared *shared = &session->shared;
  char archive[sizeof shared->dumped];
  if (!is_answered(session, argument))
    return false;
  memcpy(archive, shared->dumped, sizeof archive);
  archive[sizeof archive - 1] = '\0';
  char message[sizeof shared->message], name[sizeof archive];
  memcpy(message, shared->message, sizeof message);
  message[sizeof message - 1] = '\0';
  if (*archive && !is_of_writer(archive, user)) {
    message_print("process %s: it answers with %s, which is not its user's", argument,
                  message_escape(name, sizeof name, archive));
    return false;
  }
  if (*archive)
    puts(message_escape(name, sizeof name, archive));
  else
    message_print("process %s: %s", argument, message);
  return *archive;
}

static bool read_pid(const char *argument, pid_t *ret_pid) {
  char *end;
  long pid = strtol(argument, &end, 10);
  *ret_pid = (pid_t)pid;
  return (pid > 0 && pid <= INT_MAX && !*end) ||
         usage_error("dump", "%s is not the number of a process", argument);
}

static bool dump(const char *argument, pid_t pid) {
  struct session_header *session;
  uid_t user;
  int error = find_session(pid, &session, &user);
  if (error)
    return explain(argument, error);
  const config_keep *keep = &session->constants.config.keep;
  bool is_kept = keep->ns || keep->bytes;
  if (!is_kept)
    message_print(is_complete, argument);
  bool is_done = is_kept && request_dump(session, argument, user);
  session_unmap(session, SESSION_HEADER_BYTES);
  return is_done;
}

const struct usage *cmd_dump_usage(void) {
  static const struct usage usage = {
      .command = "dump",
      .summary = "write the kept part of a running program's trace",
      .synopsis = "PID",
      .about = "Requests an archive of what is kept of process PID, which was started with STAVE_KEEP (stave "
               "record --keep; the PID of stave record is valid, too), and prints its name when it is "
               "complete. The program and its recording continue.",
      .status =
          "Exit status: 0; 1 if there is no such process, nothing is kept of it, or the archive cannot be "
          "written; 2 if an option is wrong.",
      .options = options,
      .argument = "pid",
      .argument_kind = USAGE_NOTHING,
      .set = NULL,
  };
  return &usage;
}

int cmd_dump(int argc, char **argv) {
  pid_t pid;
  int status = usage_read(cmd_dump_usage(), argc, argv, NULL);
  if (status >= 0)
    return status;
  if (!read_pid(argv[optind], &pid))
    return EXIT_USAGE;
  return dump(argv[optind], pid) && message_output_is_complete() ? EXIT_SUCCESS : EXIT_FAILED;
}
