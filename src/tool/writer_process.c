#include "tool/writer_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/futex.h"
#include "session/process_stat.h"
#include "session/session.h"
#include "tool/loaded.h"
#include "tool/reaper.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

extern char **environ;

enum { STACK_BYTES = 64 << 10 };

/* What the two cloned steps share with the application, in whose memory they run. */
struct steps {
  struct writer_process *process;
  char **environment;
  char *stacks;
  int error; /* of the step that failed, 0 if the writer runs */
};

/* The writer is no OpenMP program to trace, and what was preloaded was meant for the application.
 * LD_LIBRARY_PATH stays: it may be what finds libotf2. */
static bool is_for_writer(const char *variable) {
  static const char *const prefixes[] = {"LD_PRELOAD=", "LD_AUDIT=", "OMP_", "KMP_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
      return false;
  return true;
}

/* The child in the application's memory calls the kernel directly. A sanitizer between the program and the C
 * library would regard descriptors that are closed here as the application's, or count a clone as its thread.
 */
static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0)
    return;
  long most = sysconf(_SC_OPEN_MAX);
  for (unsigned fd = first; fd < (most > 0 && most < 65536 ? (unsigned)most : 65536); fd++)
    syscall(SYS_close, fd);
}

/* Represents the standard streams: without a /dev/null (a chroot) something that can be neither read nor
 * written. */
static int open_nothing(void) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  return fd >= 0 ? fd : (int)syscall(SYS_openat, AT_FDCWD, "/", O_PATH, 0);
}

/* dup2, which not every machine has as a system call. */
static bool duplicate(int from, int to) {
  return from == to || syscall(SYS_dup3, from, to, 0) == to;
}

/* The writer keeps nothing of the application's, who may wait for the end of a pipe. */
static bool arrange_descriptors(const struct writer_process *process) {
  int nothing = open_nothing();
  for (int fd = 0; fd < 3; fd++)
    if (!duplicate(nothing, fd))
      return false;
  if (!duplicate(process->session_fd, WRITER_FD_SESSION))
    return false;
  if (process->application_fd < 0 || !duplicate(process->application_fd, WRITER_FD_APPLICATION))
    syscall(SYS_close, WRITER_FD_APPLICATION);
  close_from(WRITER_FD_APPLICATION + 1);
  return true;
}

/* Where who traces the application lets the kernel stop calls for it (strace --seccomp-bpf), these fail in a
 * process that nobody traces, exit_group too: a step that went on would run without end in the application's
 * memory. */
__attribute__((no_sanitize_address)) static _Noreturn void end_step(int status) {
  syscall(SYS_exit_group, status);
  for (;;) {
    syscall(SYS_exit, status);
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  }
}

/* Second step, in a descriptor table of its own. Signals stay blocked until the writer has replaced this
 * memory: a handler of the application's must not run here. (It never returns, so that a tool with the
 * address sanitizer would leave marks of its variables where the stack was and a library may lie later.) */
__attribute__((no_sanitize_address)) static int run_writer(void *data) {
  struct steps *steps = data;
  struct writer_process *process = steps->process;
  syscall(SYS_setsid);
  char name[] = "stave-writer";
  if (arrange_descriptors(process))
    syscall(SYS_execve, process->path, (char *[]){name, NULL}, steps->environment);
  steps->error = errno;
  end_step(127);
}

/* clone(2) with CLONE_VM and a stack of its own; `run` must not return. Returns the child's number, or -1 and
 * errno. */
static int clone_with_stack(int (*run)(void *), void *stack, unsigned long flags, struct steps *steps,
                            int *ret_pidfd) {
#if defined(__x86_64__)
  register int *parent_tid __asm__("rdx") = ret_pidfd;
  register long child_tid __asm__("r10") = 0, tls __asm__("r8") = 0;
  long result = SYS_clone;
  __asm__ volatile("syscall\n\t"
                   "test %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "mov %[steps], %%rdi\n\t"
                   "call *%[run]\n\t"
                   "ud2\n"
                   "1:"
                   : "+a"(result)
                   : "D"(flags), "S"(stack), "r"(parent_tid), "r"(child_tid),
                     "r"(tls), [run] "r"(run), [steps] "r"(steps)
                   : "rcx", "r11", "memory", "cc");
#elif defined(__aarch64__)
  register unsigned long x0 __asm__("x0") = flags;
  register void *x1 __asm__("x1") = stack;
  register int *x2 __asm__("x2") = ret_pidfd;
  register long x3 __asm__("x3") = 0, x4 __asm__("x4") = 0, x8 __asm__("x8") = SYS_clone;
  __asm__ volatile("svc #0\n\t"
                   "cbnz x0, 1f\n\t"
                   "mov x0, %[steps]\n\t"
                   "blr %[run]\n\t"
                   "brk #0\n"
                   "1:"
                   : "+r"(x0)
                   : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x8), [run] "r"(run), [steps] "r"(steps)
                   : "x30", "memory", "cc");
  long result = (long)x0;
