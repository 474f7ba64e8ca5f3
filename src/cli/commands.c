#include "cli/commands.h"

#include "cli/check/cmd_check.h"
#include "cli/cmd_completion.h"
#include "cli/cmd_dump.h"
#include "cli/cmd_export.h"
#include "cli/config/cmd_config.h"
#include "cli/info/cmd_info.h"
#include "cli/live/cmd_watch.h"
#include "cli/mcp/cmd_mcp.h"
#include "cli/merge/cmd_merge.h"
#include "cli/query/cmd_query.h"
#include "cli/record/cmd_record.h"
#include "cli/recover/cmd_recover.h"
#include "cli/report/cmd_report.h"
#include "cli/scale/cmd_scale.h"
#include "cli/timeline/cmd_timeline.h"

#include <string.h>

static const struct command commands[] = {
    {cmd_record_usage, cmd_record}, {cmd_info_usage, cmd_info},     {cmd_timeline_usage, cmd_timeline},
    {cmd_watch_usage, cmd_watch},   {cmd_report_usage, cmd_report}, {cmd_scale_usage, cmd_scale},
    {cmd_check_usage, cmd_check},   {cmd_query_usage, cmd_query},   {cmd_export_usage, cmd_export},
    {cmd_merge_usage, cmd_merge},   {cmd_mcp_usage, cmd_mcp},       {cmd_recover_usage, cmd_recover},
    {cmd_dump_usage, cmd_dump},     {cmd_config_usage, cmd_config}, {cmd_completion_usage, cmd_completion},
};

const struct command *commands_all(size_t *ret_count) {
  *ret_count = sizeof commands / sizeof *commands;
  return commands;
}

const struct command *commands_find(const char *name) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].usage()->command, name) == 0)
      return &commands[i];
  return NULL;
}
