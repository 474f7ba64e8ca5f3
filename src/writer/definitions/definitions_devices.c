/* Devices among the definitions. OTF2 3.0 has no paradigm for OpenMP's target constructs: its place is
 * OPENACC's, named after what it is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "stave/names.h"
#include "writer/definitions/definitions_write.h"
#include "writer/recovery/recovery.h"

uint32_t definitions_add_device(struct definitions *definitions, int32_t number) {
  array_reserve_zeroed(&definitions->devices, &definitions->device_capacity, definitions->device_count + 1,
                       sizeof *definitions->devices);
  definitions->devices[definitions->device_count].number = number;
  if (definitions->device_count == 0)
    definitions_add_device_window(definitions);
  journal_add_device(definitions->recovery, &number);
  return (uint32_t)++definitions->device_count;
}

static char *copy_of(const char *text) {
  return strcpy(memory_get(strlen(text) + 1, 1), text);
}

void definitions_device_property(struct definitions *definitions, uint32_t device, const char *name,
                                 const char *value) {
  struct device_definition *definition =
      device == DEFINITIONS_ALL_DEVICES ? &definitions->all_devices : &definitions->devices[device - 1];
  char *pair;
  int length = asprintf(&pair, "%s%c%s", name, '\0', value);
  if (length >= 0) {
    journal_add_device_property(definitions->recovery, &device, pair, (size_t)length);
    free(pair);
  }
  for (size_t i = 0; i < definition->property_count; i++)
    if (strcmp(definition->properties[i].name, name) == 0) {
      free(definition->properties[i].value);
      definition->properties[i].value = copy_of(value);
      return;
    }
  array_reserve_zeroed(&definition->properties, &definition->property_capacity,
                       definition->property_count + 1, sizeof *definition->properties);
  definition->properties[definition->property_count++] =
      (struct device_property){copy_of(name), copy_of(value)};
}

void definitions_devices_properties(const struct definitions *definitions,
                                    void (*set)(struct archive *archive, const char *name, const char *value),
                                    struct archive *archive) {
  char name[64];
  for (size_t i = 0; i < definitions->all_devices.property_count; i++) {
    snprintf(name, sizeof name, STAVE_PROPERTY_DEVICES "%s", definitions->all_devices.properties[i].name);
    set(archive, name, definitions->all_devices.properties[i].value);
  }
}

void definitions_device_clock(struct definitions *definitions, uint32_t device, uint64_t ticks,
                              double seconds) {
  definitions->devices[device - 1].clock_ticks = ticks;
  definitions->devices[device - 1].clock_seconds = seconds;
  const struct journal_device_clock entry = {ticks, seconds, device};
  journal_add_device_clock(definitions->recovery, &entry);
}

uint32_t definitions_parameter(struct definitions *definitions, const char *name) {
  uint32_t number = 0;
  while (number < definitions->parameter_count && strcmp(definitions->parameters[number], name) != 0)
    number++;
  if (number < definitions->parameter_count)
    return number;
  array_reserve_zeroed(&definitions->parameters, &definitions->parameter_capacity, number + 1u,
                       sizeof *definitions->parameters);
  definitions->parameters[definitions->parameter_count++] = copy_of(name);
  journal_add_parameter(definitions->recovery, name);
  return number;
}

/* -- writing -- */

/* Two ways to convert the same time: how far they are apart is how good either is. */
static void check_clock(struct definitions *definitions, uint32_t index, uint64_t frequency) {
  const struct device_definition *device = &definitions->devices[index];
  char text[128];
  if (device->clock_ticks == 0)
    return;
  double seconds = (double)device->clock_ticks / (double)frequency;
  double us = (device->clock_seconds - seconds) * 1e6;
  us = us < 0 && us > -0.05 ? 0 : us; /* -0.0 is no other deviation than +0.0 */
  snprintf(text, sizeof text, "%+.1f us after %.3f s", us, seconds);
  definitions_device_property(definitions, index + 1, "clock deviation", text);
}

/* What the host has initialised and not used has no streams. */
static bool has_locations(const struct definitions *definitions, uint32_t device) {
  for (size_t i = 0; i < definitions->location_count; i++)
    if (definitions->locations[i]->facts.device == device)
      return true;
  return false;
}

static void write_device(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint32_t index) {
  const struct device_definition *device = &definitions->devices[index];
  char name[32];
  snprintf(name, sizeof name, "Device %d", (int)device->number);
  uint32_t node = TREE_DEVICES + index, name_number = definitions_write_string(definitions, name);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(
      w, node, name_number, definitions_write_string(definitions, STAVE_CLASS_DEVICE), TREE_NODE);
  OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, node, OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE);
  for (size_t i = 0; i < device->property_count; i++) {
    OTF2_AttributeValue value = {.stringRef =
                                     definitions_write_string(definitions, device->properties[i].value)};
    uint32_t property = definitions_write_string(definitions, device->properties[i].name);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(w, node, property, OTF2_TYPE_STRING, value);
  }
  if (device->group != OTF2_UNDEFINED_LOCATION_GROUP)
    OTF2_GlobalDefWriter_WriteLocationGroup(
        w, device->group, name_number, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, node, LOCATION_GROUP_PROCESS);
}

void definitions_write_devices(struct definitions *definitions, OTF2_GlobalDefWriter *w, uint64_t frequency) {
  uint32_t next = LOCATION_GROUP_DEVICES;
  for (uint32_t i = 0; i < definitions->device_count; i++) {
    definitions->devices[i].group =
        has_locations(definitions, i + 1) ? next++ : OTF2_UNDEFINED_LOCATION_GROUP;
    check_clock(definitions, i, frequency);
    write_device(definitions, w, i);
  }
}

void definitions_write_parameters(struct definitions *definitions, OTF2_GlobalDefWriter *w) {
  for (uint32_t i = 0; i < definitions->parameter_count; i++)
    OTF2_GlobalDefWriter_WriteParameter(
        w, i, definitions_write_string(definitions, definitions->parameters[i]), OTF2_PARAMETER_TYPE_UINT64);
}

/* Everybody is a member, so that ranks are the locations' numbers. */
void definitions_write_device_comm(struct definitions *definitions, OTF2_GlobalDefWriter *w,
                                   OTF2_Paradigm paradigm, uint32_t number) {
  if (definitions->device_count == 0)
    return;
  uint32_t name = definitions_write_string(definitions, "OpenMP target"),
           count = (uint32_t)definitions->location_count;
  uint32_t base = definitions_group_count(definitions), group = base + 1;
  uint64_t *ids = memory_get(count, sizeof *ids);
  for (uint32_t i = 0; i < count; i++)
    ids[i] = i;
  OTF2_GlobalDefWriter_WriteParadigm(w, paradigm, name, OTF2_PARADIGM_CLASS_ACCELERATOR);
  OTF2_GlobalDefWriter_WriteGroup(w, base, name, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm,
                                  OTF2_GROUP_FLAG_NONE, count, ids);
  OTF2_GlobalDefWriter_WriteGroup(w, group, name, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, OTF2_GROUP_FLAG_NONE,
                                  count, ids);
  free(ids);
  OTF2_GlobalDefWriter_WriteComm(w, number, name, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
}
