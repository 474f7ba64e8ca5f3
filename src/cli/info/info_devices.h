#ifndef STAVE_CLI_INFO_INFO_DEVICES_H
#define STAVE_CLI_INFO_INFO_DEVICES_H

#include "cli/common/json.h"
#include "cli/info/info.h"

/* How many there are, which records of them came, and what is missing and why. */
void info_print_devices(const struct info *info);

/* Each, with its streams, as `location` writes them. */
typedef json_t *info_location_json(const struct info *info, size_t index);
json_t *info_devices_json(const struct info *info, info_location_json *location);

/* The rest of what info_print_devices prints. */
json_t *info_device_recording_json(const struct info *info);

#endif
