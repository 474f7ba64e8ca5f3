/* The specification's names for OMPT's numbers (OpenMP 5.1, 4.4.4, and later ones). */
#ifndef STAVE_WRITER_DEFINITIONS_OMPT_NAMES_H
#define STAVE_WRITER_DEFINITIONS_OMPT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "writer/definitions/regions.h"

/* Details of target constructs and operations on devices, which their descriptions show in words. */
enum { TARGET_DETAIL_NOWAIT = 1, TARGET_DETAIL_NO_END = 2 };

/* ompt_task_status_t as text; "status N" for a number without a name. */
const char *ompt_task_status_name(uint32_t status);

/* ompt_thread_t as text. */
const char *ompt_thread_type_name(uint32_t type);

/* ompt_frame_flag_t as text: whose the frame is, and what its address is. */
void ompt_describe_frame(uint32_t flags, char *text, size_t size);

/* What a region's description reports the number that its construct has besides (column `detail` of
 * constructs.def). Returns false if there is nothing to report. */
bool ompt_describe_detail(enum construct construct, uint32_t number, char *text, size_t size);

#endif
