/* The line tables of DWARF 5 (6.2), where libbfd 2.40 does not give what they have: it knows no skeleton
 * units
 * (-gsplit-dwarf), and begins with file 0 where a table begins with file 1, which of gcc's link-time
 * optimisation is "<artificial>". */
#ifndef STAVE_WRITER_SYMBOLS_SYMBOLS_ROWS_H
#define STAVE_WRITER_SYMBOLS_SYMBOLS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_rows;

/* A section of the file, as it is without compression; NULL and 0: there is none. */
struct rows_section {
  const uint8_t *bytes;
  size_t size;
};

/* .debug_line, .debug_line_str and .debug_str, which must stay as long as the result. NULL: no memory. The
 * caller owns it: rows_close. */
struct line_rows *rows_open(struct rows_section lines, struct rows_section line_strings,
                            struct rows_section strings);

/* NULL is fine. */
void rows_close(struct line_rows *rows);

/* The row that covers the address. False: there is none. The path is full or not, the result's until it is
 * closed; NULL where it has none. */
bool rows_find(struct line_rows *rows, uint64_t address, const char **ret_file, unsigned *ret_line);

#endif
