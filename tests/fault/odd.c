/* odd WAY: a program that treats its process in an unusual way, and prints what it has seen of it. Linked
 * without OpenMP: the runtime comes late, by dlopen, with the library beside it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t children_ended;

static void on_child(int number) {
  (void)number;
  children_ended++;
}

static int use_openmp(const char *program) {
  char path[4096];
  snprintf(path, sizeof path, "%.*s/late.so", (int)(strrchr(program, '/') - program), program);
  void *library = dlopen(path, RTLD_NOW);
  int (*team_size)(void) = library ? (int (*)(void))dlsym(library, "team_size") : NULL;
  if (!team_size) {
    fprintf(stderr, "%s\n", dlerror());
    exit(99);
  }
  return team_size();
}

static volatile sig_atomic_t has_used_openmp;

static void *compute_for_good(void *program) {
  static volatile unsigned long sum;
  use_openmp(program);
  has_used_openmp = 1;
  for (;;)
    sum++;
  return NULL;
}

/* main returns while another thread, which has used OpenMP, computes. */
static int leave_a_thread(const char *program) {
  pthread_t thread;
  use_openmp(program);
  if (pthread_create(&thread, NULL, compute_for_good, (void *)(uintptr_t)program) != 0)
    return 97;
  while (!has_used_openmp)
    usleep(1000);
  raise(SIGSTOP);
  return 5;
}

/* Everybody who is its child now, or becomes one, would show. */
static void print_family(void) {
  int status;
  pid_t child = waitpid(-1, &status, __WALL | WNOHANG);
  printf("wait gives %s, %d signals\n",
         child > 0    ? "a child"
         : child == 0 ? "nothing yet"
                      : strerror(errno),
         (int)children_ended);
}

static void close_all(void) {
  for (int fd = 3; fd < 1024; fd++)
    close(fd);
}

/* Opens something under every number, and finds it there at the end. */
static int use_all_numbers(void) {
  int taken = 0;
  while (taken < 40 && open("/dev/zero", O_RDONLY) >= 0)
    taken++;
  return taken;
}

static int count_of_zeros(void) {
  int found = 0;
  char byte;
  for (int fd = 3; fd < 64; fd++) {
    byte = 1;
    found += read(fd, &byte, 1) == 1 && byte == 0;
  }
  return found;
}

/* Started without 0, 1 and 2: these become its own files. */
static int open_three(const char *program) {
  static const char *const names[] = {"first", "second", "third"};
  use_openmp(program);
  for (int i = 0; i < 3; i++)
    if (open(names[i], O_RDWR | O_CREAT | O_TRUNC, 0666) != i || write(i, names[i], strlen(names[i])) < 0)
      return 98;
  use_openmp(program);
  return 0;
}

/* Memory of its own that the process may still map, in pieces. */
static int mebibytes_to_be_had(void) {
  enum { MEBIBYTE = 1 << 20 };
  int had = 0;
  while (mmap(NULL, MEBIBYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) !=
         MAP_FAILED)
    had++;
  return had;
}

int main(int argc, char **argv) {
  const char *oddity = argc > 1 ? argv[1] : "";
  if (!strcmp(oddity, "opens-three") || !strcmp(oddity, "leaves-a-thread"))
    return (*oddity == 'o' ? open_three : leave_a_thread)(argv[0]);
  signal(SIGCHLD, on_child);
  if (!strcmp(oddity, "subreaper"))
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!strcmp(oddity, "ignores-children"))
    signal(SIGCHLD, SIG_IGN);
  printf("team of %d\n", use_openmp(argv[0]));
  print_family();
  if (!strcmp(oddity, "closes-all")) {
    close_all();
    printf("used %d numbers\n", use_all_numbers());
    usleep(1300000); /* longer than the writer trusts a look at the process */
    printf("team of %d\n", use_openmp(argv[0]));
    printf("%d zeros\n", count_of_zeros());
  }
  if (!strcmp(oddity, "needs-space"))
    printf("%d MiB\n", mebibytes_to_be_had());
  if (!strcmp(oddity, "has-children")) {
    int ended = 0;
    for (int i = 0; i < 3; i++) {
      if (fork() == 0)
        _exit(i);
      while (wait(NULL) < 0 && errno == EINTR) {
      }
      ended++;
      while (children_ended < ended) /* signals that wait together are one */
        usleep(100);
    }
    printf("%d children\n", ended);
  }
  print_family();
  int is_subreaper = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  printf("subreaper %d\n", is_subreaper);
  return 5;
}
