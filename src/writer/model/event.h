/* OTF2 events as values: what correlation decides on and emission writes, at once or once its team is
 * known. */
#ifndef STAVE_WRITER_MODEL_EVENT_H
#define STAVE_WRITER_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct team;

enum event_kind {
  EVENT_PROGRAM_BEGIN,
  EVENT_PROGRAM_END, /* value: exit status */
  EVENT_ENTER,       /* id: region, number: a third attribute, extra: its value, signed */
  EVENT_LEAVE,       /* id: region */
  EVENT_FORK,        /* number: requested threads */
  EVENT_JOIN,
  EVENT_TEAM_BEGIN,    /* team */
  EVENT_TEAM_END,      /* team */
  EVENT_TASK_CREATE,   /* team, id: creating thread, number: generation */
  EVENT_TASK_SWITCH,   /* the same */
  EVENT_TASK_COMPLETE, /* the same */
  EVENT_ACQUIRE_LOCK,  /* id: lock, number: order */
  EVENT_RELEASE_LOCK,  /* the same */
  EVENT_BUFFER_FLUSH,  /* value: stop time in ticks */
  EVENT_METRIC,        /* id: metric, value: its value, number: its OTF2_Type */
  EVENT_PARAMETER,     /* id: parameter, value: its value */
  EVENT_RMA_GET,       /* id: location on the other side, value: bytes, value2: matching id */
  EVENT_RMA_PUT,       /* the same */
  EVENT_RMA_COMPLETE,  /* id, number: low and high half of the matching id */
  EVENT_SAMPLE,        /* id: calling context, number: missed samples, extra: processor */
  EVENT_MEASUREMENT,   /* value: OTF2_MeasurementMode */
};

enum attribute {
  ATTRIBUTE_NONE,
#define ATTRIBUTE(id, name, type, description) ATTRIBUTE_##id,
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  ATTRIBUTE_COUNT
};

struct event {
  uint64_t ticks;
  struct team *team;
  uint64_t value;  /* of the attribute, or as the kind says */
  uint64_t value2; /* of the second attribute */
  uint32_t id;
  uint32_t number;
  uint8_t kind;      /* enum event_kind */
  uint8_t attribute; /* enum attribute */
  uint8_t attribute2;
  bool is_late;   /* the end of a team's member: not later than the team's own end */
  uint32_t extra; /* as the kind says */
};

#endif
