/* Definitions that state what something is, and are the same wherever they state the same. */
#include <string.h>

#include "merge/copy.h"

/* Both halves of a number. */
#define HALVES(number) (uint32_t)((uint64_t)(number) >> 32), (uint32_t)(number)

/* Gives the source's definition its number, and writes it if it is new: CALL is what OTF2_GlobalDefWriter_
 * has for it, the arguments follow the writer and the number. `content` is what it states. */
#define COPY(kind, CALL, ...)                                                                                \
  do {                                                                                                       \
    uint32_t number;                                                                                         \
    if (unified_add(&copying->merge->unified, kind, self, content, sizeof content, &number))                 \
      merge_check(copying->merge, OTF2_GlobalDefWriter_##CALL(copying->merge->writer, number, __VA_ARGS__)); \
    return OTF2_CALLBACK_SUCCESS;                                                                            \
  } while (0)

static uint32_t string(const struct merge_copy *copying, OTF2_StringRef self) {
  return new_number(copying, OTF2_MAPPING_STRING, self);
}

static bool is_first(const struct merge_copy *copying, int kind, const void *content, size_t bytes) {
  bool is_new;
  unified_number(&copying->merge->unified, kind, content, bytes, &is_new);
  return is_new;
}

static OTF2_CallbackCode on_paradigm(void *data, OTF2_Paradigm paradigm, OTF2_StringRef name,
                                     OTF2_ParadigmClass class) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {paradigm};
  if (is_first(copying, UNIFIED_PARADIGM, content, sizeof content))
    merge_check(copying->merge, OTF2_GlobalDefWriter_WriteParadigm(copying->merge->writer, paradigm,
                                                                   string(copying, name), class));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm_property(void *data, OTF2_Paradigm paradigm,
                                              OTF2_ParadigmProperty property, OTF2_Type type,
                                              OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {paradigm, property};
  if (is_first(copying, UNIFIED_PARADIGM, content, sizeof content))
    merge_check(copying->merge,
                OTF2_GlobalDefWriter_WriteParadigmProperty(copying->merge->writer, paradigm, property, type,
                                                           copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *data, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, name), string(copying, description), type};
  COPY(OTF2_MAPPING_ATTRIBUTE, WriteAttribute, content[0], content[1], type);
}

/* A text of a region. Where runs are compared, what counts of one that is a path is the last part. */
static uint32_t text_to_compare(const struct merge_copy *copying, OTF2_StringRef self) {
  return new_number(copying, copying->merge->request->sides ? UNIFIED_LAST_PART : OTF2_MAPPING_STRING, self);
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical_name, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags,
                                   OTF2_StringRef file, uint32_t begin_line, uint32_t end_line) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, name),
                              text_to_compare(copying, canonical_name),
                              string(copying, description),
                              text_to_compare(copying, file),
                              role,
                              paradigm,
                              flags,
                              begin_line,
                              end_line};
  COPY(OTF2_MAPPING_REGION, WriteRegion, content[0], string(copying, canonical_name), content[2], role,
       paradigm, flags, string(copying, file), begin_line, end_line);
}

static OTF2_CallbackCode on_callpath(void *data, OTF2_CallpathRef self, OTF2_CallpathRef parent,
                                     OTF2_RegionRef region) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, UNIFIED_CALLPATH, parent),
                              new_number(copying, OTF2_MAPPING_REGION, region)};
  COPY(UNIFIED_CALLPATH, WriteCallpath, content[0], content[1]);
}

static OTF2_CallbackCode on_source_code_location(void *data, OTF2_SourceCodeLocationRef self,
                                                 OTF2_StringRef file, uint32_t line) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, file), line};
  COPY(OTF2_MAPPING_SOURCE_CODE_LOCATION, WriteSourceCodeLocation, content[0], line);
}

static OTF2_CallbackCode on_context(void *data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef place, OTF2_CallingContextRef parent) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, OTF2_MAPPING_REGION, region),
                              new_number(copying, OTF2_MAPPING_SOURCE_CODE_LOCATION, place),
                              new_number(copying, OTF2_MAPPING_CALLING_CONTEXT, parent)};
  COPY(OTF2_MAPPING_CALLING_CONTEXT, WriteCallingContext, content[0], content[1], content[2]);
}

