/* families WAY: a program that has used OpenMP makes other processes in one of the ways there are. What each
 * has done it appends to the file `printed`, a line at a time, as a daemon has no standard output. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 100 };

extern char **environ;

static void print_number(const char *who, int number) {
  char line[128];
  int n = snprintf(line, sizeof line, "%s %d\n", who, number);
  int fd = open("printed", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || write(fd, line, (size_t)n) != n)
    exit(99);
  close(fd);
}

static int team_size(void) {
  int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
  members += 1;
  return members;
}

static int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void by_vfork(void) {
  for (int i = 0; i < 5; i++) {
    pid_t child = vfork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
      _exit(127);
    }
    print_number("vforked", status_of(child));
  }
}

static void by_spawn(void) {
  char *const arguments[] = {"sh", "-c", "exit 4", NULL};
  pid_t child;
  posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
  print_number("spawned", status_of(child));
  int status = system("exit 5");
  print_number("system", WEXITSTATUS(status));
  FILE *pipe = popen("exit 6", "r");
  status = pclose(pipe);
  print_number("popen", WEXITSTATUS(status));
}

static void by_daemon(void) {
  if (daemon(1, 0) < 0)
    exit(98);
  print_number("daemon has", team_size());
}

/* -- a server whose other threads are at work while it forks -- */

static atomic_int is_over;

static void *work(void *unused) {
  (void)unused;
  while (!is_over) {
    team_size();
    usleep(500);
  }
  return NULL;
}

static void by_server(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int sum = 0;
  for (int i = 0; i < CHILDREN; i++) {
    pid_t child = fork();
    if (child == 0) /* every other one is done without OpenMP; exit runs what the runtime has for it */
      i % 2 ? _exit(2) : exit(team_size());
    sum += status_of(child);
  }
  is_over = 1;
  pthread_join(thread, NULL);
  print_number("children gave", sum);
}

/* A forked child that lives on has no part in what shows that its parent has replaced itself. Both do so
 * until their input ends. */
static void by_exec_beside_child(void) {
  char byte;
  if (fork() == 0)
    _exit((int)read(STDIN_FILENO, &byte, 1));
  execl("/bin/cat", "cat", (char *)NULL);
}

static const struct {
  const char *name;
  void (*act)(void);
} relations[] = {{"vfork", by_vfork},
                 {"spawn", by_spawn},
                 {"daemon", by_daemon},
                 {"server", by_server},
                 {"exec-beside-child", by_exec_beside_child}};

int main(int argc, char **argv) {
  print_number("program has", team_size());
  for (size_t i = 0; argc > 1 && i < sizeof relations / sizeof *relations; i++)
    if (strcmp(argv[1], relations[i].name) == 0)
      relations[i].act();
  print_number("at the end", team_size());
  return 9;
}
