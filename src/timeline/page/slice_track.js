// What was open in one row at one depth of nesting: slices in the order of time, which do not overlap.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {Levels, canMerge} from './levels.js';
import {readAttributes, readMergedSlice, readSlice, unpackSlice} from './tables.js';

class Slices {
  constructor(capacity, resolution) {
    this.resolution = resolution;
    this.count = 0;
    this.begin = new Float64Array(capacity);
    this.end = new Float64Array(capacity);
    this.region = new Uint32Array(capacity);  // of several, the longest's
    this.activity = new Uint8Array(capacity); // the same
    this.merged = new Uint32Array(capacity);  // how many it represents
    this.busy = new Float32Array(capacity);   // ns in which one of them was open
    this.longest = new Float32Array(capacity);
  }

  add(begin, end, region, activity, merged, busy, longest) {
    const i = this.count++;
    this.activity[i] = activity;
    this.begin[i] = begin;
    this.end[i] = end;
    this.region[i] = region;
    this.merged[i] = merged;
    this.busy[i] = busy;
    this.longest[i] = longest;
  }
}

function decodeAttributes(reader) {
  const attributes = [];
  for (let {count} = readAttributes(reader); count > 0; count--)
    attributes.push([reader.next(), reader.nextBig()]);
  return attributes;
}

// Of sections one after another; `regionOf`: the page's number of what they have, where that is another.
function decode({bytes, sections, resolution, regionOf = number => number}) {
  const slices = new Slices(sections.reduce((sum, [, count]) => sum + count, 0), resolution);
  slices.attributes = new Map();
  for (const [offset, count] of sections) {
    const reader = new NumberReader(bytes, offset);
    let time = 0;
    for (let i = 0; i < count; i++) {
      const {since, length, head} = readSlice(reader);
      const {isMerged, hasAttributes, activity, region} = unpackSlice(head), begin = time + since;
      time = begin + length;
      const {count: merged, busy, longest} = isMerged ? readMergedSlice(reader)
        : {count: 1, busy: length, longest: length};
      if (hasAttributes)
        slices.attributes.set(slices.count, decodeAttributes(reader));
      slices.add(begin, time, regionOf(region), activity, merged, busy, longest);
    }
  }
  return slices;
}

function make(capacity, resolution) {
  return Object.assign(new Slices(capacity, resolution), {attributes: new Map()});
}

// A part of a slice is as busy as the total.
function copy(to, from, i, begin, end) {
  const share = from.end[i] > from.begin[i] ? (end - begin) / (from.end[i] - from.begin[i]) : 1;
  if (from.attributes.has(i))
    to.attributes.set(to.count, from.attributes.get(i));
  to.add(begin, end, from.region[i], from.activity[i], Math.ceil(from.merged[i] * share), from.busy[i] * share,
    Math.min(from.longest[i], end - begin));
}

function mergeIntoLast(to, from, i) {
  const last = to.count - 1;
  if (from.longest[i] > to.longest[last]) {
    to.longest[last] = from.longest[i];
    to.region[last] = from.region[i];
    to.activity[last] = from.activity[i];
  }
  to.end[last] = from.end[i];
  to.merged[last] += from.merged[i];
  to.busy[last] += from.busy[i];
}

// The same at a larger resolution: neighbours that are shorter become one.
function coarsen(from, resolution) {
  const to = new Slices(from.count, resolution);
  for (let i = 0; i < from.count; i++) {
    if (canMerge(to, from, i))
      mergeIntoLast(to, from, i);
    else
      to.add(from.begin[i], from.end[i], from.region[i], from.activity[i], from.merged[i], from.busy[i],
        from.longest[i]);
  }
  for (const name of ['begin', 'end', 'region', 'activity', 'merged', 'busy', 'longest'])
    to[name] = to[name].slice(0, to.count);
  return to;
}

export class SliceTrack {
  constructor(bytes, section, resolution) {
    this.levels = new Levels({bytes, sections: [section], resolution}, {decode, make, copy, coarsen});
  }

  setDetail(detail) {
    this.levels.setDetail(detail);
  }

  // All that the page has.
  get finest() {
    return this.levels.finest;
  }

  // The slices to draw where what is shorter than `ns` is too narrow.
  level(ns) {
    return this.levels.at(ns);
  }

  // The position, in the finest level, of the slice that is open at a time, or begins or ends within `slack` of it: -1
  // if there is none.
  find(time, slack) {
    const {begin, end, count} = this.finest;
    const i = upperBound(begin, time + slack, 0, count) - 1;
    return i >= 0 && end[i] >= time - slack ? i : -1;
  }

  // The position of the first slice that ends at or after a time.
  firstFrom(time) {
    const {end, count} = this.finest;
    return lowerBound(end, time, 0, count);
  }
}
