/* The inside of struct definitions, for the two files that fill it and write it out. */
#ifndef STAVE_WRITER_DEFINITIONS_DEFINITIONS_WRITE_H
#define STAVE_WRITER_DEFINITIONS_DEFINITIONS_WRITE_H

#include "base/map.h"
#include "writer/definitions/definitions.h"
#include "writer/definitions/definitions_mpi.h"

/* What a communicator of MPI has beside. */
struct comm_of_mpi {
  struct mpi_comm_facts facts;
  uint32_t name; /* + 1; 0: none */
};

struct comm {
  uint32_t *members;
  size_t count;
  uint32_t parent;
  bool is_serial;
  struct comm_of_mpi *mpi; /* NULL: a team's, whose members are locations; else they are ranks */
};

struct device_property {
  char *name, *value;
};

struct device_definition {
  int32_t number;
  struct device_property *properties;
  size_t property_count, property_capacity;
  uint64_t clock_ticks; /* 0: its clock was not compared */
  double clock_seconds;
  /* location group, as it is written; OTF2_UNDEFINED_LOCATION_GROUP: none, nothing was done on it */
  uint32_t group;
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
  struct device_definition *devices;
  size_t device_count, device_capacity;
  struct metric_definition *metrics; /* by number */
  size_t metric_count, metric_capacity;
  uint32_t metric_numbers[METRIC_COUNT]; /* number + 1; 0: not used */
  struct map counter_numbers;            /* hash -> number + 1 */
  bool has_mpi;
  struct journal_mpi_process mpi_process;
  uint32_t mpi_library; /* string, + 1; 0: MPI was not initialized */
  char **parameters;    /* by number */
  size_t parameter_count, parameter_capacity;
};

/* Definitions that others refer to. */
enum { TREE_MACHINE, TREE_NODE, TREE_DEVICES };
enum { GROUP_LOCATIONS, GROUP_MPI_LOCATIONS };
enum { LOCATION_GROUP_PROCESS, LOCATION_GROUP_DEVICES };

/* The number of the first communicator's group; the others follow. */
static inline uint32_t definitions_first_group(const struct definitions *definitions) {
  return definitions->has_mpi ? GROUP_MPI_LOCATIONS + 1 : GROUP_LOCATIONS + 1;
}

/* A string's number. Readers want a string before what names it, so whatever is new is written on the
 * spot. */
uint32_t definitions_write_string(struct definitions *definitions, const char *text);

/* definitions_devices.c: the devices in the system tree with their location groups; and, behind the threads'
 * groups and communicators, the window with its own. Nothing where there is no device. */
void definitions_write_devices(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint64_t frequency);
void definitions_write_window(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                              OTF2_Paradigm paradigm, uint32_t first_group);

/* Devices or none: of a recovered archive only these may have been left. */
void definitions_write_parameters(struct definitions *definitions, OTF2_GlobalDefWriter *w);

/* definitions_mpi.c: what there is of MPI; nothing where there is none. */
void definitions_write_mpi_paradigm(struct definitions *definitions, OTF2_GlobalDefWriter *w);
void definitions_write_mpi_locations(struct definitions *definitions, OTF2_GlobalDefWriter *w);
void definitions_write_mpi_group(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                 const struct comm *comm, uint32_t group);
void definitions_write_mpi_comm(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct comm *comm, uint32_t number, uint32_t group);

/* definitions_metrics.c: the metrics that were used. */
void definitions_write_metrics(struct definitions *definitions, OTF2_GlobalDefWriter *w);

/* definitions_sampling.c: the interrupt generator, if samples were wanted, and the calling contexts. */
void definitions_write_sampling(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct regions *regions, const struct contexts *contexts,
                                const struct run *run);

#endif
