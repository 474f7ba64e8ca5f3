#include "mpi/messages.h"

#include "mpi/comms.h"

static uint64_t peer_and_tag(int peer, int tag) {
  return (uint32_t)peer | (uint64_t)(uint32_t)tag << 32;
}

uint64_t put_message(enum message message, uint32_t comm, int peer, int tag, uint64_t bytes) {
  const struct record_mpi_message record = {.type = RECORD_mpi_message,
                                            .endpoint = (uint8_t)message,
                                            .bytes = bytes,
                                            .peer_and_tag = peer_and_tag(peer, tag),
                                            .comm = comm};
  return mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
}

void put_complete(enum message message, uint64_t request, uint32_t comm, int peer, int tag, uint64_t bytes) {
  const struct record_mpi_complete record = {.type = RECORD_mpi_complete,
                                             .more = 1,
                                             .endpoint = (uint8_t)message,
                                             .bytes = bytes,
                                             .peer_and_tag = peer_and_tag(peer, tag),
                                             .comm = comm};
  if (request)
    mpi.recorder->put((const struct record *)&record, (uint64_t[4]){request}, 0, NULL);
}

uint64_t put_collective(enum collective_moment moment, const struct request *what) {
  bool has_words = moment == COLLECTIVE_END || moment == COLLECTIVE_COMPLETE;
  const struct record_mpi_collective record = {.type = RECORD_mpi_collective,
                                               .more = has_words,
                                               .endpoint = (uint8_t)moment,
                                               .flags = (uint8_t)what->operation,
                                               .sent = what->bytes,
                                               .received = what->received,
                                               .comm = what->comm};
  if (moment == COLLECTIVE_COMPLETE && !what->id)
    return 0;
  return mpi.recorder->put((const struct record *)&record, (uint64_t[4]){what->root, what->id}, 0, NULL);
}

uint64_t put_io(enum io_moment moment, uint32_t file, uint64_t operation, uint64_t bytes, uint32_t flags) {
  const struct record_mpi_io record = {.type = RECORD_mpi_io,
                                       .endpoint = (uint8_t)moment,
                                       .flags = (uint8_t)flags,
                                       .bytes = bytes,
                                       .operation = operation,
                                       .file = file};
  return mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
}

void put_window(enum window_moment moment, uint32_t window, uint32_t remote, uint64_t what, uint32_t flags) {
  const struct record_mpi_rma_sync record = {.type = RECORD_mpi_rma_sync,
                                             .endpoint = (uint8_t)moment,
                                             .flags = (uint8_t)flags,
                                             .remote = remote,
                                             .what = what,
                                             .window = window};
  mpi.recorder->put((const struct record *)&record, NULL, 0, NULL);
}
