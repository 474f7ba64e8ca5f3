/* Files and the handles by which processes use them. */
#include "merge/copy.h"

static uint32_t string(const struct merge_copy *copying, OTF2_StringRef self) {
  return new_number(copying, OTF2_MAPPING_STRING, self);
}

static OTF2_CallbackCode on_io_paradigm(void *data, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                        OTF2_StringRef name, OTF2_IoParadigmClass class,
                                        OTF2_IoParadigmFlag flags, uint8_t count,
                                        const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, identification), class, flags};
  OTF2_AttributeValue copied_values[UINT8_MAX];
  uint32_t number;
  for (uint8_t i = 0; i < count; i++)
    copied_values[i] = copied_value(copying, types[i], values[i]);
  if (unified_add(&copying->merge->unified, UNIFIED_IO_PARADIGM, self, content, sizeof content, &number))
    merge_check(copying->merge, OTF2_GlobalDefWriter_WriteIoParadigm(
                                    copying->merge->writer, number, content[0], string(copying, name), class,
                                    flags, count, properties, types, copied_values));
  return OTF2_CALLBACK_SUCCESS;
}

/* A file and a directory of one name and scope differ. */
static bool copy_file(const struct merge_copy *copying, OTF2_IoFileRef self, uint32_t name, uint32_t scope,
                      bool is_directory, uint32_t *ret_number) {
  const uint32_t content[] = {name, scope, is_directory};
  return unified_add(&copying->merge->unified, OTF2_MAPPING_IO_FILE, self, content, sizeof content,
                     ret_number);
}

static OTF2_CallbackCode on_regular_file(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
                                         OTF2_SystemTreeNodeRef scope) {
  const struct merge_copy *copying = data;
  uint32_t text = string(copying, name), node = new_number(copying, UNIFIED_NODE, scope), number;
  if (copy_file(copying, self, text, node, false, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteIoRegularFile(copying->merge->writer, number, text, node));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_directory(void *data, OTF2_IoFileRef self, OTF2_StringRef name,
                                      OTF2_SystemTreeNodeRef scope) {
  const struct merge_copy *copying = data;
  uint32_t text = string(copying, name), node = new_number(copying, UNIFIED_NODE, scope), number;
  if (copy_file(copying, self, text, node, true, &number))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteIoDirectory(copying->merge->writer, number, text, node));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_file_property(void *data, OTF2_IoFileRef file, OTF2_StringRef name,
                                          OTF2_Type type, OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, OTF2_MAPPING_IO_FILE, file), string(copying, name)};
  bool is_new;
  unified_number(&copying->merge->unified, UNIFIED_FILE_FACT, content, sizeof content, &is_new);
  if (is_new)
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteIoFileProperty(copying->merge->writer, content[0], content[1], type,
                                                         copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle(void *data, OTF2_IoHandleRef self, OTF2_StringRef name,
                                   OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags,
                                   OTF2_CommRef comm, OTF2_IoHandleRef parent) {
  const struct merge_copy *copying = data;
  struct unified *unified = &copying->merge->unified;
  uint32_t number = unified_new(unified, OTF2_MAPPING_IO_HANDLE);
  unified_put(unified, OTF2_MAPPING_IO_HANDLE, self, number);
  merge_check(copying->merge, OTF2_GlobalDefWriter_WriteIoHandle(
                                  copying->merge->writer, number, string(copying, name),
                                  new_number(copying, OTF2_MAPPING_IO_FILE, file),
                                  (OTF2_IoParadigmRef)new_number(copying, UNIFIED_IO_PARADIGM, paradigm),
                                  flags, new_number(copying, OTF2_MAPPING_COMM, comm),
                                  new_number(copying, OTF2_MAPPING_IO_HANDLE, parent)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_handle_state(void *data, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                         OTF2_IoStatusFlag flags) {
  const struct merge_copy *copying = data;
  merge_check(copying->merge,
              OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
                  copying->merge->writer, new_number(copying, OTF2_MAPPING_IO_HANDLE, handle), mode, flags));
  return OTF2_CALLBACK_SUCCESS;
}

void copy_files_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
  SET(IoParadigm, on_io_paradigm);
  SET(IoRegularFile, on_regular_file);
  SET(IoDirectory, on_directory);
  SET(IoFileProperty, on_file_property);
  SET(IoHandle, on_handle);
  SET(IoPreCreatedHandleState, on_handle_state);
#undef SET
}
