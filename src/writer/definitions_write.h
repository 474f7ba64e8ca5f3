/* The inside of struct definitions, for the two files that fill it and write it out. */
#ifndef STAVE_WRITER_DEFINITIONS_WRITE_H
#define STAVE_WRITER_DEFINITIONS_WRITE_H

#include "writer/definitions.h"
#include "writer/map.h"

struct comm {
  uint32_t *members;
  size_t count;
  uint32_t parent;
  bool is_serial;
};

struct definitions {
  struct archive *archive;
  struct recovery *recovery; /* or NULL */
  char **strings;
  size_t string_count, string_capacity, strings_written;
  struct map string_numbers;
  struct comm *comms;
  size_t comm_count, comm_capacity;
  struct map comm_numbers;
  struct location **locations;
  size_t location_count, location_capacity;
  struct map location_names;
  enum attribute attributes[ATTRIBUTE_COUNT]; /* by number */
  uint32_t attribute_count;
};

#endif
