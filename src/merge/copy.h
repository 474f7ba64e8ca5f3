/* The second look at each archive: its definitions become definitions of the merged one. */
#ifndef STAVE_MERGE_COPY_H
#define STAVE_MERGE_COPY_H

#include "merge/job.h"

/* Readers need what is referred to before what refers to it, and groups refer to locations of all processes:
 * so the definitions are copied in two parts. */
enum copy_part {
  COPY_PLACES, /* system tree, processes, locations */
  COPY_REST,   /* all else; the places get the numbers again that they have got before */
};

/* The source that is being copied. */
struct merge_copy {
  struct merging *merge;
  const struct merge_source *source;
  OTF2_Reader *reader;
  enum copy_part part;
  size_t index;         /* of the source */
  size_t next_location; /* of the source's, by which order they come */
  char **texts;         /* where runs are compared: the source's strings, by number; NULL: none */
  size_t text_capacity;
};

/* Adopts that part of the global definitions of the source. Returns 0 or a negative errno after
 * merge_fail. */
int copy_definitions(struct merge_copy *copying);

/* Gives a definition that is the source's alone its number. Returns whether that is new. */
bool copy_own(const struct merge_copy *copying, int kind, uint64_t self, uint32_t *ret_number);

/* The number of a text among the strings of the merged archive. */
uint32_t copy_string(struct merging *merge, const char *text);

/* What the source's number of a kind has become. */
static inline uint32_t new_number(const struct merge_copy *copying, int kind, uint64_t self) {
  return unified_get(&copying->merge->unified, kind, self);
}

/* copy_places.c: callbacks for the system tree, processes and locations, and for their properties;
 * copy_groups.c: groups, communicators and what belongs to them; copy_files.c: files; copy_facts.c: all else.
 */
void copy_places_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
void copy_properties_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
void copy_groups_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
void copy_facts_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);
void copy_files_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks);

/* The value of a property, with its string's new number. */
OTF2_AttributeValue copied_value(const struct merge_copy *copying, OTF2_Type type, OTF2_AttributeValue value);

/* The groups of all locations that participate in a paradigm, over all sources. Between the two parts. */
void copy_base_groups(struct merging *merge);

#endif
