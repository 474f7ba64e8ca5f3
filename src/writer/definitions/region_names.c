/* What regions are called: by their place, by the program, by their function of MPI. */
#include "writer/definitions/region_names.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/memory.h"
#include "ompt/values.h"
#include "writer/definitions/mpi_functions.h"
#include "writer/definitions/ompt_names.h"
#include "writer/symbols/symbols_bfd.h"
#include "writer/symbols/symbols_names.h"

static const struct {
  enum construct_kind kind;
  const char *name;
  OTF2_RegionRole role;
} constructs[CONSTRUCT_COUNT] = {
#define CONSTRUCT(id, kind, name, role, ...) {CONSTRUCT_KIND_##kind, name, OTF2_REGION_ROLE_##role},
#include "ompt/constructs.def"
#undef CONSTRUCT
};

/* Programs name thousands of regions in one file: each file is looked for once. */
struct naming {
  const char *program;
  const struct code_place **places;
  size_t count, capacity;
  struct map paths; /* key: hash of a file's name -> a region whose file that is */
};

struct naming *naming_create(const struct region *all, size_t count, const char *program) {
  struct naming *naming = memory_get(1, sizeof *naming);
  naming->program = program;
  for (size_t i = 0; i < count; i++)
    if (all[i].place && code_place_resolved(all[i].place)) {
      array_reserve_zeroed(&naming->places, &naming->capacity, naming->count + 1, sizeof *naming->places);
      naming->places[naming->count++] = all[i].place;
    }
  return naming;
}

void naming_destroy(struct naming *naming) {
  map_clear(&naming->paths);
  free(naming->places);
  free(naming);
}

const char *region_base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *region_text(const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0)
    text = memory_get(1, 1);
  va_end(arguments);
  return text;
}

const char *region_module_file(const struct code_place *place) {
  return place->module && *place->module->path == '/' ? place->module->path : NULL;
}

static void name_own(const struct naming *naming, struct region *region) {
  bool is_program = region->construct == CONSTRUCT_program;
  region->name =
      region_text("%s", is_program ? region_base_name(naming->program) : constructs[region->construct].name);
  region->canonical_name = is_program ? naming->program : region->name;
  region->description = region_text("%s", "");
}

/* A loop's schedule: what the runtime reports, else what the machine code has. */
static bool describe_loop(const struct region *region, char *text, size_t size) {
  static const uint32_t kinds[] = {[SCHEDULE_STATIC] = OMPT_WORK_loop_static,
                                   [SCHEDULE_DYNAMIC] = OMPT_WORK_loop_dynamic,
                                   [SCHEDULE_GUIDED] = OMPT_WORK_loop_guided,
                                   [SCHEDULE_OTHER] = OMPT_WORK_loop_other};
  const struct code_place *place = region->place;
  if (region->detail != 0 || !place || !code_place_resolved(place))
    return ompt_describe_detail(region->construct, region->detail, text, size);
  bool is_known = ompt_describe_detail(region->construct, kinds[place->schedule.kind], text, size);
  size_t length = is_known ? strlen(text) : 0;
  if (place->schedule.chunk)
    snprintf(text + length, size - length, ", chunk %" PRIu32, place->schedule.chunk);
  return is_known;
}

/* "function, kind", as far as they are known. */
static char *describe(const struct region *region, const char *function) {
  char detail[128];
  bool has_detail = region->construct == CONSTRUCT_loop
                        ? describe_loop(region, detail, sizeof detail)
                        : ompt_describe_detail(region->construct, region->detail, detail, sizeof detail);
  if (function && has_detail)
    return region_text("%s, %s", function, detail);
  return region_text("%s", function ? function : has_detail ? detail : "");
}

static void name_construct(struct region *region) {
  const char *prefix = constructs[region->construct].kind == CONSTRUCT_KIND_omp ? "!$omp " : "";
  const char *word = constructs[region->construct].name;
  const struct code_place *place = region->place;
  bool is_resolved = place && code_place_resolved(place);
  if (is_resolved && place->source.file && place->source.line) {
    region->file = place->source.file;
    region->line = place->source.line;
    region->name = region_text("%s%s @%s:%u", prefix, word, region_base_name(region->file), region->line);
    region->description =
        describe(region, place->source.function ? place->source.function : region_base_name(region->file));
  } else if (place) {
    const char *module = place->module ? region_base_name(place->module->path) : "unknown module";
    char *position = region_text("%s+0x%" PRIx64, module, code_place_offset(place));
    const char *function = is_resolved ? place->source.function : NULL;
    region->file = region_module_file(place);
    region->name = region_text("%s%s @0x%" PRIx64, prefix, word, code_place_offset(place));
    region->description = describe(region, function ? function : position);
    free(position);
  } else {
    region->name = region_text("%s%s", prefix, word);
    region->description = describe(region, NULL);
  }
}

/* -- what the program reports -- */

/* Whether the path is full and ends in these components. */
static bool ends_in(const char *path, const char *tail) {
  size_t length = strlen(path), tail_length = strlen(tail);
  return *path == '/' && length > tail_length && path[length - tail_length - 1] == '/' &&
         strcmp(path + length - tail_length, tail) == 0;
}

