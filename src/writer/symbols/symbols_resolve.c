#include "writer/symbols/symbols_resolve.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "writer/symbols/symbols_bfd.h"
#include "writer/symbols/symbols_lines.h"
#include "writer/symbols/symbols_names.h"
#include "writer/symbols/symbols_schedule.h"

enum {
  NEIGHBOURS = 256, /* symbols to each side of an outlined function that may be the function it came from */
};

/* A line known to belong to a user's function; to several, where they are instantiations of one template.
 * Both names are interned: equal when the pointers are. */
struct anchor {
  const char *file;
  unsigned line;
  const char *function;
};

/* The file of a module; shared by modules that are the same file (dlclose and dlopen). */
struct code_source {
  struct code_source *next;
  const struct module *module; /* the first one that was this file */
  struct object *object;       /* NULL: could not be opened, or closed already */
  struct anchor *anchors;      /* by file (pointer), line */
  size_t n_anchors;
  size_t max_anchors;
  const char *relative, *completed; /* the last path that was not full, and what it became */
  bool *anchored; /* per symbol of the object: its start is among the anchors; NULL until needed */
};

struct resolver {
  void *names; /* interned strings, a tree for tsearch */
  struct code_source *sources;
  struct code_source *last;
};

struct resolver *resolver_create(void) {
  return calloc(1, sizeof(struct resolver));
}

static void source_close(struct code_source *source) {
  object_close(source->object);
  free(source->anchors);
  free(source->anchored);
  free(source);
}

void resolver_close_descriptors(struct resolver *resolver) {
  if (resolver->sources)
    objects_close_descriptors();
}

void resolver_close_files(struct resolver *resolver) {
  struct code_source *next;
  for (struct code_source *source = resolver->sources; source; source = next) {
    next = source->next;
    source_close(source);
  }
  resolver->sources = resolver->last = NULL;
}

void resolver_destroy(struct resolver *resolver) {
  if (!resolver)
    return;
  resolver_close_files(resolver);
  tdestroy(resolver->names, free);
  free(resolver);
}

static int name_order(const void *a, const void *b) {
  return strcmp(a, b);
}

/* The one copy of a string; the string is owned from now on. NULL in, or no memory: NULL. */
static const char *intern(struct resolver *resolver, char *own) {
  void *node = own ? tsearch(own, &resolver->names, name_order) : NULL;
  char *kept = node ? *(char **)node : NULL;
  if (kept != own)
    free(own);
  return kept;
}

static bool same_file(const struct module *a, const struct module *b) {
  return a == b || (!strcmp(a->path, b->path) && a->build_id_size == b->build_id_size &&
                    !memcmp(a->build_id, b->build_id, a->build_id_size));
}

/* The path leads to another file than at the begin, or to none. */
static bool is_replaced(const struct module *module) {
  struct stat kept, found;
  return module->fd >= 0 && fstat(module->fd, &kept) == 0 &&
         (stat(module->path, &found) < 0 || found.st_dev != kept.st_dev || found.st_ino != kept.st_ino);
}

static struct object *open_object(const struct module *module) {
  char kept[64];
  if (!is_replaced(module))
    return object_open(module->path, module->build_id, module->build_id_size);
  snprintf(kept, sizeof kept, "/proc/self/fd/%d", module->fd);
  return object_open(kept, module->build_id, module->build_id_size);
}

static struct code_source *source_open(struct resolver *resolver, const struct module *module) {
  struct code_source *source = calloc(1, sizeof(*source));
  if (!source)
    return NULL;
  source->module = module;
  source->object = open_object(module);
  source->next = resolver->sources;
  resolver->sources = source;
  return source;
}

static struct code_source *source_of(struct resolver *resolver, const struct module *module) {
  if (resolver->last && same_file(resolver->last->module, module))
    return resolver->last;
  struct code_source *source = resolver->sources;
  while (source && !same_file(source->module, module))
    source = source->next;
  if (!source)
    source = source_open(resolver, module);
  resolver->last = source;
  return source;
}

/* The file of that name in the module's folder, or the nearest one above it that has one, or NULL. The caller
 * frees it. */
static char *find_above(const char *module, const char *file) {
  char *path = *module == '/' ? malloc(strlen(module) + strlen(file) + 2) : NULL;
  if (!path)
    return NULL;
  strcpy(path, module);
  for (char *slash; (slash = strrchr(path, '/')); *slash = '\0') {
    strcpy(slash + 1, file);
    if (access(path, F_OK) == 0) {
      name_clean_path(path);
      return path;
    }
    *slash = '\0';
  }
  free(path);
  return NULL;
}

