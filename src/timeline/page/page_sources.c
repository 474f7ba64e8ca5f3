#include "timeline/page/page_sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

enum { BEFORE = 5, AFTER = 25, FILE_BYTES_MAX = 4 << 20, FILES_MAX = 256, LINE_BYTES_MAX = 400 };

struct page_source {
  const char *file;
  uint32_t first, last;
};

/* Of the page's regions, each file once with the lines to be shown. */
static size_t list_files(const struct page_data *data, struct page_source *sources) {
  const struct trace *trace = data->timeline->trace;
  size_t count = 0;
  for (uint32_t i = 0; i < data->region_count; i++) {
    const struct trace_region *region =
        data->regions[i] < trace->region_count ? &trace->regions[data->regions[i]] : NULL;
    size_t at = 0;
    if (!region || !*region->file || region->begin_line == 0)
      continue;
    while (at < count && strcmp(sources[at].file, region->file) != 0)
      at++;
    if (at == FILES_MAX)
      continue;
    if (at == count)
      sources[count++] = (struct page_source){region->file, region->begin_line, region->begin_line};
    sources[at].first = region->begin_line < sources[at].first ? region->begin_line : sources[at].first;
    sources[at].last = region->begin_line > sources[at].last ? region->begin_line : sources[at].last;
  }
  return count;
}

static json_t *lines(FILE *file, uint32_t first, uint64_t last) {
  json_t *array = json_array();
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  for (uint64_t number = 1; number <= last && (length = getline(&line, &capacity, file)) >= 0; number++) {
    line[strcspn(line, "\r\n")] = '\0';
    if (length > LINE_BYTES_MAX)
      line[LINE_BYTES_MAX] = '\0';
    if (number >= first)
      json_array_append_new(array, page_text(line));
  }
  free(line);
  return array;
}

/* NULL: there is nothing to show. */
static json_t *read_source(const struct page_source *source, const struct trace *trace) {
  struct stat status;
  bool is_plain = *source->file == '/' && stat(source->file, &status) == 0 && S_ISREG(status.st_mode) &&
                  status.st_size <= FILE_BYTES_MAX;
  FILE *file = is_plain ? fopen(source->file, "re") : NULL;
  if (!file)
    return NULL;
  uint64_t changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
  uint32_t first = source->first > BEFORE ? source->first - BEFORE : 1;
  json_t *object = json_pack("{s:b,s:I,s:o}", "changed", changed_ns > trace->clock.realtime_ns, "first",
                             (json_int_t)first, "lines", lines(file, first, (uint64_t)source->last + AFTER));
  fclose(file);
  return object;
}

json_t *page_sources(const struct page_data *data) {
  struct page_source *sources = memory_get(FILES_MAX, sizeof *sources);
  size_t count = list_files(data, sources);
  json_t *object = json_object();
  for (size_t i = 0; i < count; i++) {
    json_t *found = read_source(&sources[i], data->timeline->trace), *name = page_text(sources[i].file);
    if (found)
      json_object_set(object, json_string_value(name), found);
    json_decref(found);
    json_decref(name);
  }
  free(sources);
  return object;
}
