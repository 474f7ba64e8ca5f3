#include "mpi/handles.h"

enum { CACHED = 8 };

struct cached_handle {
  const struct handles *handles;
  word handle;
  uint64_t generation;
  struct handle_item *item;
};

static _Thread_local struct cached_handle cache[CACHED] __attribute__((tls_model("initial-exec")));

static size_t place_of(word handle, size_t places) {
  return (handle >> 4 ^ handle >> 12 ^ handle) % places;
}

void handle_add(struct handles *handles, struct handle_item *item) {
  struct handle_item **place = &handles->places[place_of(item->handle, HANDLE_PLACES)];
  lock_acquire(&handles->lock);
  item->next = *place;
  *place = item;
  lock_release(&handles->lock);
}

static __attribute__((cold, noinline)) struct handle_item *look_up(struct handles *handles, word handle,
                                                                   struct cached_handle *cached) {
  lock_acquire(&handles->lock);
  struct handle_item *item = handles->places[place_of(handle, HANDLE_PLACES)];
  while (item && item->handle != handle)
    item = item->next;
  if (item)
    *cached = (struct cached_handle){handles, handle, atomic_load(&handles->generation), item};
  lock_release(&handles->lock);
  return item;
}

struct handle_item *handle_find(struct handles *handles, word handle) {
  struct cached_handle *cached = &cache[place_of(handle, CACHED)];
  if (cached->handle == handle && cached->handles == handles &&
      cached->generation == atomic_load_explicit(&handles->generation, memory_order_relaxed))
    return cached->item;
  return look_up(handles, handle, cached);
}

struct handle_item *handle_remove(struct handles *handles, word handle) {
  lock_acquire(&handles->lock);
  struct handle_item **place = &handles->places[place_of(handle, HANDLE_PLACES)];
  while (*place && (*place)->handle != handle)
    place = &(*place)->next;
  struct handle_item *item = *place;
  if (item) {
    *place = item->next;
    atomic_fetch_add(&handles->generation, 1);
  }
  lock_release(&handles->lock);
  return item;
}
