#include "writer/symbols/symbols_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { VERSION = 5, FORMATS_MAX = 16, OPCODES_MAX = 256 };
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum { OPCODE_COPY = 1, OPCODE_ADVANCE_PC, OPCODE_ADVANCE_LINE, OPCODE_SET_FILE, OPCODE_CONST_ADD_PC = 8 };
enum { OPCODE_FIXED_ADVANCE_PC = 9, EXTENDED_END = 1, EXTENDED_SET_ADDRESS = 2 };

enum form {
  FORM_BLOCK = 0x09,
  FORM_DATA1 = 0x0b,
  FORM_DATA2 = 0x05,
  FORM_DATA4 = 0x06,
  FORM_DATA8 = 0x07,
  FORM_DATA16 = 0x1e,
  FORM_LINE_STRING = 0x1f,
  FORM_STRING = 0x08,
  FORM_STRING_OFFSET = 0x0e,
  FORM_UDATA = 0x0f,
};

/* What is read, from the front; after the end there are zeros, and `is_bad`. */
struct line_cursor {
  const uint8_t *at, *end;
  bool is_bad;
};

/* A unit's table: where its parts begin, and what its program needs. */
struct line_unit {
  struct line_cursor names, program;
  unsigned offset_bytes, opcode_base, line_range, instruction_bytes;
  int line_base;
  uint8_t operands[OPCODES_MAX]; /* of each standard opcode */
  char **files;                  /* NULL until one is requested */
  size_t n_files;
};

struct line_row {
  uint64_t address;
  uint32_t file, line;
  bool is_end; /* of a sequence: the first address after it */
};

struct sequence {
  uint64_t begin, end;
  uint32_t unit;
};

struct line_rows {
  struct rows_section line_strings, strings;
  struct line_unit *units;
  size_t n_units, max_units;
  struct sequence *sequences; /* by their begin */
  size_t n_sequences, max_sequences;
  struct line_row *rows; /* of one unit, by address */
  size_t n_rows, max_rows;
  uint32_t unit_of_rows; /* n_units: of none */
};

/* In the order of this processor: the file is a program of its. */
static uint64_t read_fixed(struct line_cursor *cursor, unsigned bytes) {
  uint64_t word = 0;
  uint32_t half;
  uint16_t quarter;
  const uint8_t *at = cursor->at;
  if (cursor->is_bad || (size_t)(cursor->end - at) < bytes) {
    cursor->is_bad = true;
    return 0;
  }
  cursor->at += bytes;
  switch (bytes) {
  case 1:
    return *at;
  case 2:
    return memcpy(&quarter, at, sizeof quarter), quarter;
  case 4:
    return memcpy(&half, at, sizeof half), half;
  case 8:
    return memcpy(&word, at, sizeof word), word;
  }
  return 0;
}

