/* What has been copied, by number: for all of the callbacks. */
#include <string.h>

#include "merge/copy.h"

uint32_t copy_string(struct merging *merge, const char *text) {
  bool is_new;
  uint32_t number = unified_number(&merge->unified, OTF2_MAPPING_STRING, text, strlen(text) + 1, &is_new);
  if (is_new)
    merge_check(merge, OTF2_GlobalDefWriter_WriteString(merge->writer, number, text));
  return number;
}

OTF2_AttributeValue copied_value(const struct merge_copy *copying, OTF2_Type type,
                                 OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_STRING)
    value.stringRef = new_number(copying, OTF2_MAPPING_STRING, value.stringRef);
  return value;
}

bool copy_own(const struct merge_copy *copying, int kind, uint64_t self, uint32_t *ret_number) {
  const uint64_t content[] = {copying->index, self};
  return unified_add(&copying->merge->unified, kind, self, content, sizeof content, ret_number);
}
