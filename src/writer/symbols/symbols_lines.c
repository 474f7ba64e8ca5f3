#include "writer/symbols/symbols_lines.h"

#include <string.h>

#include "writer/symbols/symbols_ident.h"
#include "writer/symbols/symbols_names.h"

enum {
  /* How far to look when the line table states "line 0" (code of no line). */
  LINE_BEFORE_BYTES = 64, /* the line before is the better one up to here */
  LINE_SEARCH_BYTES = 4096,
  FOLLOWING_BYTES = 512, /* so far after a call its construct goes on */
  FOLLOWING_STEP = 3,
};

static bool same_function(const struct object_line *a, const struct object_line *b) {
  return a->function == b->function || (a->function && b->function && !strcmp(a->function, b->function));
}

/* Whether code at `at` belongs to a line, of the function that `expected` names in the symbol. */
static bool has_line(struct object *object, uint64_t at, const struct object_symbol *symbol,
                     const struct object_line *expected, struct object_line *ret) {
  return object_symbol_at(object, at) == symbol && object_line_at(object, at, ret) && ret->line &&
         same_function(ret, expected);
}

/* Code may belong to no line: optimised code, or the calls that compilers make of target constructs. Clang
 * records in another place which construct such a call is of. Else the line shortly before it in the same
 * function shows best where it came from, or else the nearest. What object_inlined_into finds next belongs to
 * the line that was found. Returns false if there is nothing. */
static bool line_near(struct object *object, uint64_t address, struct object_line *ret) {
  bool is_found = object_line_at(object, address, ret);
  const struct object_line expected = *ret;
  if (!is_found || expected.line)
    return is_found;
  const struct object_symbol *symbol = object_symbol_at(object, address);
  ret->line = ident_line(object, address, symbol, expected.file);
  if (ret->line)
    return true;
  for (uint64_t i = 1; i < LINE_BEFORE_BYTES && i < address; i++)
    if (has_line(object, address - i, symbol, &expected, ret))
      return true;
  for (uint64_t i = 1; i < LINE_SEARCH_BYTES && i < address; i++)
    if (has_line(object, address - i, symbol, &expected, ret) ||
        has_line(object, address + i, symbol, &expected, ret))
      return true;
  return object_line_at(object, address, ret);
}

static unsigned read_all(struct object *object, uint64_t address, struct object_line *lines) {
  unsigned n = 0;
  bool more = line_near(object, address, &lines[n++]);
  while (more && n < LINES_MAX && object_inlined_into(object, &lines[n]))
    n++;
  return n;
}

/* How many of the outer lines are of the same functions, inlined at the same lines. */
static unsigned count_shared(const struct object_line *a, unsigned n_a, const struct object_line *b,
                             unsigned n_b) {
  unsigned shared = 0;
  while (shared < n_a && shared < n_b && same_function(&a[n_a - 1 - shared], &b[n_b - 1 - shared])) {
    shared++;
    if (a[n_a - shared].line != b[n_b - shared].line)
      break;
  }
  return shared;
}

static bool is_same_code(const struct object_line *a, unsigned n_a, const struct object_line *b,
                         unsigned n_b) {
  return n_a == n_b && a->line == b->line && count_shared(a, n_a, b, n_b) == n_a;
}

/* gcc gives the calls that it makes for worksharing no line: by their address they lie in what was inlined
 * before them, as size() into the computation of a loop's bounds. What comes after the call is the
 * construct's: its functions are those of both. Returns how many of the lines are theirs, all if nothing
 * comes. */
static unsigned count_of_construct(struct object *object, uint64_t address, const struct object_line *lines,
                                   unsigned n) {
  const struct object_symbol *symbol = object_symbol_at(object, address);
  struct object_line next[LINES_MAX];
  unsigned most = 0;
  for (uint64_t at = address + 1; most < n && at <= address + FOLLOWING_BYTES; at += FOLLOWING_STEP) {
    if (object_symbol_at(object, at) != symbol || !object_line_at(object, at, next))
      break;
    unsigned n_next = 1;
    while (n_next < LINES_MAX && object_inlined_into(object, &next[n_next]))
      n_next++;
    unsigned shared = count_shared(lines, n, next, n_next);
    if (shared > most && !is_same_code(lines, n, next, n_next))
      most = shared;
  }
  return most ? most : n;
}

/* How many of the outer lines lie outside of the libraries that have no constructs; all if none does. */
static unsigned count_of_program(const struct object_line *lines, unsigned n) {
  unsigned kept = n;
  while (kept && lines[n - kept].file && name_is_library_header(lines[n - kept].file))
    kept--;
  return kept ? kept : n;
}

/* Without debug info of inlined functions, the line before states best where it came from. */
static void leave_library(struct object *object, uint64_t address, struct object_line *line) {
  const struct object_symbol *symbol = object_symbol_at(object, address);
  struct object_line before;
  for (uint64_t i = 1; i < LINE_SEARCH_BYTES && i < address; i++) {
    if (object_symbol_at(object, address - i) != symbol || !object_line_at(object, address - i, &before))
      return;
    if (before.line && before.file && !name_is_library_header(before.file)) {
      *line = before;
      return;
    }
  }
}

/* The line of a function into which others may be inlined there. */
static bool outer_line_at(struct object *object, uint64_t address, struct object_line *ret) {
  struct object_line outer;
  if (!object_line_at(object, address, ret))
    return false;
  while (object_inlined_into(object, &outer))
    *ret = outer;
  return true;
}

/* The line of the last code before the next function, which most often is that of the return. */
static bool last_line_of(struct object *object, const struct object_symbol *symbol, struct object_line *ret) {
  size_t count;
  const struct object_symbol *symbols = object_symbols(object, &count);
  return symbol + 1 < symbols + count && outer_line_at(object, symbol[1].address - 1, ret);
}

/* gcc may give the call that begins a parallel region the line of what is before it, the first one of a
 * function that of the function. The function with the region's code ends with the region's line, or begins
 * with it or the next one. */
static void use_outlined(struct object *object, uint64_t address, struct object_line *line) {
  uint64_t function = ident_outlined(object, address, object_symbol_at(object, address));
  const struct object_symbol *symbol = function ? object_symbol_at(object, function) : NULL;
  struct object_line first, last;
  if (!symbol || !outer_line_at(object, function, &first) || !first.line || !first.file || !line->file ||
      strcmp(first.file, line->file) != 0)
    return;
  bool has_last = last_line_of(object, symbol, &last) && last.file && strcmp(last.file, line->file) == 0;
  if (has_last && last.line >= line->line && last.line < first.line)
    first.line = last.line;
  line->line = first.line;
}

static unsigned keep_outer(struct object_line *lines, unsigned n, unsigned kept) {
  memmove(lines, lines + (n - kept), kept * sizeof *lines);
  return kept;
}

unsigned lines_read(struct object *object, uint64_t address, enum place_kind kind,
                    struct object_line *lines) {
  unsigned n = read_all(object, address, lines);
  if (kind == PLACE_WORK && n > 1)
    n = keep_outer(lines, n, count_of_construct(object, address, lines, n));
  if (kind == PLACE_CODE || kind == PLACE_VARIABLE)
    return n;
  n = keep_outer(lines, n, count_of_program(lines, n));
  if (n == 1 && lines->file && name_is_library_header(lines->file))
    leave_library(object, address, lines);
  if (kind == PLACE_PARALLEL || kind == PLACE_WORK) /* a loop may have its parallel region's address */
    use_outlined(object, address, lines);
  return n;
}
