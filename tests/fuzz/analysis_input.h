/* How an input of fuzz_analysis is laid out: definitions, then events up to the end.
 *
 *   passes (bits, enum input_pass)
 *   clock: exponent of ten of the ticks in a second
 *   number of locations, and the type of each
 *   number of regions, and construct (ompt/constructs.def), role and line of each
 *   number of communicators, and of each: its parent + 1, number of members, members
 *   events: location, kind, ticks since the last one, fields as in otf2_events.h but for arrays, number of
 *     attributes, and of each: which one, value
 *
 * Each is a byte, but ticks, fields and values: below INPUT_WIDE they are a byte, INPUT_WIDE and 4 bytes,
 * INPUT_WIDEST and 8 bytes, or INPUT_UNDEFINED and INPUT_UNDEFINED64 alone. Ticks may wrap, which moves time
 * back. */
#ifndef STAVE_TESTS_ANALYSIS_INPUT_H
#define STAVE_TESTS_ANALYSIS_INPUT_H

enum { INPUT_LOCATIONS = 16, INPUT_REGIONS = 64, INPUT_COMMS = 16, INPUT_ATTRIBUTES = 3 };
enum { INPUT_WIDE = 0xf0, INPUT_WIDEST = 0xf1, INPUT_UNDEFINED = 0xfe, INPUT_UNDEFINED64 = 0xff };

enum input_pass {
  PASS_CHECK = 1,
  PASS_REPORT = 2,
  PASS_CSV = 4,
  PASS_CHROME = 8,
  PASS_DOT = 16,
  PASS_PAGE = 32,
  PASS_PICTURE = 64
};

#endif
