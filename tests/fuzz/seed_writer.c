/* Started in place of stave-writer (STAVE_WRITER): writes the records of a traced program to the file that
 * STAVE_SEED names, as an input of fuzz_session. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/futex.h"
#include "session/session.h"
#include "session_input.h"
#include "writer/pipeline/ring_merge.h"

enum { FD_SESSION = 3, UNITS_MOST = 2000, PASS_EVERY = 16 };

struct seed {
  FILE *file;
  unsigned units;
};

static void put_unit(struct seed *seed, uint32_t slot, const void *bytes) {
  struct input_unit unit = {.what = slot & INPUT_SLOT};
  if (++seed->units > UNITS_MOST)
    return;
  unit.what |= seed->units % PASS_EVERY == 0 ? INPUT_PASS : 0;
  memcpy(unit.bytes, bytes, sizeof unit.bytes);
  fwrite(&unit, sizeof unit, 1, seed->file);
}

static void receive(void *data, uint32_t slot, uint64_t id, const struct record *record,
                    const uint64_t *words) {
  (void)id;
  put_unit(data, slot, record);
  for (unsigned i = 0; i < record->more; i++)
    put_unit(data, slot, words + 4 * i);
}

int main(void) {
  struct session_header *session;
  const char *path = getenv("STAVE_SEED");
  struct seed seed = {path ? fopen(path, "we") : NULL, 0};
  if (!seed.file || session_map(FD_SESSION, &session) < 0)
    return 1;
  struct merge *merge = merge_create(session, 0, receive, NULL, &seed);
  atomic_store(&session->shared.writer_state, WRITER_READY);
  futex_wake_all(&session->shared.writer_state);
  for (bool is_over = false; !is_over || merge_pass(merge) > 0;) {
    is_over = atomic_load(&session->shared.tool_state) == TOOL_FINISHED;
    merge_pass(merge);
    usleep(1000);
  }
  fclose(seed.file);
  atomic_store(&session->shared.writer_state, WRITER_CLOSED);
  futex_wake_all(&session->shared.writer_state);
  return 0;
}
