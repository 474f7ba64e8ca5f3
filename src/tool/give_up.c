/* Recording stops since the writer makes no progress. Who waits for room in a ring comes here. */
#include "session/session.h"
#include "tool/tool.h"
#include "tool/writer_process.h"

bool tool_keeps(void) {
  return tool.constants.config.keep.ns || tool.constants.config.keep.bytes;
}

const char *tool_archive_name(void) {
  return tool_keeps() ? "in memory (STAVE_KEEP)" : tool.session->shared.archive;
}

void tool_give_up(void) {
  int on = RECORDING_ON;
  if (!atomic_compare_exchange_strong(&tool.recording, &on, RECORDING_OFF))
    return;
  atomic_store(&tool.session->shared.tool_state, TOOL_GAVE_UP);
  if (atomic_load(&tool.session->shared.writer_state) == WRITER_FAILED)
    tool_log("%.1000s: recording stopped, the program goes on; the archive %s is not complete",
             tool.session->shared.message, tool_archive_name());
  else if (session_writer_is_dead(tool.session))
    tool_log(
        "stave-writer was killed: recording stopped, the program goes on; the archive %s is not complete",
        tool_archive_name());
  else
    tool_log("stave-writer made no progress for %u s (STAVE_TIMEOUT)%s: recording stopped, the program goes "
             "on; the "
             "archive %s may be incomplete",
             tool.constants.config.timeout, writer_process_waits(tool.session), tool_archive_name());
}
