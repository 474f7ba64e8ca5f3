/* Target regions, operations on devices, and the devices themselves. All of these are rare: they have the
 * slow path only.
 *
 * A callback of the EMI form gets ids of ours, which device records carry later; in the plain form the
 * runtime's own numbers are kept, which the flag distinguishes. */
#include "tool/callback_body.h"
#include "tool/callbacks.h"

enum { PLAIN_FORM = 1, WORDS_A_SLOT = 4 };

/* Both halves as they are, so that -1 stays -1. */
static uint64_t pack_devices(int source, int destination) {
  return (uint32_t)source | (uint64_t)(uint32_t)destination << 32;
}

static uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

/* Fills the slots after a record's first. */
static void put_words(const struct new_event *event, const uint64_t *words, unsigned slots) {
  for (unsigned i = 0; i < slots; i++)
    memcpy(ring_at(&event->thread->ring, event->position + 1 + i), words + WORDS_A_SLOT * i, RECORD_BYTES);
}

/* -- target regions -- */

static bool put_target(struct new_event *event, uint32_t kind, ompt_scope_endpoint_t endpoint, uint8_t flags,
                       int device, uint64_t task, uint64_t target_task, uint64_t target,
                       const void *codeptr) {
  const uint64_t words[WORDS_A_SLOT] = {(uint64_t)(int64_t)device, task, target_task};
  if (!event_begin(SLOW, event, 2, codeptr))
    return false;
  put_words(event, words, 1);
  EVENT_PUT(event, 2, target, endpoint, flags, .target = target, .codeptr = event->code, .kind = kind);
  return true;
}

/* Another library of Stave's notes what is done for the device meanwhile. */
static void announce(uint64_t id, ompt_scope_endpoint_t endpoint) {
  void (*announced)(uint64_t, bool) = atomic_load_explicit(&tool.on_target, memory_order_acquire);
  if (announced && endpoint != OMPT_SCOPE_beginend)
    announced(id, endpoint == OMPT_SCOPE_begin);
}

/* libomp 19 gives the same target_task to every region of one thread, and a target task that task_create
 * reported has its id already: only an unused one is ours for the region's time. */
void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                   ompt_data_t *target_task, ompt_data_t *target, const void *codeptr) {
  struct new_event event;
  bool is_begin = endpoint == OMPT_SCOPE_begin;
  if (!is_begin)
    announce(id_of(target), endpoint);
  if (!put_target(&event, (uint32_t)kind, endpoint, 0, device, id_of(task), id_of(target_task),
                  is_begin ? 0 : id_of(target), codeptr)) {
    if (is_begin)
      give_id_of_dropped(SLOW, target);
    if (is_begin)
      announce(id_of(target), endpoint);
    return;
  }
  if (is_begin) {
    give_id(target, event_id(&event));
    announce(event_id(&event), endpoint);
    if (id_of(target_task) == 0)
      give_id(target_task, event_id(&event));
  } else if (endpoint == OMPT_SCOPE_end && target && id_of(target_task) == target->value) {
    give_id(target_task, 0);
  }
}

void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
               ompt_id_t target, const void *codeptr) {
  struct new_event event;
  if (endpoint != OMPT_SCOPE_begin)
    announce(target, endpoint);
  put_target(&event, (uint32_t)kind, endpoint, PLAIN_FORM, device, id_of(task), 0, target, codeptr);
  if (endpoint == OMPT_SCOPE_begin)
    announce(target, endpoint);
}

/* -- operations on data -- */

struct data_op_words {
  uint64_t source, destination, bytes, devices, host_op, target_task, unused[2];
};
_Static_assert(sizeof(struct data_op_words) == 2 * RECORD_BYTES, "the words of a target_data_op record");

static bool put_data_op(struct new_event *event, uint32_t kind, uint32_t endpoint, uint8_t flags,
                        uint64_t target, const struct data_op_words *op, const void *codeptr) {
  if (!event_begin(SLOW, event, 3, codeptr))
    return false;
  put_words(event, (const uint64_t *)op, 2);
  EVENT_PUT(event, 3, target_data_op, endpoint, flags, .target = target, .codeptr = event->code,
            .kind = kind);
  return true;
}

void on_target_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
                           ompt_id_t *host_op, ompt_target_data_op_t kind, void *source, int source_device,
                           void *destination, int destination_device, size_t bytes, const void *codeptr) {
  bool is_begin = endpoint != OMPT_SCOPE_end;
  const struct data_op_words op = {.source = address_of(source),
                                   .destination = address_of(destination),
                                   .bytes = bytes,
                                   .devices = pack_devices(source_device, destination_device),
                                   .host_op = !is_begin && host_op ? *host_op : 0,
                                   .target_task = id_of(target_task)};
  struct new_event event;
  bool is_put = put_data_op(&event, (uint32_t)kind, endpoint, 0, id_of(target), &op, codeptr);
  if (is_begin && host_op)
    *host_op = is_put ? event_id(&event) : 0;
}

