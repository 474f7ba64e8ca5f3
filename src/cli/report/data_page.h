/* A page of one file: what was assembled when Stave was built, with its data in between. */
#ifndef STAVE_CLI_REPORT_DATA_PAGE_H
#define STAVE_CLI_REPORT_DATA_PAGE_H

#include "cli/common/json.h"

#include <stddef.h>

struct data_page {
  const unsigned char *before, *after;
  size_t before_bytes, after_bytes;
};

/* Writes the file. Returns an exit status, not EXIT_SUCCESS after a message. */
int data_page_write(const struct data_page *page, const json_t *data, const char *output);

#endif