#else
  return clone(run, stack, (int)flags, steps, ret_pidfd);
#endif
#if defined(__x86_64__) || defined(__aarch64__)
  if (result >= 0)
    return (int)result;
  errno = (int)-result;
  return -1;
#endif
}

/* First step: exists only to die, so that the writer belongs to nobody in the application's family. It shares
 * the application's descriptors, in which the writer's pidfd appears. */
static int start_second_step(void *data) {
  struct steps *steps = data;
  char *stack = steps->stacks + 2 * STACK_BYTES;
  unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | CLONE_PIDFD;
  int pid = clone_with_stack(run_writer, stack, flags, steps, &steps->process->pidfd);
  if (pid < 0)
    steps->error = errno;
  else if (syscall(SYS_wait4, pid, NULL, WNOHANG | __WALL, NULL) == pid && !steps->error)
    steps->error = ECHILD; /* ended before exec: where a debugger has put a breakpoint */
  end_step(0);
}

/* CLONE_UNTRACED: who traces the application (gdb, strace -f) would follow a process that is none of it. */
static int clone_and_reap(struct steps *steps) {
  char *stack = steps->stacks + STACK_BYTES;
  unsigned long flags = CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | CLONE_FILES;
  int pid = clone_with_stack(start_second_step, stack, flags, steps, NULL);
  if (pid < 0)
    return -errno;
  int status = 0;
  while (waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR) {
  }
  return status != 0 ? -ECHILD : -steps->error;
}

/* Valgrind ends a program that shares memory with a child in other ways than it knows. */
bool runs_on_valgrind(void) {
  const char *preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "/vgpreload_");
}

struct fork_result {
  int pid, error;
};

/* The application hears nothing of the child's end; but emulators of processors (qemu-user) know no fork
 * without a signal. */
static int plain_fork(unsigned long flags) {
  int pid = (int)syscall(SYS_clone, flags, NULL, NULL, NULL, 0);
  return pid >= 0 || errno != EINVAL ? pid : (int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
}

/* The first of two forks: forks again, and shows through the pipe what became of that. */
static void fork_writer(struct steps *steps, int result_fd) {
  struct fork_result result = {.pid = plain_fork(0)};
  if (result.pid == 0)
    run_writer(steps);
  result.error = result.pid < 0 ? errno : 0;
  ssize_t written = write(result_fd, &result, sizeof result);
  /* memcheck would look for it, page by page */
  munmap(steps->process->session, steps->process->session_bytes);
  _exit(written != sizeof result);
}

/* The fork that waits for the writer: reports through the pipe that this runs, and stays. */
static void fork_reaper(struct steps *steps, int result_fd) {
  char *stack = steps->stacks + 2 * STACK_BYTES;
  struct fork_result result = {0, 0};
  result.pid = clone_with_stack(run_writer, stack, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, steps, NULL);
  result.error = result.pid < 0 ? errno : steps->error;
  if (result.error && write(result_fd, &result, sizeof result) < 0)
    errno = 0;
  if (result.error)
    end_step(0);
  if (duplicate(result_fd, 0))
    result_fd = 0;
  close_from(1);
  reaper_stay(&(struct reaper_word){result_fd, &result, sizeof result});
}

/* What the fork has reported, at the end of the pipe; the writer's pidfd then is this process's. Returns an
 * error number. */
static int read_result(struct steps *steps, int fd) {
  struct fork_result result = {.pid = -1, .error = EIO};
  if (read(fd, &result, sizeof result) == sizeof result && !result.error)
    steps->process->pidfd = (int)syscall(SYS_pidfd_open, result.pid, 0);
  return result.error;
}

/* By forks, which copy the application's page tables: where nothing else works, or where the first one is to
 * stay. What exec returns is lost of two; a writer that is not there shows when it does not become ready. */
static int start_by_fork(struct steps *steps, unsigned long flags,
                         void (*in_child)(struct steps *steps, int result_fd), int *ret_pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return -errno;
  *ret_pid = plain_fork(flags);
  if (*ret_pid == 0)
    in_child(steps, ends[1]);
  int error = *ret_pid < 0 ? errno : 0;
  close(ends[1]);
  if (!error)
    error = read_result(steps, ends[0]);
  close(ends[0]);
  return -error;
}

/* It has ended, by itself or since it could not report what it did. */
static bool has_ended(int pid) {
  return pid <= 0 || waitpid(pid, NULL, WNOHANG | __WALL) != 0;
}

static void wait_for(int pid) {
  while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR) {
  }
}

