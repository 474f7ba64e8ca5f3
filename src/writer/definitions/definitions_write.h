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
  uint32_t place;          /* of its group among all groups */
};

struct mpi_group {
  uint32_t *ranks, count, place;
};

struct window_definition {
  struct mpi_window_facts facts;
  uint32_t name; /* a string, + 1; 0: none */
  bool is_of_devices;
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
  bool is_written;           /* all that definitions_write writes */
  char **strings;
  size_t string_count, string_capacity, strings_written;
  struct map string_numbers;
  struct comm *comms;
  size_t comm_count, comm_capacity;
  uint32_t last_comm; /* that was requested */
  struct map comm_numbers;
  struct location **locations;
  size_t location_count, location_capacity;
  struct map location_names;
  enum attribute attributes[ATTRIBUTE_COUNT]; /* by number */
  uint32_t attribute_count;
  struct device_definition all_devices; /* its properties alone: of what records devices */
  struct device_definition *devices;
  size_t device_count, device_capacity;
  struct metric_definition *metrics; /* by number */
  size_t metric_count, metric_capacity;
  uint32_t metric_numbers[METRIC_COUNT]; /* number + 1; 0: not used */
  struct map counter_numbers;            /* hash -> number + 1 */
  uint32_t group_count;                  /* of communicators and others, after those of all locations */
  bool has_mpi;
  struct mpi_group *mpi_groups;
  size_t mpi_group_count, mpi_group_capacity;
  struct window_definition *windows;
  size_t window_count, window_capacity;
  uint32_t device_window;
  uint32_t *files; /* names, as strings */
  size_t file_count, file_capacity;
  struct map file_numbers;
  struct mpi_handle_facts *handles;
  size_t handle_count, handle_capacity;
  struct journal_mpi_process mpi_process;
  struct clock_comparison mpi_clocks[MPI_CLOCKS_MAX];
  size_t mpi_clock_count;
  uint32_t mpi_clock_domain; /* string, of the clocks with which this one was compared */
  uint32_t mpi_library;      /* string, + 1; 0: MPI was not initialized */
  char **parameters;         /* by number */
  size_t parameter_count, parameter_capacity;
};

/* Definitions that others refer to. */
enum { TREE_MACHINE, TREE_NODE, TREE_DEVICES };
enum { GROUP_LOCATIONS, GROUP_MPI_LOCATIONS };
enum { LOCATION_GROUP_PROCESS, LOCATION_GROUP_DEVICES };
enum { IO_PARADIGM_MPI };

/* The number of the group with place 0; the others follow. */
static inline uint32_t definitions_first_group(const struct definitions *definitions) {
  return definitions->has_mpi ? GROUP_MPI_LOCATIONS + 1 : GROUP_LOCATIONS + 1;
}

/* A string's number. Readers need a string before what names it, so whatever is new is written on the
 * spot. */
uint32_t definitions_write_string(struct definitions *definitions, const char *text);

/* definitions_devices.c: the devices in the system tree with their location groups; and, after the threads'
 * groups and communicators, their own for the window. Nothing where there is no device. */
void definitions_write_devices(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint64_t frequency);
void definitions_write_device_comm(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                   OTF2_Paradigm paradigm, uint32_t number);

/* definitions_windows.c. device_comm: of the devices' window. */
void definitions_add_device_window(struct definitions *definitions);
void definitions_write_windows(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                               uint32_t device_comm);
void definitions_window_properties(const struct definitions *definitions, mpi_property_setter *set,
                                   struct archive *archive);

/* definitions_files.c */
void definitions_write_files(struct definitions *definitions, OTF2_GlobalDefWriter *w);

/* Devices or none: of a recovered archive only these may have been left. */
void definitions_write_parameters(struct definitions *definitions, OTF2_GlobalDefWriter *w);

/* definitions_mpi.c: what there is of MPI; nothing where there is none. */
void definitions_write_mpi_paradigm(struct definitions *definitions, OTF2_GlobalDefWriter *w);
void definitions_write_mpi_locations(struct definitions *definitions, OTF2_GlobalDefWriter *w);
void definitions_write_mpi_group(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                 const struct comm *comm, uint32_t group);
void definitions_write_mpi_ranks(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t group,
                                 OTF2_GroupType type, const uint32_t *ranks, size_t count);
void definitions_write_mpi_comm(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct comm *comm, uint32_t number, uint32_t group);

/* definitions_metrics.c: the metrics that were used. */
void definitions_write_metrics(struct definitions *definitions, OTF2_GlobalDefWriter *w);

/* definitions_sampling.c: the interrupt generator, if samples were requested, and the calling contexts. */
void definitions_write_sampling(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const struct regions *regions, const struct contexts *contexts,
                                const struct run *run);

#endif
