/* Samples of threads. */
#ifndef STAVE_WRITER_CORRELATE_SAMPLES_H
#define STAVE_WRITER_CORRELATE_SAMPLES_H

#include "writer/correlate/correlate.h"
#include "writer/model/model.h"

void on_sample(struct correlator *c, struct location *location, const struct record_sample *record,
               const uint64_t *words);

#endif
