/* What `stave check` has found, for services that build and test: files of SARIF and of JUnit's form. */
#ifndef STAVE_CLI_CHECK_CHECK_FILES_H
#define STAVE_CLI_CHECK_CHECK_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "check/check.h"

/* SARIF 2.1.0 into the file `name`: rules, and a result for each finding. Returns false, after a message, if
 * it cannot be written. */
bool check_write_sarif(const char *name, const struct trace *trace, const struct check_result *result);

/* JUnit's XML: a test case for each rule of the set `rules`. Returns likewise. */
bool check_write_junit(const char *name, const struct trace *trace, const struct check_result *result,
                       uint64_t rules);

#endif
