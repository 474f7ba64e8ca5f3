#include "cli/recover/recover_archive.h"

#include "cli/common/archive_job.h"
#include "cli/common/message.h"
#include "cli/common/partial_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_failure(const char *directory, const struct recover_process *process, int error) {
  if (error == -ETIME)
    message_print("%s: its events are damaged: OTF2's reader made no progress with them", directory);
  else if (process->signal)
    archive_job_explain_signal(directory, process->signal);
  else if (error == -ENOENT)
    message_print("stave-recover is not there: Stave is not installed completely");
  else if (error < 0)
    message_print("%s: %s", directory, strerror(-error));
  else
    message_print("%s: %s", directory, process->failure);
}

/* Only now: until then another recovery may need them. */
static void remove_rings(const struct recover_process *process) {
  if (process->rings && unlink(process->rings) < 0 && errno != ENOENT)
    message_print("cannot remove %s, which nothing needs any more: %m", process->rings);
}

static bool make(const char *directory, const char *out, const struct partial_folder *partial,
                 struct recover_process *process) {
  int error = recover_process_run(process, directory, partial->path, false);
  bool is_made = error == 0 && process->is_done;
  if (!is_made && error != -EINTR)
    print_failure(directory, process, error);
  if (!is_made)
    partial_folder_remove(partial);
  bool is_named = is_made && partial_folder_give_name(partial, out);
  if (is_named)
    remove_rings(process);
  else
    recover_process_clear(process);
  return is_named;
}

bool recover_archive(const char *directory, const char *out, struct recover_process *ret) {
  struct partial_folder partial;
  snprintf(partial.path, sizeof partial.path, "%.*s.partial", PATH_MAX - 16, out);
  if (!partial_folder_is_free(out))
    return false;
  recover_process_catch_signals();
  bool is_done = partial_folder_make(&partial, "recover") && make(directory, out, &partial, ret);
  partial_folder_close(&partial);
  recover_process_release_signals(!is_done);
  return is_done;
}
