/* The threads of a script: each waits for a line, executes it, and reports that. Only one is ever at work. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripted_runtime.h"

static struct thread {
  pthread_t id;
  bool is_running;
  sem_t has_line, has_done;
  struct line *line;
} threads[THREADS_MAX];

static void wait_for(sem_t *semaphore) {
  while (sem_wait(semaphore) != 0) {
  }
}

static void *thread_main(void *argument) {
  struct thread *thread = argument;
  bool stays = true;
  while (stays) {
    wait_for(&thread->has_line);
    stays = runtime_do(thread->line);
    if (stays)
      sem_post(&thread->has_done);
  }
  return NULL;
}

static void start(struct thread *thread) {
  sem_init(&thread->has_line, 0, 0);
  sem_init(&thread->has_done, 0, 0);
  thread->is_running = pthread_create(&thread->id, NULL, thread_main, thread) == 0;
  if (!thread->is_running) {
    perror("scripted_runtime: pthread_create");
    exit(98);
  }
}

void threads_do(struct line *line) {
  struct thread *thread = &threads[line->thread];
  if (line->thread == 0) {
    runtime_do(line);
    return;
  }
  if (!thread->is_running)
    start(thread);
  thread->line = line;
  bool leaves = !strcmp(line->action, "leave");
  sem_post(&thread->has_line);
  if (leaves) {
    pthread_join(thread->id, NULL);
    thread->is_running = false;
  } else {
    wait_for(&thread->has_done);
  }
}
