/* Definitions by their content: what two processes both define is one definition of the merged archive. */
#ifndef STAVE_MERGE_UNIFIED_H
#define STAVE_MERGE_UNIFIED_H

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of definitions. Those for which OTF2 has mapping tables come first and have its numbers. */
enum unified_kind {
  UNIFIED_NODE = OTF2_MAPPING_MAX,
  UNIFIED_NODE_FACT,
  UNIFIED_PARADIGM,
  UNIFIED_METRIC_MEMBER,
  UNIFIED_CONTEXT_FACT,
  UNIFIED_IO_PARADIGM,
  UNIFIED_FILE_FACT,
  UNIFIED_DIMENSION,
  UNIFIED_TOPOLOGY,
  UNIFIED_COORDINATE,
  UNIFIED_CALLPATH,
  UNIFIED_PROPERTY, /* names, and other texts that are no definitions */
  UNIFIED_ENDING,
  UNIFIED_HOST,
  UNIFIED_LAST_PART, /* of texts that may be paths; `self` is the string's */
  UNIFIED_KINDS
};

/* The numbers that one source's definitions of a kind have got; OTF2_UNDEFINED_UINT32: none. */
struct numbers {
  uint32_t *to;
  size_t count, capacity;
};

struct unified_entry;

/* All zero is empty. */
struct unified {
  struct unified_entry *entries;
  size_t count, capacity;                /* a power of two */
  uint32_t next[UNIFIED_KINDS];          /* the next number of each kind */
  struct numbers numbers[UNIFIED_KINDS]; /* of the source that is being read */
  uint64_t dangling;                     /* references to what the source does not define */
  size_t refused;                        /* definitions with numbers that no sound archive has */
};

/* The number of the definition of this kind with this content (`bytes` long, without padding). *ret_is_new
 * states whether it has just got it: then it is to be written. */
uint32_t unified_number(struct unified *unified, int kind, const void *content, size_t bytes,
                        bool *ret_is_new);

/* A number for a definition that is like no other. */
uint32_t unified_new(struct unified *unified, int kind);

/* Reports that the source's definition `self` has become `number`. */
void unified_put(struct unified *unified, int kind, uint64_t self, uint32_t number);

/* Both: the source's definition `self` has this content. Returns whether it is new; *ret_number is its
 * number. */
bool unified_add(struct unified *unified, int kind, uint64_t self, const void *content, size_t bytes,
                 uint32_t *ret_number);

/* What the source's number represents; OTF2_UNDEFINED_UINT32 for that, and (counted) where nothing is
 * defined. */
uint32_t unified_get(struct unified *unified, int kind, uint64_t self);

/* Forgets the numbers of a source, for the next one. */
void unified_next_source(struct unified *unified);

void unified_free(struct unified *unified);

#endif
