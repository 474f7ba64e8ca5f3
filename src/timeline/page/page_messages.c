/* Messages and collective operations of MPI, for the page. */
#include "timeline/page/page_data.h"

/* A region that no other one is at the same place as: "none" is after all. */
static uint32_t region_of(const struct page_data *data, uint32_t region) {
  return region < data->timeline->trace->region_count ? data->region_positions[region] : data->region_count;
}

static uint64_t put_message(struct page_data *data, const struct message_record *message, uint64_t last) {
  uint64_t begin = page_ns(data, message->begin), end = page_ns(data, message->end);
  page_put_message(&data->bytes, &(struct page_message){.since = begin > last ? begin - last : 0,
                                                        .length = end > begin ? end - begin : 0,
                                                        .from = data->timeline->positions[message->from],
                                                        .to = data->timeline->positions[message->to],
                                                        .bytes = message->bytes,
                                                        .tag = message->tag});
  return begin > last ? begin : last;
}

static uint64_t put_operation(struct page_data *data, const struct operation_record *operation,
                              uint64_t last) {
  struct bytes *bytes = &data->bytes;
  uint64_t begin = page_ns(data, operation->begin);
  begin = begin > last ? begin : last;
  page_put_operation(bytes, &(struct page_operation){begin - last, region_of(data, operation->region),
                                                     operation->part_count});
  for (size_t i = 0; i < operation->part_count; i++) {
    const struct operation_part *part = &operation->parts[i];
    uint64_t from = page_ns(data, part->begin), to = page_ns(data, part->end);
    page_put_part(bytes, &(struct page_part){data->timeline->positions[part->location],
                                             from > begin ? from - begin : 0, to > from ? to - from : 0});
  }
  return begin;
}

void page_encode_messages(struct page_data *data) {
  const struct message_table *table = &data->timeline->messages;
  uint64_t last = 0;
  data->messages = (struct page_section){data->bytes.count, table->message_count};
  for (size_t i = 0; i < table->message_count; i++)
    last = put_message(data, &table->messages[i], last);
  data->operations = (struct page_section){data->bytes.count, table->operation_count};
  last = 0;
  for (size_t i = 0; i < table->operation_count; i++)
    last = put_operation(data, &table->operations[i], last);
}
