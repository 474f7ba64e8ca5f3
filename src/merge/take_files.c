/* Files and the handles by which processes use them. */
#include "merge/take.h"

static uint32_t string(const struct taking *taking, OTF2_StringRef self) {
  return taken(taking, OTF2_MAPPING_STRING, self);
}

static OTF2_CallbackCode on_io_paradigm(void *data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                        OTF2_StringRef name, OTF2_IoParadigmClass class,
                                        OTF2_IoParadigmFlag flags, uint8_t count,
                                        const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values) {
  const struct taking *taking = data;
  const uint32_t content[] = {string(taking, identification), class, flags};
  OTF2_AttributeValue taken_values[UINT8_MAX];
  uint32_t number;
  for (uint8_t i = 0; i < count; i++)
    taken_values[i] = taken_value(taking, types[i], values[i]);
  if (unified_take(&taking->merge->unified, UNIFIED_IO_PARADIGM, self, content, sizeof content, &number))
    merge_check(taking->merge, OTF2_GlobalDefWriter_WriteIoParadigm(taking->merge->writer, number, content[0],
                                                                    string(taking, name), class, flags, count,
                                                                    properties, types, taken_values));
  return OTF2_CALLBACK_SUCCESS;
}

/* A file and a directory of one name and scope differ. */
static bool take_file(const struct taking *taking, OTF2_IoFileRef self, uint32_t name, uint32_t scope,
                      bool is_directory, uint32_t *ret_number) {
  const uint32_t content[] = {name, scope, is_directory};
  return unified_take(&taking->merge->unified, OTF2_MAPPING_IO_FILE, self, content, sizeof content,
                      ret_number);
}

static OTF2_CallbackCode on_regular_file(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
                                         OTF2_SystemTreeNodeRef scope) {
  const struct taking *taking = data;
  uint32_t text = string(taking, name), node = taken(taking, UNIFIED_NODE, scope), number;
  if (take_file(taking, self, text, node, false, &number))
    merge_check(taking->merge,
                OTF2_GlobalDefWriter_WriteIoRegularFile(taking->merge->writer, number, text, node));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_directory(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
                                      OTF2_SystemTreeNodeRef scope) {
  const struct taking *taking = data;
  uint32_t text = string(taking, name), node = taken(taking, UNIFIED_NODE, scope), number;
  if (take_file(taking, self, text, node, true, &number))
    merge_check(taking->merge,
                OTF2_GlobalDefWriter_WriteIoDirectory(taking->merge->writer, number, text, node));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_property(void *data, OTF2_IoFileRef file, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value) {
  const struct taking *taking = data;
  const uint32_t content[] = {taken(taking, OTF2_MAPPING_IO_FILE, file), string(taking, name)};
  bool is_new;
  unified_number(&taking->merge->unified, UNIFIED_FILE_FACT, content, sizeof content, &is_new);
  if (is_new)
    merge_check(taking->merge,
                OTF2_GlobalDefWriter_WriteIoFileProperty(taking->merge->writer, content[0], content[1], type,
                                                         taken_value(taking, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                   OTF2_CommRef comm, OTF2_IoHandleRef parent) {
  const struct taking *taking = data;
  struct unified *unified = &taking->merge->unified;
  uint32_t number = unified_new(unified, OTF2_MAPPING_IO_HANDLE);
  unified_put(unified, OTF2_MAPPING_IO_HANDLE, self, number);
  merge_check(taking->merge,
              OTF2_GlobalDefWriter_WriteIoHandle(
                  taking->merge->writer, number, string(taking, name),
                  taken(taking, OTF2_MAPPING_IO_FILE, file),
                  (OTF2_IoParadigmRef)taken(taking, UNIFIED_IO_PARADIGM, paradigm), flags,
                  taken(taking, OTF2_MAPPING_COMM, comm), taken(taking, OTF2_MAPPING_IO_HANDLE, parent)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle_state(void *data, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                         OTF2_IoStatusFlag flags) {
  const struct taking *taking = data;
  merge_check(taking->merge,
              OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
                  taking->merge->writer, taken(taking, OTF2_MAPPING_IO_HANDLE, handle), mode, flags));
  return OTF2_CALLBACK_SUCCESS;
}

void take_files_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
  SET(IoParadigm, on_io_paradigm);
  SET(IoRegularFile, on_regular_file);
  SET(IoDirectory, on_directory);
  SET(IoFileProperty, on_file_property);
  SET(IoHandle, on_handle);
  SET(IoPreCreatedHandleState, on_handle_state);
#undef SET
}
