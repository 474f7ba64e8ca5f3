#include "recover/rewrite.h"

#include <string.h>

#include "recover/unwind.h"
#include "trace/trace.h"

enum { PROGRESS_EVENTS = 1 << 20 };

/* What events refer to and the journal defines. */
enum reference {
  REFERENCE_NONE,
  REFERENCE_REGION,
  REFERENCE_STRING,
  REFERENCE_CONTEXT,
  REFERENCE_PARAMETER,
  REFERENCE_METRIC, /* whatever is known has its number of values: nothing can represent it */
  REFERENCE_WINDOW,
  REFERENCE_GROUP,
  REFERENCE_HANDLE,
  REFERENCE_FILE,
  REFERENCE_CALL_SITE,
  REFERENCE_COMM,  /* a team: its members are not known */
  REFERENCE_NEVER, /* to what Stave does not define */
  REFERENCES
};

enum { FIELDS_MAX = 8 };

struct rewriter {
  struct journal *journal;
  struct location **locations;
  size_t location_count;
  uint8_t references[TRACE_KIND_COUNT][FIELDS_MAX]; /* of each field: enum reference */
  uint32_t known[REFERENCES], known_attributes;     /* how many there are */
  /* what represents the others, plus one; 0: not made yet */
  uint32_t unknown[REFERENCES];
  struct unwind *unwind;
  void (*progress)(uint64_t events);
  uint64_t read;
  bool is_over; /* a team is not known: what follows would make no sense */
  struct rewritten *result;
};

/* -- references to what is missing -- */

static uint32_t unknown_number(struct rewriter *rewriter, enum reference reference);

static uint32_t make_unknown(struct rewriter *rewriter, enum reference reference) {
  struct journal *journal = rewriter->journal;
  size_t number;
  switch (reference) {
  case REFERENCE_REGION:
    regions_all(journal->regions, &number);
    regions_restore(journal->regions, CONSTRUCT_unknown, 0, 0, 0);
    return (uint32_t)number;
  case REFERENCE_STRING:
    return definitions_string(journal->definitions, "unknown");
  case REFERENCE_CONTEXT:
    return contexts_construct(journal->contexts, CONTEXT_NONE, unknown_number(rewriter, REFERENCE_REGION));
  case REFERENCE_PARAMETER:
    return definitions_parameter(journal->definitions, "unknown");
  case REFERENCE_NONE:
  case REFERENCE_METRIC:
  case REFERENCE_WINDOW:
  case REFERENCE_GROUP:
  case REFERENCE_HANDLE:
  case REFERENCE_FILE:
  case REFERENCE_CALL_SITE:
  case REFERENCE_COMM:
  case REFERENCE_NEVER:
  case REFERENCES:
    break;
  }
  return OTF2_UNDEFINED_UINT32;
}

static uint32_t unknown_number(struct rewriter *rewriter, enum reference reference) {
  if (!rewriter->unknown[reference])
    rewriter->unknown[reference] = make_unknown(rewriter, reference) + 1;
  return rewriter->unknown[reference] - 1;
}

/* Returns false if an event with such a reference cannot stay. */
static bool mend_fields(struct rewriter *rewriter, struct trace_event *event) {
  size_t count;
  const struct trace_field *fields = trace_kind_fields(event->kind, &count);
  for (size_t i = 0; i < count && i < FIELDS_MAX; i++) {
    enum reference reference = rewriter->references[event->kind][i];
    uint32_t number = (uint32_t)trace_field_value(event, &fields[i]);
    if (reference == REFERENCE_NONE || number < rewriter->known[reference] || number == OTF2_UNDEFINED_UINT32)
      continue;
    rewriter->is_over |= reference == REFERENCE_COMM;
    if (reference >= REFERENCE_METRIC)
      return false;
    number = unknown_number(rewriter, reference);
    rewriter->result->unknown++;
    memcpy((char *)event + offsetof(struct trace_event, Enter) + fields[i].offset, &number, sizeof number);
  }
  return true;
}

