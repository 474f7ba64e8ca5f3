/* Which archives there are. */
#include "base/array.h"
#include "base/memory.h"
#include "cli/common/summary.h"
#include "cli/mcp/mcp_run.h"
#include "trace/found_archive.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { DEPTH_MAX = 4, FOLDERS_MAX = 20000, SHOWN_MAX = 50 };

struct seen_archive {
  char *path;
  time_t changed;
};

struct archive_search {
  struct seen_archive *archives;
  size_t count, folders;
};

static void add_archive(struct archive_search *search, const char *path, const struct stat *anchor) {
  struct seen_archive *one = array_add(&search->archives, &search->count, sizeof *one);
  *one = (struct seen_archive){memory_text(path), anchor->st_mtime};
}

static void look_into(struct archive_search *search, const char *path, int depth);

static void look_at(struct archive_search *search, const char *folder, const struct dirent *entry,
                    int depth) {
  char path[MCP_PATH_BYTES];
  struct stat status;
  if (*entry->d_name == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
    return;
  int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
  if (length < (int)sizeof path && lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
    look_into(search, path, depth + 1);
}

static void look_into(struct archive_search *search, const char *path, int depth) {
  char anchor[MCP_PATH_BYTES];
  struct stat status;
  int length = snprintf(anchor, sizeof anchor, "%s/traces.otf2", path);
  if (length < (int)sizeof anchor && stat(anchor, &status) == 0) {
    add_archive(search, path, &status);
    return;
  }
  DIR *folder = depth < DEPTH_MAX && search->folders++ < FOLDERS_MAX ? opendir(path) : NULL;
  if (!folder)
    return;
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    look_at(search, path, entry, depth);
  closedir(folder);
}

static int newest(const void *left, const void *right) {
  const struct seen_archive *a = left, *b = right;
  if (a->changed != b->changed)
    return a->changed < b->changed ? 1 : -1;
  return strcmp(a->path, b->path);
}

static void add_line(struct mcp_answer *answer, const struct seen_archive *archive) {
  struct found_archive found;
  struct tm local;
  char size[32], date[32] = "";
  find_archive(&found, archive->path);
  if (localtime_r(&archive->changed, &local))
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &local);
  const char *path = strncmp(archive->path, "./", 2) == 0 ? archive->path + 2 : archive->path;
  mcp_answer_add(answer, "%s  %s  %s%s\n", path, date, summary_size(size, found.bytes),
                 found.state == FOUND_CLOSED ? "" : "  (not closed)");
}

void mcp_list_archives(struct mcp_answer *answer, const json_t *arguments) {
  struct archive_search search = {0};
  const char *folder = json_string_value(json_object_get(arguments, "folder"));
  look_into(&search, folder ? folder : ".", 0);
  if (search.count > 1)
    qsort(search.archives, search.count, sizeof *search.archives, newest);
  for (size_t i = 0; i < search.count && i < SHOWN_MAX; i++)
    add_line(answer, &search.archives[i]);
  if (search.count > SHOWN_MAX)
    mcp_answer_add(answer, "%zu more: name a folder\n", search.count - SHOWN_MAX);
  if (search.count == 0)
    mcp_answer_add(answer, "no archives in %s, %d folders deep", folder ? folder : ".", DEPTH_MAX);
  for (size_t i = 0; i < search.count; i++)
    free(search.archives[i].path);
  free(search.archives);
}
