/* Writing the definitions out, in the order in which readers need them. */
#include "writer/definitions/definitions_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/otf2_newer.h"
#include "session/clock.h"
#include "writer/definitions/ompt_names.h"

#if OTF2_VERSION_MAJOR > 3 || OTF2_VERSION_MINOR >= 1
_Static_assert((int)OTF2_REGION_ROLE_CANCEL == NEWER_ROLE_CANCEL &&
                   (int)OTF2_REGION_ROLE_KERNEL == NEWER_ROLE_KERNEL &&
                   (int)OTF2_PARADIGM_OPENMP_TARGET == NEWER_PARADIGM_OPENMP_TARGET,
               "as OTF2's headers have them");
#endif

static uint32_t string(struct definitions *definitions, const char *text) {
  return definitions_write_string(definitions, text);
}

static uint64_t frequency_of(const struct run *run) {
  return clock_frequency(run->constants->clock_kind, &run->constants->start, &run->end);
}

/* Ticks of a record may be anything, and so may the difference. */
static uint64_t realtime_of(const struct clock_point *start, uint64_t ticks, uint64_t frequency) {
  static const double most = 9e18;
  double since_start = ((double)ticks - (double)start->ticks) * 1e9 / (double)frequency;
  return start->realtime_ns +
         (since_start > -most && since_start < most ? (uint64_t)(int64_t)since_start : 0);
}

static void write_clock(struct definitions *definitions, OTF2_GlobalDefWriter *w, const struct run *run) {
  uint64_t first = UINT64_MAX, last = 0;
  for (size_t i = 0; i < definitions->location_count; i++) {
    const struct location *location = definitions->locations[i];
    if (!location->events)
      continue;
    first = location->first_ticks < first ? location->first_ticks : first;
    last = location->written_ticks > last ? location->written_ticks : last;
  }
  first = first < last ? first : last;
  uint64_t frequency = frequency_of(run);
  OTF2_GlobalDefWriter_WriteClockProperties(w, frequency, first, last - first,
                                            realtime_of(&run->constants->start, first, frequency));
}

static bool has_regions_of(const struct regions *regions, OTF2_Paradigm paradigm) {
  size_t count;
  const struct region *all = regions_all(regions, &count);
  for (size_t i = 0; i < count; i++)
    if (all[i].is_referred_to && all[i].paradigm == paradigm)
      return true;
  return false;
}

static void write_paradigms(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                            const struct regions *regions) {
  OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_OPENMP, string(definitions, "OpenMP"),
                                     OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
  OTF2_AttributeValue template = {.stringRef = string(definitions, "Thread team ${id}")};
  OTF2_GlobalDefWriter_WriteParadigmProperty(
      w, OTF2_PARADIGM_OPENMP, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING, template);
  if (definitions->has_mpi || has_regions_of(regions, OTF2_PARADIGM_MPI)) /* the process may be no rank */
    definitions_write_mpi_paradigm(definitions, w);
  if (has_regions_of(regions, OTF2_PARADIGM_CUDA))
    OTF2_GlobalDefWriter_WriteParadigm(w, OTF2_PARADIGM_CUDA, string(definitions, "CUDA"),
                                       OTF2_PARADIGM_CLASS_ACCELERATOR);
}

static void write_system_tree(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                              const struct run *run) {
  OTF2_GlobalDefWriter_WriteSystemTreeNode(w, TREE_MACHINE, string(definitions, run->host),
                                           string(definitions, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, TREE_MACHINE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(w, TREE_NODE, string(definitions, run->host),
                                           string(definitions, "node"), TREE_MACHINE);
  OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, TREE_NODE, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
  OTF2_AttributeValue platform = {.stringRef = string(definitions, run->platform)};
  OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(w, TREE_NODE, string(definitions, "platform"),
                                                   OTF2_TYPE_STRING, platform);
}

static void write_number(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                         const struct location *location, const char *name, int64_t number) {
  if (number < 0)
    return;
  OTF2_AttributeValue value = {.int64 = number};
  OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, string(definitions, name), OTF2_TYPE_INT64,
                                             value);
}

static void write_frame_flags(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                              const struct location *location) {
  char exit_text[64], enter_text[64], text[160];
  ompt_describe_frame(location->facts.exit_flags, exit_text, sizeof exit_text);
  ompt_describe_frame(location->facts.enter_flags, enter_text, sizeof enter_text);
  snprintf(text, sizeof text, "exit %s, enter %s", exit_text, enter_text);
  OTF2_AttributeValue value = {.stringRef = string(definitions, text)};
  OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, string(definitions, "frame flags"),
                                             OTF2_TYPE_STRING, value);
}