/* What is after the first unknown one is left out. */
static void mend_arguments(struct rewriter *rewriter, struct trace_event *event) {
  if (event->kind != TRACE_ProgramBegin)
    return;
  for (uint32_t i = 0; i < event->ProgramBegin.count; i++)
    if (event->ProgramBegin.arguments[i] >= rewriter->known[REFERENCE_STRING]) {
      rewriter->result->unknown++;
      event->ProgramBegin.count = i;
    }
}

/* Of the types that Stave's attributes have (attributes.def). */
static enum reference reference_of_type(OTF2_Type type) {
  switch (type) {
  case OTF2_TYPE_STRING:
    return REFERENCE_STRING;
  case OTF2_TYPE_CALLING_CONTEXT:
    return REFERENCE_CONTEXT;
  case OTF2_TYPE_SOURCE_CODE_LOCATION:
    return REFERENCE_CALL_SITE;
  case OTF2_TYPE_INT64:
  case OTF2_TYPE_UINT64:
    return REFERENCE_NONE;
  }
  return REFERENCE_NEVER;
}

static void mend_attributes(struct rewriter *rewriter, struct trace_event *event) {
  for (uint32_t i = 0; i < trace_event_attribute_count(event); i++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, i);
    enum reference reference = reference_of_type(attribute.type);
    bool is_unknown = attribute.attribute >= rewriter->known_attributes ||
                      (reference != REFERENCE_NONE && attribute.number >= rewriter->known[reference]);
    if (!is_unknown)
      continue;
    rewriter->result->unknown++;
    event->attributes = NULL;
    return;
  }
}

/* -- writing -- */

/* Returns false if there are more than can be written. */
static bool read_attributes(const struct trace_event *event, struct event_attributes *ret) {
  uint32_t count = trace_event_attribute_count(event);
  if (count > EVENT_ATTRIBUTES_MAX)
    return false;
  for (ret->count = 0; ret->count < count; ret->count++) {
    struct trace_event_attribute attribute = trace_event_attribute(event, ret->count);
    ret->items[ret->count].attribute = (uint32_t)attribute.attribute;
    ret->items[ret->count].type = attribute.type;
    ret->items[ret->count].value = attribute.number;
  }
  return true;
}

static bool write_event(struct event_writer *writer, const struct trace_event *event, uint64_t ticks) {
  struct event_attributes attributes;
  if (!read_attributes(event, &attributes))
    return false;
  switch (event->kind) {
#define ARGUMENT(type, name, meaning) , fields->name
#define KIND(k)                                                                                              \
  case TRACE_##k: {                                                                                          \
    const __typeof__(event->k) *fields = &event->k;                                                          \
    (void)fields;                                                                                            \
    return event_writer_##k(writer, &attributes, ticks TRACE_FIELDS_##k(ARGUMENT));                          \
  }
    TRACE_KINDS(KIND)
#undef KIND
#undef ARGUMENT
  case TRACE_KIND_COUNT:
    break;
  }
  return false;
}

static void put(void *data, const struct trace_event *event) {
  struct rewriter *rewriter = data;
  struct location *location = rewriter->locations[event->location];
  uint64_t ticks = event->ticks < location->written_ticks ? location->written_ticks : event->ticks;
  if (!write_event(location->writer, event, ticks)) {
    rewriter->result->refused++;
    return;
  }
  if (event->kind == TRACE_Enter)
    regions_refer(rewriter->journal->regions, event->Enter.region);
  if (event->kind == TRACE_Leave) /* its Enter may be damaged */
    regions_refer(rewriter->journal->regions, event->Leave.region);
  if (location->events++ == 0)
    location->first_ticks = ticks;
  location->written_ticks = ticks;
  rewriter->result->events++;
}

static void write_mended(struct rewriter *rewriter, struct trace_event event) {
  bool is_mended = mend_fields(rewriter, &event);
  rewriter->result->after_cut += rewriter->is_over;
  if (rewriter->is_over)
    return;
  if (is_mended) {
    mend_arguments(rewriter, &event);
    mend_attributes(rewriter, &event);
    unwind_event(rewriter->unwind, &event);
    rewriter->result->end_ticks = event.ticks;
  } else {
    rewriter->result->refused++;
    unwind_skip(rewriter->unwind, (uint32_t)event.location);
  }
}

