/* The merge of what a log has (ring_merge.h). */
#include "session/session.h"
#include "writer/pipeline/merge_sources.h"

static struct source *source_at(struct merge *merge, uint32_t slot) {
  _Atomic uint32_t *used = &merge->session->shared.slots_used;
  if (slot >= merge->slots_max)
    return NULL;
  if (slot >= merge->slots && atomic_load(used) <= slot)
    atomic_store(used, slot + 1);
  if (slot >= merge->slots)
    merge_find_new_slots(merge);
  return &merge->sources[slot];
}

/* Where the ring was given back later counts no more. */
static void begin_at(struct source *source, uint64_t position) {
  source->view.next = source->view.head = source->next = source->head = position;
  source->first_head = source->logged = position;
}

void merge_begin_loading(struct merge *merge) {
  merge->is_loading = true;
}

bool merge_load(struct merge *merge, uint32_t slot, uint64_t position, const struct record *records,
                uint64_t n) {
  struct source *source = source_at(merge, slot);
  if (!source)
    return false;
  if (!source->is_loaded)
    begin_at(source, position);
  source->is_loaded = true;
  if (source->is_damaged)
    return true;
  if (position != source->logged || backlog_put(merge->backlog, &source->chain, position, records, n) != n)
    return false;
  source->logged = source->view.next = source->view.head = source->head = position + n;
  return true;
}

/* What was there at the last mark was committed before anything that came since was looked for. */
uint64_t merge_pass_loaded(struct merge *merge) {
  uint64_t handled = merge_hand_on(merge);
  for (uint32_t slot = 0; slot < merge->slots; slot++)
    merge->sources[slot].first_head = merge->sources[slot].head;
  return handled;
}

void merge_end_loading(struct merge *merge, bool has_rings) {
  merge->is_loading = false;
  for (uint32_t slot = 0; slot < merge->slots; slot++) {
    struct source *source = &merge->sources[slot];
    source->prepared = UINT64_MAX; /* no ring grows any more */
    if (!has_rings)
      atomic_store(&source->view.slot->head, source->view.next);
  }
}
