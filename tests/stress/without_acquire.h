/* What the thread sanitizer must notice: looks that are sure of nothing. The processor would do the same for
 * both. */
#include <stdatomic.h>
#define memory_order_acquire memory_order_relaxed
