/* The archive's directory, and what lies there or has its name there while the session goes on. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base_name.h"
#include "writer/session_file.h"
#include "writer/writer.h"

void writer_read_launcher(struct writer *writer) {
  writer->names = (struct output_names){.program = base_name(writer->constants.program),
                                        .host = writer->machine.nodename,
                                        .pid = writer->constants.pid};
  output_read_launcher(&writer->names, writer->run);
}

bool writer_make_directory(struct writer *writer, char *failure, char *notice, size_t size, bool is_trial) {
  const struct config *config = &writer->constants.config;
  bool is_job;
  struct output_names names = writer->names;
  char requested[sizeof writer->directory];
  *notice = '\0';
  if (output_expand(config->output, &names, requested, sizeof requested, &is_job) < 0) {
    snprintf(failure, size, "STAVE_OUTPUT=%.900s is not valid: %% must be followed by e, p, h, r, j or %%",
             config->output);
    return false;
  }
  snprintf(writer->directory, sizeof writer->directory, "%s", requested);
  int error = output_make(writer->directory, sizeof writer->directory, is_job && !is_trial, &names);
  if (error)
    snprintf(failure, size, "cannot create the directory %.800s for the trace: %s (set STAVE_OUTPUT)",
             requested, strerror(-error));
  writer->session->shared.rank = is_job ? names.mpi_rank : -1;
  if (!output_is_as_requested(requested, writer->directory) && (!is_job || names.mpi_rank == 0) &&
      !notify_renamed(&writer->report, requested))
    snprintf(notice, size, "%.400s exists: the trace goes to %.400s", requested, writer->directory);
  return !error;
}

bool writer_make_first_directory(struct writer *writer, char *notice, size_t size, bool is_trial) {
  char failure[1024];
  bool is_made = writer_make_directory(writer, failure, notice, size, is_trial);
  if (!is_made)
    notify_failed(&writer->report, "%s", failure);
  return is_made;
}

/* The archive will never be: neither the log nor the rings are needed for a recovery. */
static void remove_record_log(struct writer *writer) {
  session_file_remove(writer->session_file);
  if (!writer->record_log)
    return;
  merge_set_log(writer->merge, NULL);
  record_log_close(writer->record_log);
  writer->record_log = NULL;
}

void writer_remove_archive(struct writer *writer) {
  char path[SESSION_TEXT_BYTES + 16];
  if (!*writer->directory)
    return;
  remove_record_log(writer);
  recovery_remove(writer->recovery);
  snprintf(path, sizeof path, "%s/traces", writer->directory);
  rmdir(path);
  rmdir(writer->directory);
}
