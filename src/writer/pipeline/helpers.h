/* Threads that work beside the caller's, on items that do not depend on each other. */
#ifndef STAVE_WRITER_PIPELINE_HELPERS_H
#define STAVE_WRITER_PIPELINE_HELPERS_H

#include <stdbool.h>
#include <stdint.h>

struct helpers;

/* `worker` is 0 for the caller's thread, and less than helpers_workers. */
typedef void (*helpers_work)(void *data, unsigned worker, uint32_t item);

/* So many workers, the caller's thread among them; the others start with the first work. Free with
 * helpers_destroy. */
struct helpers *helpers_create(unsigned workers);

/* NULL is fine. */
void helpers_destroy(struct helpers *helpers);

/* What a worker does that waits for others, part by part, until `aside` returns that there is nothing. Before
 * the first work. */
void helpers_set_aside(struct helpers *helpers, bool (*aside)(void *data), void *data);

/* No round comes soon: those that look for one leave their processors to who has something to do. */
void helpers_rest(struct helpers *helpers);

/* From the next work on so many of the workers have a part in it, all if nothing else was set: 1 at least. */
void helpers_let(struct helpers *helpers, unsigned most);

/* Beside the caller's: those that do something, or look for something to do. Any thread; NULL has none. */
unsigned helpers_awake(const struct helpers *helpers);

/* As many as were requested, of which some may not have been to be had. */
unsigned helpers_workers(const struct helpers *helpers);

/* Does all items, each once, in no order, and returns when all are done: what was stored before is seen by
 * the workers, and what they stored by the caller. */
void helpers_run(struct helpers *helpers, helpers_work work, void *data, uint32_t items);

#endif