static bool rewrite_event(void *data, const struct trace_event *event) {
  struct rewriter *rewriter = data;
  if (event->location >= rewriter->location_count)
    return true;
  if (rewriter->is_over)
    rewriter->result->after_cut++;
  else
    write_mended(rewriter, *event);
  if (++rewriter->read % PROGRESS_EVENTS == 0)
    rewriter->progress(rewriter->read);
  return true;
}

static enum reference reference_of(const struct trace_field *field) {
  static const struct {
    const char *meaning;
    enum reference reference;
  } meanings[] = {{"region", REFERENCE_REGION},       {"comm", REFERENCE_COMM},
                  {"string", REFERENCE_STRING},       {"calling_context", REFERENCE_CONTEXT},
                  {"parameter", REFERENCE_PARAMETER}, {"metric", REFERENCE_METRIC},
                  {"rma_win", REFERENCE_WINDOW},      {"group", REFERENCE_GROUP},
                  {"io_handle", REFERENCE_HANDLE},    {"io_file", REFERENCE_FILE}};
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (field->bytes == sizeof(uint32_t) && !field->is_array &&
        strcmp(field->meaning, meanings[i].meaning) == 0)
      return meanings[i].reference;
  return REFERENCE_NONE;
}

static void find_references(struct rewriter *rewriter) {
  const struct journal *journal = rewriter->journal;
  size_t regions, contexts, fields;
  for (enum trace_kind kind = 0; kind < TRACE_KIND_COUNT; kind++) {
    const struct trace_field *field = trace_kind_fields(kind, &fields);
    for (size_t i = 0; i < fields && i < FIELDS_MAX; i++)
      rewriter->references[kind][i] = reference_of(&field[i]);
  }
  regions_all(journal->regions, &regions);
  contexts_all(journal->contexts, &contexts);
  rewriter->known[REFERENCE_REGION] = (uint32_t)regions;
  rewriter->known[REFERENCE_COMM] = definitions_comm_count(journal->definitions);
  rewriter->known[REFERENCE_STRING] = definitions_string_count(journal->definitions);
  rewriter->known[REFERENCE_CONTEXT] = (uint32_t)contexts;
  rewriter->known[REFERENCE_PARAMETER] = definitions_parameter_count(journal->definitions);
  rewriter->known[REFERENCE_METRIC] = definitions_metric_count(journal->definitions);
  rewriter->known[REFERENCE_WINDOW] = definitions_window_count(journal->definitions);
  rewriter->known[REFERENCE_GROUP] = definitions_group_count(journal->definitions);
  rewriter->known[REFERENCE_HANDLE] = definitions_handle_count(journal->definitions);
  rewriter->known[REFERENCE_FILE] = definitions_file_count(journal->definitions);
  rewriter->known[REFERENCE_CALL_SITE] = call_sites_count(journal->call_sites);
  rewriter->known_attributes = definitions_attribute_count(journal->definitions);
}

int rewrite(const char *anchor, struct journal *journal, const uint64_t *events, uint64_t end_ticks,
            void (*progress)(uint64_t events), struct rewritten *ret, char *error) {
  struct rewriter rewriter = {.journal = journal, .progress = progress, .result = ret};
  struct trace *trace;
  *ret = (struct rewritten){0};
  find_references(&rewriter);
  rewriter.locations = definitions_locations(journal->definitions, &rewriter.location_count);
  int result = trace_open(anchor, NULL, &trace, error);
  if (result < 0)
    return result;
  struct unwind_source source = {.definitions = journal->definitions,
                                 .regions = journal->regions,
                                 .arguments = journal->arguments,
                                 .events = events,
                                 .location_count = rewriter.location_count};
  rewriter.unwind = unwind_open(&source, put, &rewriter);
  result = trace_read_in_order(trace, 0, UINT64_MAX, rewrite_event, &rewriter, error);
  ret->end_ticks = rewriter.is_over ? ret->end_ticks : end_ticks;
  ret->added = unwind_end(rewriter.unwind, ret->end_ticks);
  ret->refused += unwind_left_out(rewriter.unwind);
  unwind_close(rewriter.unwind);
  trace_close(trace);
  return result;
}