static void write_location_properties(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                      const struct location *location) {
  OTF2_AttributeValue tid = {.uint64 = location->facts.kernel_tid};
  OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, string(definitions, "kernel thread id"),
                                             OTF2_TYPE_UINT64, tid);
  write_number(definitions, w, location, "place", location->facts.place);
  write_number(definitions, w, location, "processor", location->facts.processor);
  if (location->facts.has_frame_flags)
    write_frame_flags(definitions, w, location);
  if (location->facts.partition) {
    OTF2_AttributeValue partition = {.stringRef = location->facts.partition - 1};
    OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, string(definitions, "place partition"),
                                               OTF2_TYPE_STRING, partition);
  }
  if (!location->facts.has_started)
    return;
  OTF2_AttributeValue type = {.stringRef =
                                  string(definitions, ompt_thread_type_name(location->facts.thread_type))};
  OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, string(definitions, "thread type"),
                                             OTF2_TYPE_STRING, type);
}

void definitions_write_process_property(struct definitions *definitions, const char *name, const char *text) {
  OTF2_GlobalDefWriter *w = definitions->is_written ? archive_global(definitions->archive) : NULL;
  if (!w || definitions->location_count == 0)
    return;
  uint32_t number = string(definitions, name);
  OTF2_GlobalDefWriter_WriteLocationGroupProperty(
      w, LOCATION_GROUP_PROCESS, number, OTF2_TYPE_STRING,
      (OTF2_AttributeValue){.stringRef = string(definitions, text)});
}

void definitions_write_thread_property(struct definitions *definitions, const struct location *location,
                                       const char *name, const char *text) {
  OTF2_GlobalDefWriter *w = definitions->is_written ? archive_global(definitions->archive) : NULL;
  if (!w)
    return;
  uint32_t number = string(definitions, name);
  OTF2_GlobalDefWriter_WriteLocationProperty(w, location->id, number, OTF2_TYPE_STRING,
                                             (OTF2_AttributeValue){.stringRef = string(definitions, text)});
}

static void write_locations(struct definitions *definitions, OTF2_GlobalDefWriter *w, const struct run *run) {
  char name[32] = "Process";
  if (run->mpi_rank >= 0)
    snprintf(name, sizeof name, "MPI Rank %d", run->mpi_rank);
  if (definitions->location_count)
    OTF2_GlobalDefWriter_WriteLocationGroup(w, LOCATION_GROUP_PROCESS, string(definitions, name),
                                            OTF2_LOCATION_GROUP_TYPE_PROCESS, TREE_NODE,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  definitions_write_devices(definitions, w, frequency_of(run));
  for (size_t i = 0; i < definitions->location_count; i++) {
    const struct location *location = definitions->locations[i];
    OTF2_LocationType type =
        location->facts.device ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM : OTF2_LOCATION_TYPE_CPU_THREAD;
    uint32_t group = location->facts.device ? definitions->devices[location->facts.device - 1].group
                                            : LOCATION_GROUP_PROCESS;
    OTF2_GlobalDefWriter_WriteLocation(w, location->id, string(definitions, location->facts.name), type,
                                       location->events, group);
    if (!location->facts.device)
      write_location_properties(definitions, w, location);
  }
}

static void write_regions(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                          const struct regions *regions) {
  size_t count;
  const struct region *all = regions_all(regions, &count);
  uint32_t next = 0;
  for (size_t i = 0; i < count; i++) {
    const struct region *region = &all[i];
    if (region->final_id != next)
      continue;
    next++;
    uint32_t name = string(definitions, region->name),
             canonical = string(definitions, region->canonical_name);
    uint32_t file = region->file ? string(definitions, region->file) : OTF2_UNDEFINED_STRING;
    OTF2_GlobalDefWriter_WriteRegion(w, region->final_id, name, canonical,
                                     string(definitions, region->description), region->role, region->paradigm,
                                     OTF2_REGION_FLAG_NONE, file, region->line, 0);
  }
}

static void write_comms(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  uint32_t first = definitions_first_group(definitions);
  for (uint32_t i = 0; i < definitions->comm_count; i++) {
    const struct comm *comm = &definitions->comms[i];
    OTF2_CommRef parent = comm->parent == COMM_UNKNOWN ? OTF2_UNDEFINED_COMM : comm->parent;
    if (comm->mpi)
      definitions_write_mpi_comm(definitions, w, comm, i, first + comm->place);
    else
      OTF2_GlobalDefWriter_WriteComm(w, i, string(definitions, ""), first + comm->place, parent,
                                     OTF2_COMM_FLAG_NONE);
  }
}

static void write_team(struct definitions *definitions, OTF2_GlobalDefWriter *w, const struct comm *comm,
                       const uint32_t *positions, uint32_t group) {
  uint64_t *ids = memory_get(comm->count, sizeof *ids);
  for (size_t i = 0; i < comm->count; i++)
    ids[i] = positions[comm->members[i]];
  OTF2_GlobalDefWriter_WriteGroup(w, group, string(definitions, ""), OTF2_GROUP_TYPE_COMM_GROUP,
                                  OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, (uint32_t)comm->count, ids);
  free(ids);
}

/* Of communicators and others, by their numbers. */
static void write_member_groups(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                const uint32_t *positions) {
  uint32_t first = definitions_first_group(definitions);
  size_t comms = 0, others = 0;
  for (uint32_t place = 0; place < definitions->group_count; place++) {
    const struct comm *comm = comms < definitions->comm_count ? &definitions->comms[comms] : NULL;
    const struct mpi_group *other =
        others < definitions->mpi_group_count ? &definitions->mpi_groups[others] : NULL;
    bool is_comm = comm && comm->place == place;
    comms += is_comm;
    if (is_comm && comm->mpi)
      definitions_write_mpi_group(definitions, w, comm, first + place);
    else if (is_comm)
      write_team(definitions, w, comm, positions, first + place);
    else if (other && ++others)
      definitions_write_mpi_ranks(definitions, w, first + place, OTF2_GROUP_TYPE_COMM_GROUP, other->ranks,
                                  other->count);
  }
}

/* Members of a team are positions in the one group of all threads; positions[location] shows which. */
static void write_groups(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  uint64_t *ids = memory_get(definitions->location_count, sizeof *ids);
  uint32_t *positions = memory_get(definitions->location_count, sizeof *positions), threads = 0;
  for (size_t i = 0; i < definitions->location_count; i++) {
    positions[i] = threads;
    if (!definitions->locations[i]->facts.device)
      ids[threads++] = i;
  }
  OTF2_GlobalDefWriter_WriteGroup(w, GROUP_LOCATIONS, string(definitions, "OpenMP"),
                                  OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE,
                                  threads, ids);
  free(ids);
  definitions_write_mpi_locations(definitions, w);
  write_member_groups(definitions, w, positions);
  free(positions);
  write_comms(definitions, w);
}

static void write_call_sites(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                             const struct call_sites *sites) {
  for (uint32_t i = 0; i < call_sites_count(sites); i++) {
    char *text = NULL;
    unsigned line = call_sites_place(sites, i, &text);
    OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, i, string(definitions, text), line);
    free(text);
  }
}