void on_target_data_op(ompt_id_t target, ompt_id_t host_op, ompt_target_data_op_t kind, void *source,
                       int source_device, void *destination, int destination_device, size_t bytes,
                       const void *codeptr) {
  const struct data_op_words op = {.source = address_of(source),
                                   .destination = address_of(destination),
                                   .bytes = bytes,
                                   .devices = pack_devices(source_device, destination_device),
                                   .host_op = host_op};
  struct new_event event;
  put_data_op(&event, (uint32_t)kind, ENDPOINT_NONE, PLAIN_FORM, target, &op, codeptr);
}

/* -- kernels -- */

void on_target_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *host_op,
                          unsigned requested) {
  bool is_begin = endpoint != OMPT_SCOPE_end;
  struct new_event event;
  bool is_put = event_begin(SLOW, &event, 1, NULL);
  if (is_put)
    EVENT_PUT(&event, 1, target_submit, endpoint, 0, .target = id_of(target),
              .host_op = !is_begin && host_op ? *host_op : 0, .requested = requested);
  if (is_begin && host_op)
    *host_op = is_put ? event_id(&event) : 0;
}

void on_target_submit(ompt_id_t target, ompt_id_t host_op, unsigned requested) {
  struct new_event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, target_submit, ENDPOINT_NONE, PLAIN_FORM, .target = target, .host_op = host_op,
              .requested = requested);
}

/* -- mappings -- */

static void put_map(uint64_t target, uint8_t flags, unsigned count, void **host, void **device, size_t *bytes,
                    unsigned *mapping_flags, const void *codeptr) {
  struct new_event event;
  for (unsigned i = 0; i < count && host && device; i++) {
    if (!event_begin(SLOW, &event, 2, codeptr))
      continue;
    const uint64_t words[WORDS_A_SLOT] = {bytes ? bytes[i] : 0, target, event.code};
    put_words(&event, words, 1);
    EVENT_PUT(&event, 2, target_map, 0, flags, .host_address = address_of(host[i]),
              .device_address = address_of(device[i]), .mapping_flags = mapping_flags ? mapping_flags[i] : 0);
  }
}

void on_target_map_emi(ompt_data_t *target, unsigned count, void **host, void **device, size_t *bytes,
                       unsigned *flags, const void *codeptr) {
  put_map(id_of(target), 0, count, host, device, bytes, flags, codeptr);
}

void on_target_map(ompt_id_t target, unsigned count, void **host, void **device, size_t *bytes,
                   unsigned *flags, const void *codeptr) {
  put_map(target, PLAIN_FORM, count, host, device, bytes, flags, codeptr);
}

/* -- devices -- */

enum { TEXT_SLOTS_MAX = RECORD_SLOTS_MAX - 2, TEXT_BYTES_MAX = TEXT_SLOTS_MAX * RECORD_BYTES };

struct device_text {
  _Alignas(uint64_t) char bytes[TEXT_BYTES_MAX];
  size_t used;
};

static unsigned text_slots(const struct device_text *text) {
  return (unsigned)((text->used + RECORD_BYTES - 1) / RECORD_BYTES);
}

/* Returns how many bytes of it found room. */
static size_t text_add(struct device_text *text, const char *more) {
  size_t room = TEXT_BYTES_MAX - text->used, length = more ? strnlen(more, room) : 0;
  if (length)
    memcpy(text->bytes + text->used, more, length);
  text->used += length;
  return length;
}

void on_device_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                          const char *documentation) {
  struct device_text text = {.used = 0};
  size_t type_bytes = text_add(&text, type), documentation_bytes = text_add(&text, documentation);
  struct new_event event;
  if (event_begin(SLOW, &event, 1 + text_slots(&text), NULL)) {
    put_words(&event, (const uint64_t *)text.bytes, text_slots(&text));
    EVENT_PUT(&event, 1 + text_slots(&text), device_initialize, 0, lookup != NULL, .type_bytes = type_bytes,
              .documentation_bytes = documentation_bytes, .device = (uint32_t)device);
  }
  if (thread_self->ring.slot)
    device_trace_start(device, handle, lookup);
}

void on_device_finalize(int device) {
  device_trace_stop(device);
  struct new_event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, device_finalize, 0, 0, .device = (uint32_t)device);
}

void on_device_load(int device, const char *file, int64_t offset_in_file, void *address_in_file, size_t bytes,
                    void *host_address, void *device_address, uint64_t module) {
  struct device_text text = {.used = 0};
  text_add(&text, file);
  const uint64_t words[WORDS_A_SLOT] = {address_of(device_address), bytes, (uint64_t)offset_in_file,
                                        address_of(address_in_file)};
  unsigned slots = text_slots(&text);
  struct new_event event;
  if (!event_begin(SLOW, &event, 2 + slots, NULL))
    return;
  put_words(&event, words, 1);
  for (unsigned i = 0; i < slots; i++)
    memcpy(ring_at(&event.thread->ring, event.position + 2 + i), text.bytes + RECORD_BYTES * i, RECORD_BYTES);
  EVENT_PUT(&event, 2 + slots, device_load, slots, 0, .module = module,
            .host_address = address_of(host_address), .device = (uint32_t)device);
}

void on_device_unload(int device, uint64_t module) {
  struct new_event event;
  if (event_begin(SLOW, &event, 1, NULL))
    EVENT_PUT(&event, 1, device_unload, 0, 0, .module = module, .device = (uint32_t)device);
}
