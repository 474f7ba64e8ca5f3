/* What the thread sanitizer must notice: stores that publish nothing. The processor would do the same for
 * both. */
#include <stdatomic.h>
#define memory_order_release memory_order_relaxed
