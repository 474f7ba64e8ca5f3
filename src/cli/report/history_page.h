/* The page without its data. Made from history/ by src/timeline/page/assemble when Stave is built. */
#ifndef STAVE_CLI_REPORT_HISTORY_PAGE_H
#define STAVE_CLI_REPORT_HISTORY_PAGE_H

#include <stddef.h>

extern const unsigned char history_before_about[], history_after_about[];
extern const size_t history_before_about_bytes, history_after_about_bytes;

#endif
