#include "writer/address_query.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "writer/definitions/regions.h"
#include "writer/flight/trigger.h"
#include "writer/process.h"
#include "writer/symbols/symbols.h"
#include "writer/writer.h"

bool address_query_is_needed(const struct writer *writer) {
  uint64_t address;
  bool is_needed = writer->address_query.copy != 0;
  for (uint32_t i = 0; i < writer->constants.config.trigger.count; i++)
    is_needed |= trigger_unknown(writer->triggers[i], &address, 1) > 0;
  return is_needed;
}

/* -- the copy -- */

/* "app.c" is any file of the name, "src/app.c" one in such a folder. */
static bool is_file(const char *path, const char *watch) {
  size_t length = strlen(path), suffix = strlen(watch);
  return length >= suffix && strcmp(path + length - suffix, watch) == 0 &&
         (length == suffix || path[length - suffix - 1] == '/');
}

/* Names as in an archive. The modules that lie there may be known by kept records only. */
static _Noreturn void answer(struct writer *writer, int fd) {
  struct address_query *lookup = &writer->address_query;
  const struct config_watch *watch = &writer->constants.config.trigger.watches[lookup->trigger];
  uint32_t numbers[LOOKUP_MAX];
  unsigned char answers[LOOKUP_MAX];
  size_t count;
  process_become_copy("stave-dump");
  flight_buffer_replay_to_sink(writer->kept);
  for (size_t i = 0; i < lookup->count; i++) {
    numbers[i] = regions_get(writer->regions, CONSTRUCT_parallel, lookup->addresses[i], 0);
    regions_refer(writer->regions, numbers[i]);
  }
  symbols_count_into(writer->symbols, NULL);
  symbols_start(writer->symbols);
  symbols_finish(writer->symbols, false);
  regions_finish(writer->regions);
  const struct region *regions = regions_all(writer->regions, &count);
  for (size_t i = 0; i < lookup->count; i++) {
    const struct region *region = &regions[numbers[i]];
    answers[i] = region->line == watch->line && region->file && is_file(region->file, watch->name);
  }
  _exit(write(fd, answers, lookup->count) != (ssize_t)lookup->count);
}

/* Where no copy is to be had nobody queries again. */
static void give_up(struct writer *writer) {
  char why[TRIGGER_WHY_BYTES];
  writer->address_query.copy = 0;
  for (size_t i = 0; i < writer->address_query.count; i++)
    trigger_answer(writer->triggers[writer->address_query.trigger], writer->address_query.addresses[i], false,
                   why);
}

static void start(struct writer *writer) {
  struct address_query *lookup = &writer->address_query;
  int ends[2];
  lookup->count = 0;
  for (uint32_t i = 0; lookup->count == 0 && i < writer->constants.config.trigger.count; i++) {
    lookup->trigger = i;
    lookup->count = trigger_unknown(writer->triggers[i], lookup->addresses, LOOKUP_MAX);
  }
  if (lookup->count == 0)
    return;
  if (pipe2(ends, O_CLOEXEC) < 0) {
    give_up(writer);
    return;
  }
  lookup->copy = fork();
  if (lookup->copy == 0)
    answer(writer, ends[1]);
  close(ends[1]);
  lookup->fd = ends[0];
  if (lookup->copy > 0)
    return;
  close(ends[0]);
  give_up(writer);
}

/* What was not answered is not there: nobody waits without end. */
static bool finish(struct writer *writer, char *why) {
  struct address_query *lookup = &writer->address_query;
  unsigned char answers[LOOKUP_MAX] = {0};
  bool has_fired = false;
  if (read(lookup->fd, answers, sizeof answers) < 0)
    memset(answers, 0, sizeof answers);
  close(lookup->fd);
  waitpid(lookup->copy, NULL, 0);
  lookup->copy = 0;
  for (size_t i = 0; i < lookup->count; i++)
    has_fired |= trigger_answer(writer->triggers[lookup->trigger], lookup->addresses[i], answers[i], why);
  return has_fired;
}

bool address_query_continue(struct writer *writer, char *why) {
  if (!writer->address_query.copy) {
    start(writer);
    return false;
  }
  struct pollfd answered = {.fd = writer->address_query.fd, .events = POLLIN};
  return poll(&answered, 1, 0) > 0 && finish(writer, why);
}