/* The file of one of the functions at the place that ends in these components, or NULL. stave.h's are inlined
 * into the program's. */
static const char *file_at(const struct code_place *place, const char *tail) {
  if (place->source.file && ends_in(place->source.file, tail))
    return place->source.file;
  for (unsigned i = 0; i < place->n_inlined; i++)
    if (place->inlined[i].file && ends_in(place->inlined[i].file, tail))
      return place->inlined[i].file;
  return NULL;
}

/* What is relative to wherever the compiler ran: a file of that name that debug information knows, or the
 * name itself. */
static const char *find_path(const struct naming *naming, const char *file) {
  char *clean = region_text("%s", file);
  name_clean_path(clean);
  const char *tail = clean, *found = file;
  while (strncmp(tail, "../", 3) == 0)
    tail += 3;
  for (size_t i = 0; found == file && i < naming->count; i++) {
    const char *known = file_at(naming->places[i], tail);
    found = known ? known : file;
  }
  free(clean);
  return found;
}

/* Keys that collide go on to the next one. */
static const char *full_path(struct naming *naming, const struct region *region) {
  const char *file = region->given_file;
  if (*file == '/')
    return file;
  uint64_t key = UINT64_C(0xcbf29ce484222325);
  for (const char *next = file; *next; next++)
    key = (key ^ (unsigned char)*next) * UINT64_C(0x100000001b3);
  for (const struct region *known; (known = map_get(&naming->paths, key)); key++)
    if (strcmp(known->given_file, file) == 0)
      return known->file;
  map_put(&naming->paths, key, (void *)(uintptr_t)region);
  return find_path(naming, file);
}

/* The program's own word, and where it is. */
static void name_user(struct naming *naming, struct region *region) {
  const char *word = constructs[region->construct].name;
  region->file = region->given_file && *region->given_file ? full_path(naming, region) : NULL;
  region->description = region_text("%s", "");
  if (region->construct == CONSTRUCT_user_region)
    region->name = region_text("%s", region->given_name ? region->given_name : "");
  else if (region->file)
    region->name = region_text("%s @%s:%u", word, region_base_name(region->file), region->line);
  else
    region->name = region_text("%s", word);
}

static void name_mpi(struct region *region) {
  region->paradigm = OTF2_PARADIGM_MPI;
  region->role = mpi_function_role(region->detail);
  region->name = region_text("%s", mpi_function_name(region->detail));
  region->description = region_text("%s", "");
}

/* What the compilers call the kernel of a target region, where its construct is not known: clang's name has
 * numbers of device and file, the function and the line; gcc's the function and a number. */
static char *name_offloaded(const char *name) {
  static const char clang[] = "__omp_offloading_", gcc[] = "$_omp_fn$";
  const char *line = strrchr(name, '_'), *number = strstr(name, gcc), *function = name;
  if (number)
    return region_text("target kernel %s in %.*s", number + strlen(gcc), (int)(number - name), name);
  if (strncmp(name, clang, strlen(clang)) != 0 || !line || line[1] != 'l')
    return NULL;
  function += strlen(clang);
  for (int i = 0; i < 2 && function; i++)
    function = strchr(function, '_') ? strchr(function, '_') + 1 : NULL;
  if (!function || function >= line)
    return NULL;
  char *mangled = region_text("%.*s", (int)(line - function), function), *plain = symbol_demangle(mangled);
  char *ret = region_text("target kernel at line %s of %s", line + 2, plain ? plain : mangled);
  free(mangled);
  free(plain);
  return ret;
}

static void name_cuda(struct region *region) {
  const char *given = region->given_name && *region->given_name ? region->given_name : "(without a name)";
  bool is_kernel = region->construct == CONSTRUCT_cuda_kernel;
  region->paradigm = OTF2_PARADIGM_CUDA;
  region->name = is_kernel ? name_offloaded(given) : NULL;
  if (!region->name && is_kernel)
    region->name = symbol_demangle(given);
  if (!region->name)
    region->name = region_text("%s", given);
  region->description = region_text("%s", is_kernel ? given : "");
}

void region_name(struct naming *naming, struct region *region) {
  region->role = constructs[region->construct].role;
  region->paradigm = OTF2_PARADIGM_OPENMP;
  switch (constructs[region->construct].kind) {
  case CONSTRUCT_KIND_omp:
  case CONSTRUCT_KIND_routine:
  case CONSTRUCT_KIND_foreign:
    name_construct(region);
    return;
  case CONSTRUCT_KIND_user:
    region->paradigm = OTF2_PARADIGM_USER;
    name_user(naming, region);
    return;
  case CONSTRUCT_KIND_mpi:
    name_mpi(region);
    return;
  case CONSTRUCT_KIND_cuda:
    name_cuda(region);
    return;
  case CONSTRUCT_KIND_own:
    region->paradigm = OTF2_PARADIGM_MEASUREMENT_SYSTEM;
    name_own(naming, region);
    return;
  case CONSTRUCT_KIND_function:
    if (region->construct == CONSTRUCT_function)
      region->paradigm = OTF2_PARADIGM_SAMPLING;
    return; /* regions_function has named it */
  }
}