/* Debug information may have no full path: where compilers have options to leave the folder out in which they
 * ran (-ffile-prefix-map=$PWD=.), that is most often one above the program. */
static const char *complete(struct resolver *resolver, struct code_source *source, const char *relative) {
  if (relative != source->relative) {
    const char *found = intern(resolver, find_above(source->module->path, relative));
    source->completed = found ? found : relative;
    source->relative = relative;
  }
  return source->completed;
}

static const char *intern_path(struct resolver *resolver, struct code_source *source, const char *path) {
  char *own = path ? strdup(path) : NULL;
  if (own)
    name_clean_path(own);
  const char *kept = intern(resolver, own);
  return kept && *kept && *kept != '/' ? complete(resolver, source, kept) : kept;
}

/* The user's name for a function; NULL if it has none of its own. */
static const char *user_name(struct resolver *resolver, struct object *object, const char *raw) {
  size_t length = raw ? name_user_length(raw) : 0;
  char *plain = length ? strndup(raw, length) : NULL;
  if (!plain)
    return NULL;
  char *readable = object_demangle(object, plain);
  if (!readable)
    readable = name_from_fortran(plain);
  if (!readable)
    return intern(resolver, plain);
  free(plain);
  return intern(resolver, readable);
}

/* The last anchor of the same file at or before the line is number result - 1, if that is of the same
 * file. */
static size_t anchors_after(const struct code_source *source, const char *file, unsigned line) {
  size_t low = 0, high = source->n_anchors;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct anchor *anchor = &source->anchors[middle];
    if ((uintptr_t)anchor->file < (uintptr_t)file || (anchor->file == file && anchor->line <= line))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool is_same_line(const struct anchor *a, const struct anchor *b) {
  return a->file == b->file && a->line == b->line;
}

/* The first anchor of the line whose last one is number `after` - 1; 0 if there is none. */
static size_t line_begin(const struct code_source *source, size_t after) {
  size_t begin = after ? after - 1 : 0;
  while (begin && is_same_line(&source->anchors[begin - 1], &source->anchors[after - 1]))
    begin--;
  return begin;
}

static bool has_anchor(const struct code_source *source, size_t begin, size_t after, const char *function) {
  while (begin < after && source->anchors[begin].function != function)
    begin++;
  return begin < after;
}

static void anchor_add(struct code_source *source, const struct code_frame *frame) {
  if (!frame->function || !frame->file || !frame->line)
    return;
  size_t at = anchors_after(source, frame->file, frame->line);
  const struct anchor expected = {frame->file, frame->line, frame->function};
  if (at && is_same_line(&source->anchors[at - 1], &expected) &&
      has_anchor(source, line_begin(source, at), at, frame->function))
    return;
  if (!array_try_reserve(&source->anchors, &source->max_anchors, source->n_anchors + 1,
                         sizeof *source->anchors))
    return;
  struct anchor *anchor = source->anchors + at;
  memmove(anchor + 1, anchor, (source->n_anchors++ - at) * sizeof(*anchor));
  *anchor = expected;
}

/* Makes the first line of a function an anchor. */
static void anchor_symbol(struct resolver *resolver, struct code_source *source,
                          const struct object_symbol *symbol) {
  struct object_line line;
  if (name_user_length(symbol->name) == 0 || !object_line_at(source->object, symbol->address, &line))
    return;
  struct code_frame frame = {user_name(resolver, source->object, symbol->name),
                             intern_path(resolver, source, line.file), line.line};
  anchor_add(source, &frame);
}

/* Makes the first lines of the functions around an address anchors: a compiler puts an outlined function near
 * the one it came from. All functions of a large program would be too many. */
static void anchor_neighbours(struct resolver *resolver, struct code_source *source, uint64_t address) {
  size_t n_symbols;
  const struct object_symbol *symbols = object_symbols(source->object, &n_symbols);
  const struct object_symbol *here = object_symbol_at(source->object, address);
  if (!source->anchored)
    source->anchored = calloc(n_symbols + 1, sizeof(bool));
  if (!here || !source->anchored)
    return;
  size_t middle = here - symbols;
  for (size_t i = middle > NEIGHBOURS ? middle - NEIGHBOURS : 0; i < n_symbols && i <= middle + NEIGHBOURS;
       i++)
    if (!source->anchored[i]) {
      source->anchored[i] = true;
      anchor_symbol(resolver, source, &symbols[i]);
    }
}

/* Whether the two functions share a line, at or before anchor number `after` - 1: then they are
 * instantiations of one template. Lines of the first one only are passed over. */
static bool are_of_one_template(const struct code_source *source, size_t after, const char *first,
                                const char *other) {
  const char *file = source->anchors[after - 1].file;
  while (after && source->anchors[after - 1].file == file) {
    size_t begin = line_begin(source, after);
    if (!has_anchor(source, begin, after, first))
      return false;
    if (has_anchor(source, begin, after, other))
      return true;
    after = begin;
  }
  return false;
}

/* The user's function around a line of an outlined function that does not show (clang up to 16): the first
 * one that was encountered of those that have the line, but of a template's that which ran around it. */
static const char *function_around(const struct code_source *source, const struct code_frame *frame,
                                   const struct code_place *around) {
  size_t after = anchors_after(source, frame->file, frame->line);
  if (!after || source->anchors[after - 1].file != frame->file)
    return NULL;
  const char *first = source->anchors[line_begin(source, after)].function;
  const char *other = around && code_place_resolved(around) ? around->source.function : NULL;
  return other && are_of_one_template(source, after, first, other) ? other : first;
}

/* The frames of an address, the innermost first. An outlined function that is inlined into another one is
 * clang's debug variant or a task's body, for the user one function: the outer one is left out. Always at
 * least one frame, at the worst without anything in it. */
static unsigned read_frames(struct resolver *resolver, struct code_source *source, uint64_t address,
                            const struct object_symbol *symbol, enum place_kind kind,
                            struct code_frame *frames) {
  struct object_line lines[LINES_MAX];
  unsigned n_lines = lines_read(source->object, address, kind, lines), n = 0;
  bool inner_outlined = false;
  if (!lines[0].function && symbol)
    lines[0].function = symbol->name;
  for (unsigned i = 0; i < n_lines; i++) {
    bool outlined = lines[i].function && name_is_outlined(lines[i].function);
    if (!outlined || !inner_outlined)
      frames[n++] = (struct code_frame){user_name(resolver, source->object, lines[i].function),
                                        intern_path(resolver, source, lines[i].file), lines[i].line};
    inner_outlined = outlined;
  }
  return n;
}

/* Gives outlined functions that have none a name, and learns from those that have one. */
static void name_frames(struct resolver *resolver, struct code_source *source, uint64_t address,
                        const struct code_place *around, struct code_frame *frames, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    if (frames[i].function) {
      anchor_add(source, &frames[i]);
    } else if (frames[i].file && frames[i].line) {
      anchor_neighbours(resolver, source, address);
      frames[i].function = function_around(source, &frames[i], around);
    }
  }
}

