/* How much memory may still be taken without harm to others. */
#ifndef STAVE_WRITER_PIPELINE_FREE_MEMORY_H
#define STAVE_WRITER_PIPELINE_FREE_MEMORY_H

#include <stdint.h>

/* Bytes that the machine has available, or the control groups of this process if they have less (versions 1
 * and 2; what could be dropped of files counts as free, as it does for the machine). 0: not known, or none.
 */
uint64_t free_memory(void);

#endif
