// deny SYSCALL PROGRAM [ARGUMENT...]: runs the program without one system call, as an old kernel, a
// container's filter or an odd file system would. Refusals are EPERM; what old kernels lack is ENOSYS. Of
// fallocate only what makes files longer is refused.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
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

enum { KEEPS_SIZE = 1 }; // a mode of fallocate

static const struct {
  const char *name;
  unsigned number;
  int error;
} calls[] = {
    {"memfd_create", SYS_memfd_create, EPERM}, {"clone", SYS_clone, EPERM}, // threads are made by clone3
    {"pidfd_open", SYS_pidfd_open, ENOSYS},    {"close_range", SYS_close_range, ENOSYS},
    {"fallocate", SYS_fallocate, EINVAL},
};

static int deny(unsigned number, int error) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, KEEPS_SIZE, number == SYS_fallocate, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
  size_t call = 0, count = sizeof calls / sizeof *calls;
  while (argc > 2 && call < count && strcmp(calls[call].name, argv[1]) != 0)
    call++;
  if (argc < 3 || call == count) {
    fprintf(stderr, "usage: deny SYSCALL PROGRAM [ARGUMENT...]\n");
    return 98;
  }
  if (deny(calls[call].number, calls[call].error) != 0)
    return 77;
  execv(argv[2], argv + 2);
  perror(argv[2]);
  return 97;
}