static int fork_and_reap(struct steps *steps) {
  int pid = 0, error = start_by_fork(steps, 0, fork_writer, &pid);
  wait_for(pid);
  return error;
}

/* Where no such fork is to be had, a zombie is the lesser harm. */
static bool has_reaper(struct steps *steps) {
  int pid = 0, error = start_by_fork(steps, CLONE_UNTRACED, fork_reaper, &pid);
  if (error && error != -EIO)
    wait_for(pid);
  else if (!error || !has_ended(pid))
    steps->process->reaper = pid;
  return steps->process->reaper > 0;
}

/* Emulators of processors refuse as invalid flags of clone that neither fork nor pthread_create use. */
static int start_steps(struct steps *steps) {
  if (runs_on_valgrind())
    return fork_and_reap(steps);
  if (steps->process->needs_reaper && has_reaper(steps))
    return 0;
  int error = clone_and_reap(steps);
  return error == -EINVAL ? fork_and_reap(steps) : error;
}

/* An application that collects orphans (PR_SET_CHILD_SUBREAPER) would get the writer: not during this. */
static int clone_outside_of_family(struct steps *steps) {
  uint64_t all = ~UINT64_C(0), before;
  int is_subreaper = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all) < 0)
    return -errno;
  prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  if (is_subreaper)
    prctl(PR_SET_CHILD_SUBREAPER, 0);
  int error = start_steps(steps);
  if (is_subreaper)
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
  return error;
}

int writer_process_start(struct writer_process *process) {
  size_t variables = 0;
  while (environ && environ[variables])
    variables++;
  size_t bytes = 2 * STACK_BYTES + (variables + 1) * sizeof(char *);
  char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return -errno;
  struct steps steps = {process, (char **)(memory + 2 * STACK_BYTES), memory, 0};
  char **next = steps.environment;
  for (size_t i = 0; i < variables; i++)
    if (is_for_writer(environ[i]))
      *next++ = environ[i];
  process->pidfd = -1;
  process->reaper = 0;
  int error = clone_outside_of_family(&steps);
  munmap(memory, bytes);
  if (error && process->pidfd >= 0) {
    close(process->pidfd);
    process->pidfd = -1;
  }
  return error;
}

/* The thread that writes is the process's first. */
const char *writer_process_waits(const struct session_header *session) {
  uint32_t life = atomic_load_explicit(&session->shared.writer_life, memory_order_relaxed);
  char state = process_state((int)(life & FUTEX_TID_MASK));
  return state == 'D'   ? ": it waits for the disk (state D)"
         : state == 'T' ? ": it was stopped (state T)"
                        : "";
}

static bool is_program(const char *path) {
  return access(path, X_OK) == 0;
}

/* The stave-writer beside this library, whose path is `library`; the path is in `path`. */
static bool find_beside(const char *library, char *path, unsigned size) {
  static const char *const places[] = {"stave-writer", "../writer/stave-writer",
                                       "../libexec/stave/stave-writer", "../../libexec/stave/stave-writer"};
  const char *slash = strrchr(library, '/');
  int directory = slash ? (int)(slash - library + 1) : 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    int length = snprintf(path, size, "%.*s%s", directory, library, places[i]);
    if (length >= 0 && (unsigned)length < size && is_program(path))
      return true;
  }
  return false;
}

/* As the dynamic linker found the library; and where it was linked to from another folder (GNU Stow,
 * modules), what belongs to it is beside the file. */
static bool find_beside_library(char *path, unsigned size) {
  uint64_t here = (uintptr_t)writer_process_find;
  struct loaded library;
  return (loaded_find(here, &library) && *library.path && find_beside(library.path, path, size)) ||
         (loaded_find_mapped(here, &library) && find_beside(library.path, path, size));
}

int writer_process_find(const char *configured, char *path, unsigned size) {
  if (*configured) {
    snprintf(path, size, "%s", configured);
    return is_program(path) ? 0 : -ENOENT;
  }
  if (find_beside_library(path, size))
    return 0;
  snprintf(path, size, "%s", STAVE_LIBEXECDIR "/stave-writer");
  return is_program(path) ? 0 : -ENOENT;
}
