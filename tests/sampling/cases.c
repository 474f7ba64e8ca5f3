/* cases CASE: programs that a sampling timer could get in the way of. What they print is the same
 * untraced. */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t own_signals;
static long sum;

static void count(int number) {
  (void)number;
  own_signals++;
}

static void spin(double seconds) {
  for (double end = omp_get_wtime() + seconds; omp_get_wtime() < end;)
    __asm__ volatile("");
}

static void region(double seconds) {
#pragma omp parallel
  spin(seconds);
}

/* All real-time signals of [first, last] get a handler of the program's. */
static void handle(int first, int last) {
  for (int number = first; number <= last; number++)
    sigaction(number, &(struct sigaction){.sa_handler = count}, NULL);
}

static int use_signals(int first, int last) {
  handle(first, last);
  region(0.1);
  for (int i = 0; i < 3; i++)
    raise(first);
  printf("%d signals\n", (int)own_signals);
  return 0;
}

static int own_handler(char **argv) {
  (void)argv;
  return use_signals(SIGRTMIN, SIGRTMIN + 3);
}

static int all_handlers(char **argv) {
  (void)argv;
  return use_signals(SIGRTMIN, SIGRTMAX);
}

/* Whoever sampled until then, now the signals are the program's, and stay so. */
static int late_handlers(char **argv) {
  (void)argv;
  region(0.05);
  handle(SIGRTMIN, SIGRTMAX - 1);
  region(0.05);
  puts("done");
  return 0;
}

static int blocked(char **argv) {
  sigset_t all;
  (void)argv;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  region(0.1);
  puts("done");
  return 0;
}

/* A signal that waits when the process becomes another program must not end that. */
static int exec_blocked(char **argv) {
  sigset_t all;
  if (argv[2]) {
    sigemptyset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    puts("alive");
    return 0;
  }
  region(0.02);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  spin(0.02);
  execl("/proc/self/exe", argv[0], argv[1], "again", NULL);
  return 1;
}

static int fork_child(char **argv) {
  (void)argv;
  region(0.1);
  pid_t child = fork();
  if (child == 0) {
    region(0.1);
    exit(7);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  printf("child %d\n", WEXITSTATUS(status));
  return 0;
}

static void *short_thread(void *data) {
#pragma omp parallel num_threads(1)
  spin(0.0005);
  return data;
}

/* Threads that come and go, each with a timer of its own. */
static int threads(char **argv) {
  (void)argv;
  for (int i = 0; i < 50; i++) {
    pthread_t some[4];
    for (int j = 0; j < 4; j++)
      pthread_create(&some[j], NULL, short_thread, NULL);
    for (int j = 0; j < 4; j++)
      pthread_join(some[j], NULL);
  }
  puts("done");
  return 0;
}

/* Events as fast as they go. */
static int storm(char **argv) {
  long rounds = argv[2] ? atol(argv[2]) : 400000;
#pragma omp parallel
  for (long i = 0; i < rounds; i++) {
#pragma omp critical
    sum++;
  }
  printf("%ld rounds\n", sum);
  return 0;
}

static ucontext_t outside, inside;
static char *nowhere; /* mapped first: above the other stack, and below the thread's own */

/* Leaves the frame pointer where no stack is, as code without one may, on a stack below the thread's own. */
static void on_other_stack(void) {
  for (int i = 0; i < 100000; i++) {
    long rounds = 1000;
#if defined(__x86_64__)
    __asm__ volatile("push %%rbp\n\tmov %1, %%rbp\n1:\tdec %0\n\tjnz 1b\n\tpop %%rbp"
                     : "+r"(rounds)
                     : "r"(nowhere + (512 << 10))
                     : "memory");
#endif
  }
  swapcontext(&inside, &outside);
}

static int coroutine(char **argv) {
  (void)argv;
  region(0.01);
  nowhere = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  getcontext(&inside);
  inside.uc_stack.ss_sp = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  inside.uc_stack.ss_size = 1 << 20;
  makecontext(&inside, on_other_stack, 0);
  swapcontext(&outside, &inside);
  puts("back");
  return 0;
}

/* A tracer that delivers the signals of the second thread only when the first one is past the tool's end. */
static volatile sig_atomic_t waits;

static void *waiting_thread(void *data) {
  omp_set_num_threads(1);
  region(0.001);
  waits = 1;
  raise(SIGUSR2); /* from here on it holds no lock that others wait for */
  for (;;)
    pause();
  return data;
}

static void past_the_end(void) {
  raise(SIGUSR1);
}

static int with_waiting_thread(void) {
  pthread_t thread;
  atexit(past_the_end);
  signal(SIGUSR1, SIG_IGN);
  omp_set_num_threads(1);
  signal(SIGUSR2, SIG_IGN);
  pthread_create(&thread, NULL, waiting_thread, NULL);
  while (!waits)
    sched_yield();
  region(0.1);
  return 0;
}

static void deliver(pid_t thread, int number) {
  ptrace(PTRACE_CONT, thread, NULL, (long)number);
}

/* Of clone and of the first stop of a new thread nothing is to be delivered. */
static int number_of(int status) {
  int number = WSTOPSIG(status);
  return number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

static int follow(pid_t program) {
  pid_t thread, waiting = 0;
  int status = 0, held = 0;
  while ((thread = waitpid(-1, &status, __WALL)) > 0 && !(thread == program && !WIFSTOPPED(status))) {
    if (!WIFSTOPPED(status))
      continue;
    int number = WSTOPSIG(status);
    if (number == SIGUSR2)
      waiting = thread;
    if (number == SIGUSR1 && held)
      deliver(waiting, held), usleep(20000);
    if (thread == waiting && number >= SIGRTMIN)
      held = number;
    else
      deliver(thread, number_of(status));
  }
  printf("exit %d, signal %d\n", WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}

static int traced(char **argv) {
  (void)argv;
  int status;
  pid_t program = fork();
  if (program == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    exit(with_waiting_thread());
  }
  waitpid(program, &status, 0);
  ptrace(PTRACE_SETOPTIONS, program, NULL, (long)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL));
  deliver(program, 0);
  return follow(program);
}

static int killed(char **argv) {
  (void)argv;
#pragma omp parallel
  {
    spin(0.2);
    if (omp_get_thread_num() == 0)
      raise(SIGKILL);
    spin(10);
  }
  return 0;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(char **argv);
  } cases[] = {{"own-handler", own_handler},
               {"all-handlers", all_handlers},
               {"late-handlers", late_handlers},
               {"blocked", blocked},
               {"exec-blocked", exec_blocked},
               {"fork", fork_child},
               {"threads", threads},
               {"storm", storm},
               {"kill", killed},
               {"no-timers", own_handler},
               {"valgrind", own_handler},
               {"paused", own_handler},
               {"coroutine", coroutine},
               {"traced", traced}};
  for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
    if (strcmp(argv[1], cases[i].name) == 0)
      return cases[i].run(argv);
  return 2;
}
