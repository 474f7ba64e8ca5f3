/* What has been taken over, by number: for all of the callbacks. */
#include <string.h>

#include "merge/take.h"

uint32_t take_string(struct merging *merge, const char *text) {
  bool is_new;
  uint32_t number = unified_number(&merge->unified, OTF2_MAPPING_STRING, text, strlen(text) + 1, &is_new);
  if (is_new)
    merge_check(merge, OTF2_GlobalDefWriter_WriteString(merge->writer, number, text));
  return number;
}

OTF2_AttributeValue taken_value(const struct taking *taking, OTF2_Type type, OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_STRING)
    value.stringRef = taken(taking, OTF2_MAPPING_STRING, value.stringRef);
  return value;
}

bool take_own(const struct taking *taking, int kind, uint64_t self, uint32_t *ret_number) {
  const uint64_t content[] = {taking->index, self};
  return unified_take(&taking->merge->unified, kind, self, content, sizeof content, ret_number);
}