static void place_set(struct code_place *place, const struct code_frame *frames, unsigned n) {
  place->source = frames[0];
  struct code_frame *inlined = n > 1 ? calloc(n - 1, sizeof(*inlined)) : NULL;
  if (!inlined)
    return;
  memcpy(inlined, frames + 1, (n - 1) * sizeof(*inlined));
  place->inlined = inlined;
  place->n_inlined = n - 1;
}

/* As programs in C write it: "name", "name + 8" in bytes. */
static void resolve_variable(struct resolver *resolver, struct object *object, struct code_place *place) {
  uint64_t address = place->address - place->module->bias;
  const struct object_symbol *symbol = object_variable_at(object, address);
  char *readable = symbol ? object_demangle(object, symbol->name) : NULL, *text = NULL;
  const char *name = readable ? readable : symbol ? symbol->name : NULL;
  if (!name)
    return;
  if (address == symbol->address)
    text = strdup(name);
  else if (asprintf(&text, "%s + %" PRIu64, name, address - symbol->address) < 0)
    text = NULL;
  place->symbol = intern(resolver, text);
  free(readable);
}

void resolver_resolve(struct resolver *resolver, struct code_place *place) {
  struct code_frame frames[LINES_MAX];
  struct code_source *source = source_of(resolver, place->module);
  if (!source || !source->object)
    return;
  if (place->kind == PLACE_VARIABLE) {
    resolve_variable(resolver, source->object, place);
    return;
  }
  uint64_t address = place->address - 1 - place->module->bias;
  const struct object_symbol *symbol = object_symbol_at(source->object, address);
  if (symbol)
    place->symbol = intern(resolver, strdup(symbol->name));
  if (place->kind == PLACE_WORK)
    place->schedule = schedule_read(source->object, address, symbol);
  unsigned n = read_frames(resolver, source, address, symbol, place->kind, frames);
  name_frames(resolver, source, address, place->around, frames, n);
  place_set(place, frames, n);
}
