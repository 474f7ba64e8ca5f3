#include "timeline/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/page/page_data.h"
#include "timeline/page/page_parts.h"

static void prepare(struct page_data *data) {
  data->rows = memory_get(data->timeline->trace->location_count, sizeof *data->rows);
  page_choose_regions(data);
  page_encode_events(data);
  page_encode_values(data);
  page_encode_samples(data);
}

static void discard(struct page_data *data) {
  bytes_free(&data->bytes);
  free(data->rows);
  free(data->counters);
  free(data->regions);
  free(data->region_positions);
  free(data->context_positions);
  free(data->function_positions);
  free(data->functions);
}

/* A page that is served may connect to its server, and to nobody else. */
static void write_begin(FILE *file, bool is_served) {
  static const char policy[] = "default-src 'none'";
  const char *begin = (const char *)page_before_about,
             *place = memmem(begin, page_before_about_bytes, policy, strlen(policy));
  size_t before = is_served && place ? (size_t)(place - begin) + strlen(policy) : 0;
  fwrite(begin, 1, before, file);
  if (before > 0)
    fputs("; connect-src 'self'", file);
  fwrite(begin + before, 1, page_before_about_bytes - before, file);
}

void page_write(FILE *file, const struct timeline *timeline, const struct page_request *request) {
  struct page_data data = {.timeline = timeline, .request = request};
  prepare(&data);
  write_begin(file, request->served != NULL);
  page_write_about(file, &data);
  fwrite(page_before_events, 1, page_before_events_bytes, file);
  bytes_write_base64(&data.bytes, file);
  fwrite(page_after_events, 1, page_after_events_bytes, file);
  discard(&data);
}
