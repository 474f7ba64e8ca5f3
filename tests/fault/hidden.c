// hidden [no-pipe]: a process that may not open its own memory's file, below a filter of system calls that
// refuses none, or pipe2. It waits immediately for dependences of the types at which LLVM's runtime writes
// past an array, if a tool registers for them.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int hide(int is_pipe_refused) {
  unsigned answer = is_pipe_refused ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
  struct sock_filter all[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pipe2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof all / sizeof *all, all};
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int wait_once(void) {
  int x = 0;
#pragma omp task depend(mutexinoutset : x) shared(x)
  x = 1;
#pragma omp task depend(mutexinoutset : x) if (0) shared(x)
  x++;
#pragma omp taskwait
  return x == 2;
}

// Not in main: the runtime starts as its function begins.
static __attribute__((noinline)) void wait_often(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 500; i++)
#pragma omp task shared(sum)
  {
    int is_done = wait_once();
#pragma omp atomic
    sum += is_done;
  }
  printf("%d\n", sum);
}

int main(int argc, char **argv) {
  (void)argv;
  if (hide(argc > 1))
    return 77;
  wait_often();
  return 7;
}
