/* What `stave info` has found out about an archive, on the way to whoever prints it. */
#ifndef STAVE_CLI_INFO_INFO_H
#define STAVE_CLI_INFO_INFO_H

#include "trace/found_archive.h"
#include "trace/identify.h"
#include "trace/tally.h"
#include "trace/trace.h"

struct info {
  const char *path; /* as it was requested */
  struct found_archive found;
  struct trace *trace;
  struct tally tally;
  struct identified runtime;
  char compiler[512]; /* empty: not known */
  uint64_t stalls, stall_ns;
  uint64_t duration_ns;
  bool is_all; /* every thread */
};

/* The archive's property STAVE::`name`; NULL if it has none. */
const char *info_property(const struct info *info, const char *name);

/* The same as a number; 0 if it has none. */
uint64_t info_number(const struct info *info, const char *name);

/* OMPT's name of a callback number, without "ompt_callback_"; NULL if no specification names it. */
const char *info_callback_name(unsigned number);

/* Calls `each` for every archive property whose name begins with STAVE::`prefix`::, with the rest of its
 * name. */
void info_each_property(const struct info *info, const char *prefix,
                        void (*each)(void *data, const char *rest, const char *value), void *data);

/* A record's name as a property of the archive has it, in Stave's own form: OTF2 needs capitals there. */
const char *info_record_name(char buffer[64], const char *rest);

/* Tables for people on stdout. */
void info_print_text(const struct info *info);

/* One JSON object on stdout. */
void info_print_json(const struct info *info);

#endif
