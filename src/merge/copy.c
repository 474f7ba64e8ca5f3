#include "merge/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

enum { TEXTS_MAX = 1 << 26 };

/* Texts are kept, for names, and numbered by their last parts, too, as if they were paths. */
static void keep_text(struct merge_copy *copying, OTF2_StringRef self, const char *text) {
  struct unified *unified = &copying->merge->unified;
  const char *slash = strrchr(text, '/'), *part = slash ? slash + 1 : text;
  bool is_new;
  if (self >= TEXTS_MAX)
    return;
  array_reserve_zeroed(&copying->texts, &copying->text_capacity, (size_t)self + 1, sizeof *copying->texts);
  free(copying->texts[self]);
  copying->texts[self] = memory_given(strdup(text));
  unified_put(unified, UNIFIED_LAST_PART, self,
              unified_number(unified, UNIFIED_LAST_PART, part, strlen(part) + 1, &is_new));
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text) {
  struct merge_copy *copying = data;
  if (copying->merge->request->sides)
    keep_text(copying, self, text ? text : "");
  unified_put(&copying->merge->unified, OTF2_MAPPING_STRING, self,
              copy_string(copying->merge, text ? text : ""));
  return OTF2_CALLBACK_SUCCESS;
}

static void free_texts(struct merge_copy *copying) {
  for (size_t i = 0; i < copying->text_capacity; i++)
    free(copying->texts[i]);
  free(copying->texts);
  copying->texts = NULL;
  copying->text_capacity = 0;
}

int copy_definitions(struct merge_copy *copying) {
  struct merging *merge = copying->merge;
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(copying->reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = memory_given(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  copy_places_callbacks(callbacks);
  if (copying->part == COPY_PLACES)
    copy_properties_callbacks(callbacks);
  if (copying->part == COPY_REST) {
    copy_groups_callbacks(callbacks);
    copy_facts_callbacks(callbacks);
    copy_files_callbacks(callbacks);
  }
  unified_next_source(&merge->unified);
  copying->next_location = 0;
  uint64_t count;
  OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
  if (definitions)
    code = OTF2_Reader_RegisterGlobalDefCallbacks(copying->reader, definitions, callbacks, copying);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadAllGlobalDefinitions(copying->reader, definitions, &count);
  if (definitions)
    OTF2_Reader_CloseGlobalDefReader(copying->reader, definitions);
  free_texts(copying);
  if (code == OTF2_SUCCESS || merge->error)
    return merge->error;
  return merge_fail(merge, EIO, "%s: the definitions cannot be read: %s", copying->source->anchor,
                    *merge->reason ? merge->reason : OTF2_Error_GetDescription(code));
}
