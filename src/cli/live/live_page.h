/* The page around the pictures, without what it is about. Made from page/ by src/timeline/page/assemble when
 * Stave is built. */
#ifndef STAVE_CLI_LIVE_LIVE_PAGE_H
#define STAVE_CLI_LIVE_LIVE_PAGE_H

#include <stddef.h>

extern const unsigned char live_before_about[], live_after_about[];
extern const size_t live_before_about_bytes, live_after_about_bytes;

#endif
