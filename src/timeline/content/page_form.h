/* What page.def describes, for those who write it: each item and head as a struct and how it becomes bytes.
 */
#ifndef STAVE_TIMELINE_CONTENT_PAGE_FORM_H
#define STAVE_TIMELINE_CONTENT_PAGE_FORM_H

#include "timeline/content/bytes.h"

/* page.def's items and heads. */
#define ITEM(name, fields, doc)                                                                              \
  struct page_##name {                                                                                       \
    fields                                                                                                   \
  };
#define FIELD(name) uint64_t name;
#define HEAD(name, fields, doc)                                                                              \
  struct page_##name##_head {                                                                                \
    fields                                                                                                   \
  };
#define BITS(name, first, width) uint64_t name;
#include "timeline/content/page.def"
#undef BITS
#undef FIELD

#define ITEM(name, fields, doc)                                                                              \
  static inline void page_put_##name(struct bytes *bytes, const struct page_##name *item) {                  \
    fields                                                                                                   \
  }
#define FIELD(name) bytes_number(bytes, item->name);
#define HEAD(name, fields, doc)                                                                              \
  static inline uint64_t page_##name##_head(const struct page_##name##_head *head) {                         \
    return fields 0;                                                                                         \
  }
#define BITS(name, first, width) head->name << (first) |
#include "timeline/content/page.def"
#undef BITS
#undef FIELD

/* How many bits a field of a head has. */
#define HEAD(name, fields, doc)                                                                              \
  struct page_##name##_bits {                                                                                \
    fields                                                                                                   \
  };
#define BITS(name, first, width) char name[(width) + 1];
#include "timeline/content/page.def"
#undef BITS
#define PAGE_BITS(head, field) (sizeof(((struct page_##head##_bits *)0)->field) - 1)

/* From `begin` to `end`, not before `last`. */
struct page_times {
  uint64_t since, length, end;
};
static inline struct page_times page_times(uint64_t last, uint64_t begin, uint64_t end) {
  begin = begin > last ? begin : last;
  end = end > begin ? end : begin;
  return (struct page_times){begin - last, end - begin, end};
}

#endif