static OTF2_CallbackCode on_context_property(void *data, OTF2_CallingContextRef context, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {new_number(copying, OTF2_MAPPING_CALLING_CONTEXT, context),
                              string(copying, name)};
  if (is_first(copying, UNIFIED_CONTEXT_FACT, content, sizeof content))
    merge_check(copying->merge, OTF2_GlobalDefWriter_WriteCallingContextProperty(
                                    copying->merge->writer, content[0], content[1], type,
                                    copied_value(copying, type, value)));
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_interrupt_generator(void *data, OTF2_InterruptGeneratorRef self,
                                                OTF2_StringRef name, OTF2_InterruptGeneratorMode mode,
                                                OTF2_Base base, int64_t exponent, uint64_t period) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, name), mode, base, HALVES(exponent), HALVES(period)};
  COPY(OTF2_MAPPING_INTERRUPT_GENERATOR, WriteInterruptGenerator, content[0], mode, base, exponent, period);
}

static OTF2_CallbackCode on_parameter(void *data, OTF2_ParameterRef self, OTF2_StringRef name,
                                      OTF2_ParameterType type) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {string(copying, name), type};
  COPY(OTF2_MAPPING_PARAMETER, WriteParameter, content[0], type);
}

/* -- metrics -- */

static OTF2_CallbackCode on_metric_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_MetricType type,
                                          OTF2_MetricMode mode, OTF2_Type value_type, OTF2_Base base,
                                          int64_t exponent, OTF2_StringRef unit) {
  const struct merge_copy *copying = data;
  const uint32_t content[] = {
      string(copying, name), string(copying, description), type, mode, value_type, base,
      HALVES(exponent),      string(copying, unit)};
  COPY(UNIFIED_METRIC_MEMBER, WriteMetricMember, content[0], content[1], type, mode, value_type, base,
       exponent, string(copying, unit));
}

static OTF2_CallbackCode on_metric_class(void *data, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder) {
  const struct merge_copy *copying = data;
  uint32_t content[3 + UINT8_MAX] = {count, occurrence, recorder};
  for (uint8_t i = 0; i < count; i++)
    content[3 + i] = new_number(copying, UNIFIED_METRIC_MEMBER, members[i]);
  COPY(OTF2_MAPPING_METRIC, WriteMetricClass, count, content + 3, occurrence, recorder);
}

static OTF2_CallbackCode on_metric_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope_kind,
                                            uint64_t scope) {
  const struct merge_copy *copying = data;
  static const int kinds[] = {[OTF2_SCOPE_LOCATION] = OTF2_MAPPING_LOCATION,
                              [OTF2_SCOPE_LOCATION_GROUP] = OTF2_MAPPING_LOCATION_GROUP,
                              [OTF2_SCOPE_SYSTEM_TREE_NODE] = UNIFIED_NODE,
                              [OTF2_SCOPE_GROUP] = OTF2_MAPPING_GROUP};
  bool is_known = scope_kind < sizeof kinds / sizeof *kinds;
  const uint32_t content[] = {
      new_number(copying, OTF2_MAPPING_METRIC, class), new_number(copying, OTF2_MAPPING_LOCATION, recorder),
      scope_kind, is_known ? new_number(copying, kinds[scope_kind], scope) : OTF2_UNDEFINED_UINT32};
  COPY(OTF2_MAPPING_METRIC, WriteMetricInstance, content[0], content[1], scope_kind, content[3]);
}

static OTF2_CallbackCode on_metric_class_recorder(void *data, OTF2_MetricRef metric,
                                                  OTF2_LocationRef recorder) {
  const struct merge_copy *copying = data;
  merge_check(copying->merge, OTF2_GlobalDefWriter_WriteMetricClassRecorder(
                                  copying->merge->writer, new_number(copying, OTF2_MAPPING_METRIC, metric),
                                  new_number(copying, OTF2_MAPPING_LOCATION, recorder)));
  return OTF2_CALLBACK_SUCCESS;
}

void copy_facts_callbacks(OTF2_GlobalDefReaderCallbacks *callbacks) {
#define SET(name, function) OTF2_GlobalDefReaderCallbacks_Set##name##Callback(callbacks, function)
  SET(Paradigm, on_paradigm);
  SET(ParadigmProperty, on_paradigm_property);
  SET(Attribute, on_attribute);
  SET(Region, on_region);
  SET(Callpath, on_callpath);
  SET(SourceCodeLocation, on_source_code_location);
  SET(CallingContext, on_context);
  SET(CallingContextProperty, on_context_property);
  SET(InterruptGenerator, on_interrupt_generator);
  SET(Parameter, on_parameter);
  SET(MetricMember, on_metric_member);
  SET(MetricClass, on_metric_class);
  SET(MetricInstance, on_metric_instance);
  SET(MetricClassRecorder, on_metric_class_recorder);
#undef SET
}
