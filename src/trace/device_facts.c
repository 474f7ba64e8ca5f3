#include "trace/device_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/base_name.h"
#include "stave/names.h"

const char device_facts_no_targets[] =
    "no event of a target region came: if the program has any, libomptarget has not found the runtime as "
    "libomp.so, and they are missing; run it by stave record, which gives the runtime that name";

struct fact_search {
  struct device_facts *found;
  bool has_omptarget;
};

static bool begins_with(const char *text, const char *beginning) {
  return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Of several processes all. */
static void note_number(struct device_facts *facts, const char *name, const char *value) {
  const struct {
    const char *name;
    uint64_t *number;
  } rows[] = {{STAVE_PROPERTY_RECORDS "TARGET", &facts->targets},
              {STAVE_PROPERTY_RECORDS "TARGET_DATA_OP", &facts->data_operations},
              {STAVE_PROPERTY_RECORDS "TARGET_SUBMIT", &facts->submissions},
              {STAVE_PROPERTY_RECORDS "DEVICE_RECORD", &facts->runtime_records},
              {STAVE_PROPERTY_RECORDS "CUDA_KERNEL", &facts->kernels},
              {STAVE_PROPERTY_RECORDS "CUDA_COPY", &facts->copies},
              {STAVE_PROPERTY_RECORDS "CUDA_SET", &facts->sets},
              {STAVE_PROPERTY_DEVICES "DROPPED", &facts->dropped}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(name, rows[i].name) == 0)
      *rows[i].number += strtoull(value, NULL, 10);
}

static void note_text(struct device_facts *facts, const char *name, const char *value) {
  const struct {
    const char *name;
    const char **text;
  } rows[] = {{STAVE_PROPERTY_DEVICES "REFUSED", &facts->refused},
              {STAVE_PROPERTY_DEVICES "CALLS", &facts->calls},
              {STAVE_PROPERTY_DEVICES "WAITS", &facts->waits},
              {STAVE_PROPERTY_DEVICES "DELIVERY", &facts->delivery}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (strcmp(name, rows[i].name) == 0)
      *rows[i].text = value;
}

static void note(struct fact_search *search, const char *name, const char *value) {
  search->has_omptarget |=
      begins_with(name, STAVE_PROPERTY_RUNTIME_FILE) && begins_with(base_name(value), "libomptarget.so");
  note_number(search->found, name, value);
  note_text(search->found, name, value);
}

void device_facts_read(struct device_facts *ret, const struct trace *trace) {
  struct fact_search search = {.found = ret};
  *ret = (struct device_facts){0};
  for (size_t i = 0; i < trace->archive_property_count; i++)
    note(&search, trace->archive_properties[i].name, trace->archive_properties[i].value);
  for (size_t i = 0; i < trace->location_group_property_count; i++)
    note(&search, trace->location_group_properties[i].name, trace->location_group_properties[i].text);
  ret->lacks_targets =
      search.has_omptarget && ret->targets == 0 && ret->data_operations == 0 && ret->submissions == 0;
}
