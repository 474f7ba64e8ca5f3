// deny CALL PROGRAM [ARGUMENT...], deny NUMBER:ERRNO PROGRAM [ARGUMENT...]: runs the program without one
// system call, as an old kernel, a container's filter, an odd file system or an emulator would. With
// NUMBER:kill the call ends the process, as in a sandbox. Refusals are EPERM; what old kernels lack is
// ENOSYS. Of fallocate only what makes files longer is refused, by clone-silent what qemu's emulation of a
// program refuses of clone: a process whose end sends no signal. (Threads are made by clone3.)
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum { KILLS = -1 };                         // in the place of an error
enum { KEEPS_SIZE = 1, SIGNAL_BITS = 0xff }; // a mode of fallocate, what of clone's flags is the exit signal

static const struct denied {
  const char *name;
  unsigned number;
  int error;
  unsigned argument;       // which one is looked at
  unsigned bits, required; // what it must have of these to be refused
} calls[] = {
    {"memfd_create", SYS_memfd_create, EPERM, 0, 0, 0},
    {"clone", SYS_clone, EPERM, 0, 0, 0},
    {"clone-silent", SYS_clone, EINVAL, 0, SIGNAL_BITS, 0},
    {"pidfd_open", SYS_pidfd_open, ENOSYS, 0, 0, 0},
    {"close_range", SYS_close_range, ENOSYS, 0, 0, 0},
    {"perf_event_open", SYS_perf_event_open, EACCES, 0, 0, 0},
    {"fallocate", SYS_fallocate, EINVAL, 1, KEEPS_SIZE, 0},
};

static unsigned answer(int error) {
  return error == KILLS ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (unsigned)error;
}

static int deny(const struct denied *call) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, args) + 8 * call->argument),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, call->bits),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->required, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer(call->error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// "NUMBER:ERRNO" or "NUMBER:kill"
static int is_number(const char *text, struct denied *ret) {
  char *end;
  *ret = (struct denied){.name = text, .number = (unsigned)strtoul(text, &end, 10)};
  if (end == text || *end != ':')
    return 0;
  ret->error = strcmp(end + 1, "kill") == 0 ? KILLS : atoi(end + 1);
  return ret->error != 0;
}

int main(int argc, char **argv) {
  struct denied other;
  size_t call = 0, count = sizeof calls / sizeof *calls;
  while (argc > 2 && call < count && strcmp(calls[call].name, argv[1]) != 0)
    call++;
  int is_other = argc > 2 && is_number(argv[1], &other);
  if (argc < 3 || (call == count && !is_other)) {
    fprintf(stderr, "usage: deny CALL PROGRAM [ARGUMENT...]\n");
    return 98;
  }
  if (deny(is_other ? &other : &calls[call]) != 0)
    return 77;
  execv(argv[2], argv + 2);
  perror(argv[2]);
  return 97;
}
