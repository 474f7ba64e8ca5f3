#include "trace/label.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/shorten.h"
#include "trace/detail.h"
#include "trace/instances.h"

enum { FUNCTION_WIDTH = 60, LABEL_WIDTH = LABEL_BYTES - 32, FUNCTION_BYTES = 2048, NAME_BYTES = 1024 };

static const char prefix[] = "!$omp ", block[] = " sblock @";

/* Where the address is in the name of a place without a line, " @0x1282" or " @libx.so+0x1282"; NULL: it has
 * none. */
static const char *address_in(const char *name) {
  const char *place = strstr(name, " @"), *plus = place ? strrchr(place, '+') : NULL;
  const char *address = plus ? plus + 1 : place ? place + strlen(" @") : "";
  return strncmp(address, "0x", 2) == 0 ? address : NULL;
}

bool label_lacks_line(const struct trace_region *region) {
  return address_in(region->name) != NULL;
}

/* Of C++ what it returns and its arguments go first, then those of templates, then the middle. */
static char *shorten_function(char buffer[LABEL_BYTES], const char *function) {
  char name[INSTANCE_BYTES];
  bool fits = shorten_width(function, SIZE_MAX) <= FUNCTION_WIDTH || !strpbrk(function, "(<");
  return shorten_middle(buffer, LABEL_BYTES, fits ? function : instance_function(name, function),
                        FUNCTION_WIDTH);
}

/* Of a construct at an address. Without a function the description has module and address. */
static void write_place(char buffer[LABEL_BYTES], const char *name, const struct trace_region *region,
                        const char *address) {
  char function[FUNCTION_BYTES], shorter[LABEL_BYTES], label[FUNCTION_BYTES];
  snprintf(function, sizeof function, "%.*s", (int)detail_function_length(region), region->description);
  size_t length = strlen(function), end = strlen(address);
  bool has_module =
      length > end && strcmp(function + length - end, address) == 0 && function[length - end - 1] == '+';
  shorten_function(shorter, function);
  if (has_module && address[-1] == '+')
    snprintf(label, sizeof label, "%s", name);
  else if (has_module)
    snprintf(label, sizeof label, "%.*s%s", (int)(address - name), name, shorter);
  else
    snprintf(label, sizeof label, "%s%s%s", name, length > 0 ? " in " : "", shorter);
  shorten_middle(buffer, LABEL_BYTES, label, LABEL_WIDTH);
}

/* Of one of several in one line. */
static void write_instance(char buffer[LABEL_BYTES], const char *name, const struct trace *trace,
                           const struct trace_region *region) {
  char function[INSTANCE_BYTES], label[FUNCTION_BYTES];
  snprintf(label, sizeof label, "%s in %s", name, instance_name(function, trace, region));
  shorten_middle(buffer, LABEL_BYTES, label, LABEL_WIDTH);
}

/* "critical sblock @a.c:7", the structured block, is "inside critical @a.c:7": critical is with waiting. */
static const char *name_block(char buffer[NAME_BYTES], const char *name) {
  const char *found = strstr(name, block);
  if (!found)
    return name;
  snprintf(buffer, NAME_BYTES, "inside %.*s%s", (int)(found - name), name, found + strlen(" sblock"));
  return buffer;
}

static const char *short_name(char buffer[NAME_BYTES], const char *name) {
  return strncmp(name, prefix, strlen(prefix)) == 0 ? name_block(buffer, name + strlen(prefix)) : name;
}

char *label_construct(char buffer[LABEL_BYTES], const char *name) {
  char full[NAME_BYTES];
  shorten_middle(buffer, LABEL_BYTES, short_name(full, name), LABEL_WIDTH);
  return buffer;
}

char *label_region(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region) {
  const char *name = region < trace->region_count ? trace->regions[region].name : "(unknown)";
  char full[NAME_BYTES];
  name = short_name(full, name);
  const char *address = region < trace->region_count ? address_in(name) : NULL;
  if (address)
    write_place(buffer, name, &trace->regions[region], address);
  else if (region < trace->region_count && trace->regions[region].is_instance)
    write_instance(buffer, name, trace, &trace->regions[region]);
  else
    shorten_middle(buffer, LABEL_BYTES, *name ? name : "(without a name)", LABEL_WIDTH);
  return buffer;
}

/* -- functions -- */

static const char inlined[] = ", inlined into ";

static const char *file_name(const struct trace_region *region) {
  const char *slash = strrchr(region->file, '/');
  return slash ? slash + 1 : region->file;
}

const char *label_inlined_into(const struct trace_region *region) {
  const char *into = strstr(region->description, inlined);
  return into ? into + strlen(inlined) : NULL;
}

char *label_module(char buffer[LABEL_BYTES], const struct trace_region *region) {
  if (*region->module_name)
    snprintf(buffer, LABEL_BYTES, "%s", region->module_name);
  else
    snprintf(buffer, LABEL_BYTES, "%.*s", (int)strcspn(region->description, ","), region->description);
  return buffer;
}

static bool is_equal(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* What distinguishes functions of one name. */
struct differences {
  bool file, path, module; /* path: the file's name alone does not */
};

static struct differences differences_of(const struct trace *trace, const struct trace_region *region) {
  struct differences ret = {0};
  for (size_t i = 0; i < trace->region_count; i++) {
    const struct trace_region *other = &trace->regions[i];
    char here[LABEL_BYTES], there[LABEL_BYTES];
    if (other == region || other->role != region->role || strcmp(other->name, region->name) != 0 ||
        !is_equal(label_inlined_into(other), label_inlined_into(region)))
      continue;
    ret.module |= strcmp(label_module(here, region), label_module(there, other)) != 0;
    bool differ = strcmp(region->file, other->file) != 0;
    ret.file |= differ;
    ret.path |= differ && strcmp(file_name(region), file_name(other)) == 0;
  }
  return ret;
}

char *label_function(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region) {
  if (region >= trace->region_count)
    return label_region(buffer, trace, region);
  const struct trace_region *one = &trace->regions[region];
  struct differences differences = differences_of(trace, one);
  char name[LABEL_BYTES], module[LABEL_BYTES], label[FUNCTION_BYTES], outer[LABEL_BYTES];
  const char *into = label_inlined_into(one), *file = differences.path ? one->file : file_name(one);
  bool has_file = *file && differences.file, has_module = *label_module(module, one) && differences.module;
  snprintf(label, sizeof label, "%s%s%s%s%s%s%s%s", label_region(name, trace, region), into ? " in " : "",
           into ? shorten_function(outer, into) : "", has_file || has_module ? " (" : "",
           has_file ? file : "", has_file && has_module ? ", " : "", has_module ? module : "",
           has_file || has_module ? ")" : "");
  return shorten_middle(buffer, LABEL_BYTES, label, LABEL_WIDTH);
}

/* -- calls -- */

char *label_call(char buffer[LABEL_BYTES], const struct trace *trace, uint32_t region, uint64_t site) {
  const struct trace_code_line *line = site == TRACE_NO_REF ? NULL : trace_code_line(trace, site);
  char name[LABEL_BYTES], label[FUNCTION_BYTES], number[16] = "";
  if (!line || !*line->file)
    return label_region(buffer, trace, region);
  const char *slash = strrchr(line->file, '/');
  if (line->line > 0) /* else the file is a place in the code */
    snprintf(number, sizeof number, ":%u", line->line);
  snprintf(label, sizeof label, "%s @%s%s", label_region(name, trace, region), slash ? slash + 1 : line->file,
           number);
  return shorten_middle(buffer, LABEL_BYTES, label, LABEL_WIDTH);
}
