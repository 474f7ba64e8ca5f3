/* Windows of one-sided communication, MPI's and the one of devices, and groups that synchronize in them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "stave/names.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

uint32_t definitions_mpi_group(struct definitions *definitions, const uint32_t *ranks, uint32_t count) {
  array_reserve_zeroed(&definitions->mpi_groups, &definitions->mpi_group_capacity,
                       definitions->mpi_group_count + 1, sizeof *definitions->mpi_groups);
  struct mpi_group *group = &definitions->mpi_groups[definitions->mpi_group_count++];
  *group = (struct mpi_group){memory_get(count, sizeof *ranks), count, definitions->group_count++};
  if (count)
    memcpy(group->ranks, ranks, count * sizeof *ranks);
  journal_add_mpi_group(definitions->recovery, &count, ranks, count);
  definitions->has_mpi = true;
  return GROUP_MPI_LOCATIONS + 1 + group->place;
}

uint32_t definitions_group_count(const struct definitions *definitions) {
  return definitions_first_group(definitions) + definitions->group_count;
}

/* -- windows -- */

static struct window_definition *add(struct definitions *definitions) {
  array_reserve_zeroed(&definitions->windows, &definitions->window_capacity, definitions->window_count + 1,
                       sizeof *definitions->windows);
  return &definitions->windows[definitions->window_count++];
}

uint32_t definitions_mpi_window(struct definitions *definitions, const struct mpi_window_facts *facts) {
  add(definitions)->facts = *facts;
  journal_add_mpi_window(definitions->recovery, facts);
  return (uint32_t)definitions->window_count - 1;
}

void definitions_mpi_window_restore_name(struct definitions *definitions, uint32_t window, uint32_t name) {
  if (window < definitions->window_count)
    definitions->windows[window].name = name + 1;
}

void definitions_mpi_window_name(struct definitions *definitions, uint32_t window, const char *name) {
  const struct journal_mpi_name entry = {window, definitions_string(definitions, name)};
  definitions_mpi_window_restore_name(definitions, window, entry.name);
  journal_add_mpi_window_name(definitions->recovery, &entry);
}

void definitions_add_device_window(struct definitions *definitions) {
  add(definitions)->is_of_devices = true;
  definitions->device_window = (uint32_t)definitions->window_count - 1;
}

uint32_t definitions_device_window(const struct definitions *definitions) {
  return definitions->device_count ? definitions->device_window : DEFINITIONS_NO_WINDOW;
}

uint32_t definitions_window_count(const struct definitions *definitions) {
  return (uint32_t)definitions->window_count;
}

/* -- writing -- */

void definitions_write_windows(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                               uint32_t device_comm) {
  for (uint32_t i = 0; i < definitions->window_count; i++) {
    const struct window_definition *window = &definitions->windows[i];
    uint32_t name = window->name
                        ? window->name - 1
                        : definitions_write_string(definitions, window->is_of_devices ? "OpenMP target" : "");
    OTF2_GlobalDefWriter_WriteRmaWin(w, i, name, window->is_of_devices ? device_comm : window->facts.comm,
                                     window->facts.is_made ? OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS
                                                           : OTF2_RMA_WIN_FLAG_NONE);
  }
}

void definitions_window_properties(const struct definitions *definitions, mpi_property_setter *set,
                                   struct archive *archive) {
  char name[64], text[32];
  for (size_t i = 0; i < definitions->window_count; i++) {
    if (!definitions->windows[i].facts.key)
      continue;
    snprintf(name, sizeof name, STAVE_PROPERTY_MPI_WINDOW "%zu", i);
    snprintf(text, sizeof text, "%016" PRIx64, definitions->windows[i].facts.key);
    set(archive, name, text);
  }
}
