/* The pages without their data. Made from pages/ by src/timeline/page/assemble when Stave is built. */
#ifndef STAVE_CLI_REPORT_PAGES_H
#define STAVE_CLI_REPORT_PAGES_H

#include <stddef.h>

extern const unsigned char history_before_about[], history_after_about[];
extern const unsigned char scaling_before_about[], scaling_after_about[];
extern const size_t history_before_about_bytes, history_after_about_bytes;
extern const size_t scaling_before_about_bytes, scaling_after_about_bytes;

#endif
