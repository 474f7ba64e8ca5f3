/* The sums over all messages and calls of MPI, which the page has for its entire interval, whatever it leaves
 * out. */
#include "timeline/page/page_traffic.h"

/* Of more the page counts what it has. */
enum { ITEMS_MAX = 1 << 14 };

static json_int_t ns(const struct page_data *data, uint64_t ticks) {
  return (json_int_t)trace_span_ns(data->timeline->trace, ticks);
}

static json_t *pairs(const struct page_data *data) {
  const struct traffic *traffic = &data->timeline->traffic;
  json_t *array = json_array();
  for (size_t i = 0; i < traffic->pair_count; i++) {
    const struct traffic_pair *pair = &traffic->pairs[i];
    json_array_append_new(array,
                          json_pack("[i,i,I,I,I,I,I]", (int)pair->from, (int)pair->to,
                                    (json_int_t)pair->messages, (json_int_t)pair->bytes,
                                    ns(data, pair->ticks), ns(data, pair->longest), ns(data, pair->wait)));
  }
  return array;
}

static json_t *site_of(uint64_t site) {
  return site == TRACE_NO_REF ? json_null() : json_integer((json_int_t)site);
}

static json_t *calls(const struct page_data *data) {
  const struct traffic *traffic = &data->timeline->traffic;
  json_t *array = json_array();
  for (size_t i = 0; i < traffic->call_count; i++) {
    const struct traffic_call *call = &traffic->calls[i];
    json_array_append_new(array, json_pack("[i,i,o,I,I,I,I]", (int)call->process,
                                           (int)data->region_positions[call->region], site_of(call->site),
                                           (json_int_t)call->count, ns(data, call->ticks),
                                           ns(data, call->wait), (json_int_t)call->bytes));
  }
  return array;
}

json_t *page_traffic(const struct page_data *data) {
  const struct traffic *traffic = &data->timeline->traffic;
  if (traffic->pair_count > ITEMS_MAX || traffic->call_count > ITEMS_MAX)
    return json_null();
  return json_pack("{s:o,s:o}", "pairs", pairs(data), "calls", calls(data));
}
