/* The cost of getting and returning a page of memory on this machine: a thread of the writer measures it
 * while the archive is closed. */
#ifndef STAVE_WRITER_KERNEL_PAGE_COST_H
#define STAVE_WRITER_KERNEL_PAGE_COST_H

#include <stdbool.h>
#include <stdint.h>

struct page_cost;

struct page_costs {
  uint64_t small_ns, large_ns; /* a page of the usual size, as one of those and as a part of a large one */
  /* this is a virtual machine whose free memory goes back to the host, in blocks as large as large pages: to
   * get one of those can cost a hundred times as much as `large_ns` */
  bool is_reclaimed;
};

/* Begins to measure. Never NULL: where no thread can be had, it is done in the end. */
struct page_cost *page_cost_begin(void);

/* Waits for the result and frees it. */
struct page_costs page_cost_end(struct page_cost *cost);

#endif