static void write_attributes(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  static const struct {
    const char *name, *description;
    OTF2_Type type;
  } rows[ATTRIBUTE_COUNT] = {
#define ATTRIBUTE(id, name, type, description) [ATTRIBUTE_##id] = {name, description, OTF2_TYPE_##type},
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  };
  for (uint32_t i = 0; i < definitions->attribute_count; i++) {
    enum attribute attribute = definitions->attributes[i];
    OTF2_GlobalDefWriter_WriteAttribute(w, i, string(definitions, rows[attribute].name),
                                        string(definitions, rows[attribute].description),
                                        rows[attribute].type);
  }
}

/* A number that was used is not the one that its region has now. */
static bool has_moved(const struct region *regions, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (regions[i].is_referred_to && regions[i].final_id != i)
      return true;
  return false;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Of any group, and of the mapping of region numbers. */
static uint64_t members_most(const struct definitions *definitions, const struct regions *regions) {
  size_t region_count;
  const struct region *all = regions_all(regions, &region_count);
  uint64_t most = larger(definitions->location_count, definitions->mpi_process.size);
  most = larger(most, has_moved(all, region_count) ? region_count : 0);
  for (size_t i = 0; i < definitions->comm_count; i++)
    most = larger(most, definitions->comms[i].count);
  for (size_t i = 0; i < definitions->mpi_group_count; i++)
    most = larger(most, definitions->mpi_groups[i].count);
  return most;
}

static void write_local(struct definitions *definitions, const struct regions *regions) {
  size_t count;
  const struct region *all = regions_all(regions, &count);
  uint32_t *mapping = NULL;
  if (has_moved(all, count)) {
    mapping = memory_get(count, sizeof *mapping);
    for (size_t i = 0; i < count; i++)
      mapping[i] = all[i].final_id;
  }
  archive_write_local(definitions->archive, mapping, (uint32_t)count);
  free(mapping);
}

void definitions_write(struct definitions *definitions, const struct regions *regions,
                       const struct contexts *contexts, const struct call_sites *sites,
                       const struct run *run) {
  if (!archive_end_events(definitions->archive, members_most(definitions, regions)))
    return;
  write_local(definitions, regions);
  OTF2_GlobalDefWriter *w = archive_global(definitions->archive);
  if (!w)
    return;
  write_clock(definitions, w, run);
  write_paradigms(definitions, w, regions);
  write_system_tree(definitions, w, run);
  write_locations(definitions, w, run);
  write_regions(definitions, w, regions);
  write_call_sites(definitions, w, sites);
  write_groups(definitions, w);
  bool has_newer_words = run->constants->config.otf2 == OTF2_WORDS_3_1;
  uint32_t device_comm = (uint32_t)definitions->comm_count;
  definitions_write_device_comm(
      definitions, w, has_newer_words ? NEWER_PARADIGM_OPENMP_TARGET : OTF2_PARADIGM_OPENACC, device_comm);
  definitions_write_windows(definitions, w, device_comm);
  definitions_write_files(definitions, w);
  definitions_write_parameters(definitions, w);
  definitions_write_metrics(definitions, w);
  definitions_write_sampling(definitions, w, regions, contexts, run);
  write_attributes(definitions, w);
  definitions->is_written = true;
}