static uint64_t read_leb(struct line_cursor *cursor, bool is_signed) {
  uint64_t value = 0, byte = 0x80;
  unsigned shift = 0;
  for (; byte & 0x80 && !cursor->is_bad; shift += 7) {
    byte = read_fixed(cursor, 1);
    if (shift < 64)
      value |= (byte & 0x7f) << shift;
  }
  return is_signed && byte & 0x40 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static uint64_t read_unsigned(struct line_cursor *cursor) {
  return read_leb(cursor, false);
}

static void skip(struct line_cursor *cursor, uint64_t bytes) {
  if (bytes > (uint64_t)(cursor->end - cursor->at))
    cursor->is_bad = true;
  else
    cursor->at += bytes;
}

static const char *string_at(const uint8_t *at, const uint8_t *end) {
  return at < end && memchr(at, '\0', (size_t)(end - at)) ? (const char *)at : NULL;
}

static const char *string_of(struct rows_section section, uint64_t offset) {
  return offset < section.size ? string_at(section.bytes + offset, section.bytes + section.size) : NULL;
}

static const char *read_string(struct line_cursor *cursor) {
  const char *string = string_at(cursor->at, cursor->end);
  if (string)
    cursor->at += strlen(string) + 1;
  else
    cursor->is_bad = true;
  return string;
}

struct name_value {
  const char *text;
  uint64_t number;
};

static struct name_value read_value(const struct line_rows *rows, const struct line_unit *unit,
                                    struct line_cursor *cursor, uint64_t form) {
  struct name_value value = {NULL, 0};
  switch (form) {
  case FORM_STRING:
    value.text = read_string(cursor);
    break;
  case FORM_LINE_STRING:
    value.text = string_of(rows->line_strings, read_fixed(cursor, unit->offset_bytes));
    break;
  case FORM_STRING_OFFSET:
    value.text = string_of(rows->strings, read_fixed(cursor, unit->offset_bytes));
    break;
  case FORM_UDATA:
    value.number = read_unsigned(cursor);
    break;
  case FORM_BLOCK:
    skip(cursor, read_unsigned(cursor));
    break;
  case FORM_DATA16:
    skip(cursor, 16);
    break;
  case FORM_DATA1:
    value.number = read_fixed(cursor, 1);
    break;
  case FORM_DATA2:
    value.number = read_fixed(cursor, 2);
    break;
  case FORM_DATA4:
    value.number = read_fixed(cursor, 4);
    break;
  case FORM_DATA8:
    value.number = read_fixed(cursor, 8);
    break;
  default:
    cursor->is_bad = true;
  }
  return value;
}

struct name_entry {
  const char *path;
  uint64_t directory;
};

/* A table of directories or files: what each entry is made of, and how many there are. */
struct name_table {
  uint64_t contents[FORMATS_MAX], forms[FORMATS_MAX], n_formats, count;
};

static struct name_table read_formats(struct line_cursor *cursor) {
  struct name_table entries = {.n_formats = read_fixed(cursor, 1)};
  cursor->is_bad |= entries.n_formats > FORMATS_MAX;
  for (uint64_t i = 0; i < entries.n_formats && !cursor->is_bad; i++) {
    entries.contents[i] = read_unsigned(cursor);
    entries.forms[i] = read_unsigned(cursor);
  }
  entries.count = read_unsigned(cursor);
  /* each has a byte at least, but for those that are made of nothing */
  cursor->is_bad |= entries.count > (uint64_t)(cursor->end - cursor->at);
  return entries;
}

static struct name_entry read_entry(const struct line_rows *rows, const struct line_unit *unit,
                                    struct line_cursor *cursor, const struct name_table *entries) {
  struct name_entry entry = {NULL, 0};
  for (uint64_t i = 0; i < entries->n_formats && !cursor->is_bad; i++) {
    struct name_value value = read_value(rows, unit, cursor, entries->forms[i]);
    if (entries->contents[i] == CONTENT_PATH)
      entry.path = value.text;
    else if (entries->contents[i] == CONTENT_DIRECTORY)
      entry.directory = value.number;
  }
  return entry;
}

/* Directories are relative to the first one, where the compiler ran. The caller frees it. */
static char *join(const char *first, const char *directory, const char *file) {
  char *path = NULL;
  bool has_directory = directory && *file != '/',
       has_first = has_directory && first && directory != first && *directory != '/';
  if (asprintf(&path, "%s%s%s%s%s", has_first ? first : "", has_first ? "/" : "",
               has_directory ? directory : "", has_directory ? "/" : "", file) < 0)
    return NULL;
  return path;
}

static void read_files(const struct line_rows *rows, struct line_unit *unit) {
  struct line_cursor cursor = unit->names;
  struct name_table entries = read_formats(&cursor);
  const char **directories = calloc(cursor.is_bad ? 1 : entries.count + 1, sizeof *directories);
  uint64_t n_directories = cursor.is_bad || !directories ? 0 : entries.count;
  for (uint64_t i = 0; i < n_directories; i++)
    directories[i] = read_entry(rows, unit, &cursor, &entries).path;
  entries = read_formats(&cursor);
  unit->files = calloc(cursor.is_bad ? 1 : entries.count + 1, sizeof *unit->files);
  unit->n_files = cursor.is_bad || !unit->files ? 0 : entries.count;
  for (uint64_t i = 0; i < unit->n_files; i++) {
    struct name_entry entry = read_entry(rows, unit, &cursor, &entries);
    if (entry.path && !cursor.is_bad)
      unit->files[i] =
          join(n_directories ? directories[0] : NULL,
               entry.directory < n_directories ? directories[entry.directory] : NULL, entry.path);
  }
  free(directories);
}

/* The registers of a unit's program. */
struct line_machine {
  struct line_row row;
  struct line_cursor cursor;
  const struct line_unit *unit;
};

static void reset(struct line_machine *state) {
  state->row = (struct line_row){.file = 1, .line = 1};
}

/* An instruction that has a length of its own. Returns whether a row is complete. */
static bool run_extended(struct line_machine *state) {
  uint64_t length = read_unsigned(&state->cursor);
  struct line_cursor inside = state->cursor;
  skip(&state->cursor, length);
  inside.end = state->cursor.at;
  uint64_t opcode = length ? read_fixed(&inside, 1) : 0;
  if (opcode == EXTENDED_SET_ADDRESS)
    state->row.address = read_fixed(&inside, (unsigned)(length - 1));
  state->row.is_end = opcode == EXTENDED_END;
  return state->row.is_end;
}

static void advance(struct line_machine *state, uint64_t operations) {
  state->row.address += operations * state->unit->instruction_bytes;
}

static bool run_standard(struct line_machine *state, unsigned opcode) {
  struct line_cursor *cursor = &state->cursor;
  switch (opcode) {
  case OPCODE_COPY:
    return true;
  case OPCODE_ADVANCE_PC:
    advance(state, read_unsigned(cursor));
    break;
  case OPCODE_ADVANCE_LINE:
    state->row.line += (uint32_t)read_leb(cursor, true);
    break;
  case OPCODE_SET_FILE:
    state->row.file = (uint32_t)read_unsigned(cursor);
    break;
  case OPCODE_CONST_ADD_PC:
    advance(state, (255 - state->unit->opcode_base) / state->unit->line_range);
    break;
  case OPCODE_FIXED_ADVANCE_PC:
    state->row.address += read_fixed(cursor, 2);
    break;
  default:
    for (unsigned i = 0; i < state->unit->operands[opcode]; i++)
      read_unsigned(cursor);
  }
  return false;
}

static bool run_special(struct line_machine *state, unsigned opcode) {
  unsigned adjusted = opcode - state->unit->opcode_base;
  advance(state, adjusted / state->unit->line_range);
  state->row.line += (uint32_t)(state->unit->line_base + (int)(adjusted % state->unit->line_range));
  return true;
}

/* Runs the program up to its next row. False: there is none. */
static bool next_row(struct line_machine *state, struct line_row *ret_row) {
  bool is_complete = false;
  while (!is_complete && !state->cursor.is_bad && state->cursor.at < state->cursor.end) {
    unsigned opcode = (unsigned)read_fixed(&state->cursor, 1);
    is_complete = opcode >= state->unit->opcode_base ? run_special(state, opcode)
                  : opcode                           ? run_standard(state, opcode)
                                                     : run_extended(state);
  }
  *ret_row = state->row;
  if (state->row.is_end)
    reset(state);
  return is_complete && !state->cursor.is_bad;
}

static struct line_machine begin(const struct line_unit *unit) {
  struct line_machine state = {.cursor = unit->program, .unit = unit};
  reset(&state);
  return state;
}

/* What the linker has left out begins at 0. */
static void add_sequence(struct line_rows *rows, uint64_t from, uint64_t to, uint32_t unit) {
  if (from && from < to &&
      array_try_reserve(&rows->sequences, &rows->max_sequences, rows->n_sequences + 1,
                        sizeof *rows->sequences))
    rows->sequences[rows->n_sequences++] = (struct sequence){from, to, unit};
}

static void read_sequences(struct line_rows *rows, uint32_t unit) {
  struct line_machine state = begin(&rows->units[unit]);
  bool is_first = true;
  uint64_t from = 0;
  for (struct line_row row; next_row(&state, &row); is_first = row.is_end) {
    if (is_first)
      from = row.address;
    if (row.is_end)
      add_sequence(rows, from, row.address, unit);
  }
}

/* The header after the unit's length and version. */
static bool read_header(struct line_cursor *cursor, unsigned offset_bytes, struct line_unit *unit) {
  skip(cursor, 2); /* the sizes of addresses and segment selectors */
  uint64_t header = read_fixed(cursor, offset_bytes);
  unit->offset_bytes = offset_bytes;
  unit->program = *cursor;
  skip(&unit->program, header);
  unit->instruction_bytes = (unsigned)read_fixed(cursor, 1);
  skip(cursor, 2); /* operations of an instruction, and whether rows are statements */
  unit->line_base = (int8_t)read_fixed(cursor, 1);
  unit->line_range = (unsigned)read_fixed(cursor, 1);
  unit->opcode_base = (unsigned)read_fixed(cursor, 1);
  for (unsigned i = 1; i < unit->opcode_base; i++)
    unit->operands[i] = (uint8_t)read_fixed(cursor, 1);
  unit->names = *cursor;
  return !cursor->is_bad && !unit->program.is_bad && unit->line_range && unit->opcode_base;
}

static void add_unit(struct line_rows *rows, struct line_cursor cursor, unsigned offset_bytes) {
  struct line_unit unit = {.files = NULL};
  if (read_fixed(&cursor, 2) != VERSION || !read_header(&cursor, offset_bytes, &unit) ||
      !array_try_reserve(&rows->units, &rows->max_units, rows->n_units + 1, sizeof *rows->units))
    return;
  rows->units[rows->n_units++] = unit;
  read_sequences(rows, (uint32_t)rows->n_units - 1);
}

static void read_units(struct line_rows *rows, struct line_cursor cursor) {
  while (!cursor.is_bad && cursor.at < cursor.end) {
    unsigned offset_bytes = 4;
    uint64_t length = read_fixed(&cursor, 4);
    if (length == UINT32_MAX) {
      length = read_fixed(&cursor, 8);
      offset_bytes = 8;
    }
    struct line_cursor unit = cursor;
    skip(&cursor, length);
    unit.end = cursor.at;
    if (!cursor.is_bad)
      add_unit(rows, unit, offset_bytes);
  }
}

static int sequence_order(const void *a, const void *b) {
  const struct sequence *left = a, *right = b;
  return (left->begin > right->begin) - (left->begin < right->begin);
}

struct line_rows *rows_open(struct rows_section lines, struct rows_section line_strings,
                            struct rows_section strings) {
  struct line_rows *rows = calloc(1, sizeof *rows);
  if (!rows)
    return NULL;
  rows->line_strings = line_strings;
  rows->strings = strings;
  if (lines.size)
    read_units(rows, (struct line_cursor){lines.bytes, lines.bytes + lines.size, false});
  if (rows->n_sequences)
    qsort(rows->sequences, rows->n_sequences, sizeof *rows->sequences, sequence_order);
  rows->unit_of_rows = (uint32_t)rows->n_units;
  return rows;
}

void rows_close(struct line_rows *rows) {
  for (size_t i = 0; rows && i < rows->n_units; i++) {
    for (size_t file = 0; file < rows->units[i].n_files; file++)
      free(rows->units[i].files[file]);
    free(rows->units[i].files);
  }
  if (!rows)
    return;
  free(rows->units);
  free(rows->sequences);
  free(rows->rows);
  free(rows);
}

/* Ends come before the begin of what follows. */
static int row_order(const void *a, const void *b) {
  const struct line_row *left = a, *right = b;
  if (left->address != right->address)
    return left->address < right->address ? -1 : 1;
  return (int)right->is_end - (int)left->is_end;
}

/* Of rows with one address, the last one counts. */
static void keep_row(struct line_rows *rows, struct line_row row) {
  struct line_row *last = rows->n_rows ? &rows->rows[rows->n_rows - 1] : NULL;
  if (last && last->address == row.address && !last->is_end && !row.is_end)
    *last = row;
  else if (array_try_reserve(&rows->rows, &rows->max_rows, rows->n_rows + 1, sizeof *rows->rows))
    rows->rows[rows->n_rows++] = row;
}

static void read_rows(struct line_rows *rows, uint32_t unit) {
  struct line_machine state = begin(&rows->units[unit]);
  rows->n_rows = 0;
  rows->unit_of_rows = unit;
  for (struct line_row row; next_row(&state, &row);)
    keep_row(rows, row);
  if (rows->n_rows)
    qsort(rows->rows, rows->n_rows, sizeof *rows->rows, row_order);
}

static const struct sequence *sequence_at(const struct line_rows *rows, uint64_t address) {
  size_t low = 0, high = rows->n_sequences;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->sequences[middle].begin <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const struct sequence *found = low ? &rows->sequences[low - 1] : NULL;
  return found && address < found->end ? found : NULL;
}

static const struct line_row *row_at(const struct line_rows *rows, uint64_t address) {
  size_t low = 0, high = rows->n_rows;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (rows->rows[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && !rows->rows[low - 1].is_end ? &rows->rows[low - 1] : NULL;
}

bool rows_find(struct line_rows *rows, uint64_t address, const char **ret_file, unsigned *ret_line) {
  const struct sequence *sequence = sequence_at(rows, address);
  if (!sequence)
    return false;
  if (rows->unit_of_rows != sequence->unit)
    read_rows(rows, sequence->unit);
  const struct line_row *row = row_at(rows, address);
  struct line_unit *unit = &rows->units[sequence->unit];
  if (!row)
    return false;
  if (!unit->files)
    read_files(rows, unit);
  *ret_file = row->file < unit->n_files ? unit->files[row->file] : NULL;
  *ret_line = row->line;
  return true;
}
