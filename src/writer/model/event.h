/* OTF2 events as values: what correlation decides on and emission writes, immediately or once its team is
 * known. */
#ifndef STAVE_WRITER_MODEL_EVENT_H
#define STAVE_WRITER_MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct team;

enum event_kind {
  EVENT_PROGRAM_BEGIN,
  EVENT_PROGRAM_END,
  EVENT_ENTER,
  EVENT_LEAVE,
  EVENT_FORK,
  EVENT_JOIN,
  EVENT_TEAM_BEGIN,
  EVENT_TEAM_END,
  EVENT_TASK_CREATE,
  EVENT_TASK_SWITCH,
  EVENT_TASK_COMPLETE,
  EVENT_ACQUIRE_LOCK,
  EVENT_RELEASE_LOCK,
  EVENT_BUFFER_FLUSH,
  EVENT_METRIC,
  EVENT_PARAMETER,
  EVENT_RMA_GET,
  EVENT_RMA_PUT,
  EVENT_RMA_COMPLETE,
  EVENT_SAMPLE,
  EVENT_MEASUREMENT,
  EVENT_KINDS,
};

/* What MPI does: the kinds that follow. */
enum mpi_event_kind {
  EVENT_MPI_SEND = EVENT_KINDS,
  EVENT_MPI_RECV,
  EVENT_MPI_ISEND,
  EVENT_MPI_ISEND_COMPLETE,
  EVENT_MPI_IRECV_REQUEST,
  EVENT_MPI_IRECV,
  EVENT_MPI_CANCELLED,
  EVENT_MPI_COLLECTIVE_BEGIN,
  EVENT_MPI_COLLECTIVE_END,
  EVENT_MPI_COLLECTIVE_REQUEST,
  EVENT_MPI_COLLECTIVE_COMPLETE,
  EVENT_COMM_CREATE,
  EVENT_COMM_DESTROY,
  EVENT_WINDOW_CREATE,
  EVENT_WINDOW_DESTROY,
  EVENT_WINDOW_COLLECTIVE_BEGIN,
  EVENT_WINDOW_COLLECTIVE_END,
  EVENT_WINDOW_GROUP_SYNC,
  EVENT_WINDOW_REQUEST_LOCK,
  EVENT_WINDOW_RELEASE_LOCK,
  EVENT_WINDOW_SYNC,
  EVENT_WINDOW_PUT,
  EVENT_WINDOW_GET,
  EVENT_WINDOW_ATOMIC,
  EVENT_WINDOW_COMPLETE,
  EVENT_WINDOW_COMPLETE_REMOTE,
  EVENT_HANDLE_CREATE,
  EVENT_HANDLE_DESTROY,
  EVENT_FILE_DELETE,
  EVENT_IO_SEEK,
  EVENT_IO_BEGIN,
  EVENT_IO_ISSUED,
  EVENT_IO_COMPLETE,
  EVENT_IO_CANCELLED,
};

enum attribute {
  ATTRIBUTE_NONE,
#define ATTRIBUTE(id, name, type, description) ATTRIBUTE_##id,
#include "writer/model/attributes.def"
#undef ATTRIBUTE
  ATTRIBUTE_COUNT
};

/* What a kind has not is 0. The names in a union are those of the kinds; numbers represents all of its union,
 * value and value2 for theirs, where the kind does not matter. */
struct event {
  uint64_t ticks;
  struct team *team; /* of team and task events */
  union {
    uint64_t value;       /* of the attribute, as all kinds that have attributes */
    int64_t exit_status;  /* ProgramEnd */
    uint64_t end_ticks;   /* BufferFlush */
    uint64_t metric_bits; /* Metric: its value, of any type */
    uint64_t argument;    /* Parameter: its value */
    uint64_t bytes;       /* RmaGet, RmaPut; of a message; sent in a collective operation; of a file */
    uint64_t offset;      /* IoSeek */
    uint64_t measurement; /* MeasurementOnOff: OTF2_MeasurementMode */
  };
  union {
    uint64_t value2;      /* of the second attribute */
    uint64_t matching_id; /* RmaGet, RmaPut; operations in windows and on files */
    uint64_t result;      /* IoSeek */
    uint64_t request;     /* of MPI, messages */
    uint64_t received;    /* in a collective operation: bytes */
  };
  union {
    uint32_t numbers[3];
    uint32_t program;   /* ProgramBegin: the string of its name */
    uint32_t requested; /* ThreadFork: threads */
    uint32_t parameter;
    uint32_t remote; /* RmaGet, RmaPut: the location on the other side */
    struct {
      uint32_t region;     /* Enter, Leave */
      uint32_t attribute3; /* Enter: enum attribute */
      int32_t value3;      /* of it */
    };
    struct {
      uint32_t creator; /* tasks: the thread that created it, by its number in the team */
      uint32_t generation;
    };
    struct {
      uint32_t lock, order; /* of the acquisition */
    };
    struct {
      uint32_t metric, metric_type; /* OTF2_Type */
    };
    struct {
      uint32_t matching_low, matching_high; /* RmaOpCompleteBlocking: halves of the matching id */
    };
    struct {
      uint32_t mpi_comm; /* of all that MPI does */
      union {
        uint32_t peer; /* of a message: rank */
        uint32_t root;
      };
      union {
        uint32_t tag;
        uint32_t operation; /* OTF2_CollectiveOp */
      };
    };
    struct {
      uint32_t window; /* of MPI */
      uint32_t member; /* rank of the other side; or of the group */
      uint32_t detail; /* OTF2_CollectiveOp, OTF2_LockType, OTF2_RmaAtomicType, OTF2_RmaSyncLevel */
    };
    struct {
      uint32_t handle; /* or the file, of IoDeleteFile */
      uint32_t mode;   /* OTF2_IoAccessMode, OTF2_IoOperationMode, OTF2_IoSeekOption */
      uint32_t flags;  /* OTF2_IoOperationFlag; OTF2_IoCreationFlag, and in the high half OTF2_IoStatusFlag */
    };
    struct {
      uint32_t context;   /* CallingContextSample */
      uint32_t missed;    /* samples before */
      uint32_t processor; /* UINT32_MAX: unknown */
    };
  };
  union {
    uint64_t collective_request; /* MpiNonBlockingCollective... */
    uint64_t atomic_received;    /* RmaAtomic: bytes */
    uint64_t waits_for;          /* RmaOpCompleteBlocking: its third attribute; 0: none */
  };
  uint8_t kind;      /* enum event_kind, enum mpi_event_kind */
  uint8_t attribute; /* enum attribute */
  uint8_t attribute2;
  bool is_late; /* the end of a team's member: not later than the team's own end */
};

#endif
