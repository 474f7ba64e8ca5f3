/* All regions and activities of a trace in a file, for a page that requests parts of it: stave timeline
 * --serve.
 *
 * A track is one kind of content of a row: its activities, or its regions at one depth. It is kept at several
 * levels. The first has everything; each of the others merges items that are shorter than its resolution,
 * which is four times that of the one before, by the rule of slice_track.h and activity_track.h. A level is a
 * chain of blocks, in the form in which a page has its sections (page.def; regions by their number in the
 * trace), each of which begins anew at the trace's beginning, so that an answer consists of copies. In the
 * file are the blocks, the page, an index, by which the blocks of an interval are found, and a foot that
 * states where these are. Writing needs one pass over the events, and memory for an unfinished block and a
 * few items of each level of each track. */
#ifndef STAVE_TIMELINE_CONTENT_DETAIL_H
#define STAVE_TIMELINE_CONTENT_DETAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "timeline/content/bytes.h"
#include "timeline/content/slice_track.h"
#include "trace/activity.h"

struct trace;
struct attribute_lists;

enum { DETAIL_LEVELS = 20, DETAIL_IDENTITY_BYTES = 64 };

/* -- writing -- */

struct detail_writer;

/* Writes to `fd`, which is at the beginning of an empty file that can be read, too. `rows`: how many the page
 * has. Returns NULL with errno set. */
struct detail_writer *detail_create(int fd, const struct trace *trace, size_t rows);

/* The next activity, or region at a depth, of a row, in ticks. Attributes are copied. What fails is reported
 * by detail_end. */
void detail_add_activity(struct detail_writer *writer, size_t row, uint64_t begin, uint64_t end,
                         enum activity activity);
void detail_add_slice(struct detail_writer *writer, size_t row, uint32_t depth, const struct slice *slice,
                      const struct attribute_lists *attributes);

/* Whether an attribute of a region, anywhere, has this text of the trace's strings. */
bool detail_has_text(const struct detail_writer *writer, size_t string);

/* When all is added: where the page is to be written to. */
FILE *detail_begin_page(struct detail_writer *writer);

/* Completes the file, which is of something that has this identity, and frees the writer. Returns 0 or a
 * negative errno. */
int detail_end(struct detail_writer *writer, const char *identity);

/* Frees the writer, where the file will not be completed. Accepts NULL. */
void detail_abandon(struct detail_writer *writer);

/* -- reading -- */

struct detail_file {
  const unsigned char *bytes; /* mapped */
  size_t length;
  const struct detail_foot *foot;
};

/* Returns 0; or -ENOENT if it is not there or of something else, or another negative errno. */
int detail_open(struct detail_file *ret, const char *path, const char *identity);
void detail_close(struct detail_file *file);

/* The page, with its length. */
const char *detail_page(const struct detail_file *file, size_t *ret_length);

/* What is requested: times in ns since the trace's beginning, rows by number. */
struct detail_window {
  uint64_t from, to;
  uint32_t first_row, last_row; /* of these the regions, too; of the others the activities alone */
};

/* Adds page.def's `detail` to `ret`, at the finest level at which it is not much longer than `most` bytes. */
void detail_answer(const struct detail_file *file, const struct detail_window *window, size_t most,
                   struct bytes *ret);

#endif
