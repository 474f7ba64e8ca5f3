#include "merge/take.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { TEXTS_MAX = 1 << 26 };

/* Texts are kept, for names, and numbered by their last parts, too, as if they were paths. */
static void keep_text(struct taking *taking, OTF2_StringRef self, const char *text) {
  struct unified *unified = &taking->merge->unified;
  const char *slash = strrchr(text, '/'), *part = slash ? slash + 1 : text;
  bool is_new;
  if (self >= TEXTS_MAX)
    return;
  memory_grow(&taking->texts, &taking->text_capacity, (size_t)self + 1, sizeof *taking->texts);
  free(taking->texts[self]);
  taking->texts[self] = memory_given(strdup(text));
  unified_put(unified, UNIFIED_LAST_PART, self,
              unified_number(unified, UNIFIED_LAST_PART, part, strlen(part) + 1, &is_new));
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text) {
  struct taking *taking = data;
  if (taking->merge->request->sides)
    keep_text(taking, self, text ? text : "");
  unified_put(&taking->merge->unified, OTF2_MAPPING_STRING, self,
              take_string(taking->merge, text ? text : ""));
  return OTF2_CALLBACK_SUCCESS;
}

static void free_texts(struct taking *taking) {
  for (size_t i = 0; i < taking->text_capacity; i++)
    free(taking->texts[i]);
  free(taking->texts);
  taking->texts = NULL;
  taking->text_capacity = 0;
}

int take_definitions(struct taking *taking) {
  struct merging *merge = taking->merge;
  OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(taking->reader);
  OTF2_GlobalDefReaderCallbacks *callbacks = memory_given(OTF2_GlobalDefReaderCallbacks_New());
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
  take_places_callbacks(callbacks);
  if (taking->part == TAKE_PLACES)
    take_properties_callbacks(callbacks);
  if (taking->part == TAKE_REST) {
    take_groups_callbacks(callbacks);
    take_facts_callbacks(callbacks);
    take_files_callbacks(callbacks);
  }
  unified_next_source(&merge->unified);
  taking->next_location = 0;
  uint64_t count;
  OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
  if (definitions)
    code = OTF2_Reader_RegisterGlobalDefCallbacks(taking->reader, definitions, callbacks, taking);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (code == OTF2_SUCCESS)
    code = OTF2_Reader_ReadAllGlobalDefinitions(taking->reader, definitions, &count);
  if (definitions)
    OTF2_Reader_CloseGlobalDefReader(taking->reader, definitions);
  free_texts(taking);
  if (code == OTF2_SUCCESS || merge->error)
    return merge->error;
  return merge_fail(merge, EIO, "%s: the definitions cannot be read: %s", taking->source->anchor,
                    *merge->reason ? merge->reason : OTF2_Error_GetDescription(code));
}
