/* Which constructs of different runs are the same one, though its line has changed. */
#ifndef STAVE_CLI_REPORT_COMPARE_PAIRS_H
#define STAVE_CLI_REPORT_COMPARE_PAIRS_H

#include "cli/common/json.h"

#include <stddef.h>

/* What is known of a construct of one run. */
struct paired {
  size_t run; /* below RANK_VALUES_MAX */
  int kind;   /* only constructs of one kind are paired */
  double seconds;
  const void *item; /* the caller's */
};

struct pairs {
  struct pairs_construct *all;
  size_t count;
  size_t
      old_count; /* runs of which a construct without a pair is named "(old)", others "(new)"; 0: neither */
};

/* A construct of one run, an object of `report --json`, to be paired with those of others. */
void pairs_add(struct pairs *pairs, const json_t *region, const struct paired *what);

/* Gets a construct, with the name of its row. */
typedef void pairs_row(void *data, const char *name, const struct paired *what);

/* When all runs are there: calls `add` for each construct, and forgets them. */
void pairs_finish(struct pairs *pairs, pairs_row *add, void *data);

#endif
