// What one row did over time: mixes of activities, in the order of time.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {Levels, canMerge} from './levels.js';
import {readActivity, unpackActivity} from './tables.js';

const CHECK_EVERY = 32; // mixes between two sums that are kept
const MAX_LOOKED_AT = 512;

class Mixes {
  constructor(capacity, kinds, resolution) {
    this.kinds = kinds;
    this.resolution = resolution;
    this.count = 0;
    this.begin = new Float64Array(capacity);
    this.end = new Float64Array(capacity);
    this.parts = new Float32Array(capacity * kinds); // ns of each activity
  }

  add(begin, end) {
    this.begin[this.count] = begin;
    this.end[this.count] = end;
    return this.kinds * this.count++;
  }
}

// Of sections one after another.
function decode({bytes, sections, resolution}, kinds) {
  const mixes = new Mixes(sections.reduce((sum, [, count]) => sum + count, 0), kinds, resolution);
  for (const [offset, count] of sections) {
    const reader = new NumberReader(bytes, offset);
    let time = 0;
    for (let i = 0; i < count; i++) {
      const {since, head, length} = readActivity(reader), {isMixed, kinds: mask} = unpackActivity(head);
      const begin = time + since, end = time = begin + length, at = mixes.add(begin, end);
      if (!isMixed) {
        mixes.parts[at + mask] = end - begin;
        continue;
      }
      for (let kind = 0; kind < kinds; kind++)
        if (mask >> kind & 1)
          mixes.parts[at + kind] = reader.next();
    }
  }
  return mixes;
}

// A part of a mix is as the total.
function copy(to, from, i, begin, end) {
  const {kinds} = from, share = from.end[i] > from.begin[i] ? (end - begin) / (from.end[i] - from.begin[i]) : 1;
  const at = to.add(begin, end);
  for (let kind = 0; kind < kinds; kind++)
    to.parts[at + kind] = from.parts[kinds * i + kind] * share;
}

// The same at a larger resolution: neighbours that are shorter become one.
function coarsen(from, resolution) {
  const to = new Mixes(from.count, from.kinds, resolution), {kinds} = from;
  for (let i = 0; i < from.count; i++) {
    let at;
    if (canMerge(to, from, i)) {
      at = kinds * (to.count - 1);
      to.end[to.count - 1] = from.end[i];
    } else {
      at = to.add(from.begin[i], from.end[i]);
    }
    for (let kind = 0; kind < kinds; kind++)
      to.parts[at + kind] += from.parts[kinds * i + kind];
  }
  to.begin = to.begin.slice(0, to.count);
  to.end = to.end.slice(0, to.count);
  to.parts = to.parts.slice(0, to.count * kinds);
  return to;
}

function checkpoints(mixes) {
  const {kinds} = mixes, sums = new Float64Array(kinds * (Math.floor(mixes.count / CHECK_EVERY) + 1));
  const running = new Float64Array(kinds);
  for (let i = 0; i < mixes.count; i++) {
    if (i % CHECK_EVERY === 0)
      sums.set(running, kinds * i / CHECK_EVERY);
    for (let kind = 0; kind < kinds; kind++)
      running[kind] += mixes.parts[kinds * i + kind];
  }
  if (mixes.count % CHECK_EVERY === 0)
    sums.set(running, kinds * mixes.count / CHECK_EVERY);
  return sums;
}

export class ActivityTrack {
  constructor(bytes, section, kinds, resolution) {
    this.levels = new Levels({bytes, sections: [section], resolution}, {coarsen, copy,
      decode: source => decode(source, kinds), make: (capacity, ns) => new Mixes(capacity, kinds, ns)});
  }

  setDetail(detail) {
    this.levels.setDetail(detail);
    this.checks = null;
  }

  // Adds to `sums` the duration of each activity before `time`, times `sign`.
  #addBefore(time, sums, sign) {
    const mixes = this.levels.finest, {kinds, parts} = mixes;
    this.checks ??= checkpoints(mixes);
    const complete = upperBound(mixes.end, time, 0, mixes.count), check = Math.floor(complete / CHECK_EVERY);
    for (let kind = 0; kind < kinds; kind++)
      sums[kind] += sign * this.checks[check * kinds + kind];
    for (let at = check * CHECK_EVERY * kinds; at < complete * kinds; at++)
      sums[at % kinds] += sign * parts[at];
    if (complete < mixes.count && mixes.begin[complete] < time) {
      const share = (time - mixes.begin[complete]) / (mixes.end[complete] - mixes.begin[complete]);
      for (let kind = 0; kind < kinds; kind++)
        sums[kind] += sign * share * parts[complete * kinds + kind];
    }
  }

  // From the first to the last that it has: {begin, end}, or null.
  get extent() {
    const {begin, end, count} = this.levels.finest;
    return count > 0 ? {begin: begin[0], end: end[count - 1]} : null;
  }

  // Adds the duration of each activity from one time to another.
  addTimes(from, to, sums) {
    this.#addBefore(to, sums, 1);
    this.#addBefore(from, sums, -1);
  }

  // Whether there are mixes of several activities in an interval; those that are many are not looked at.
  hasMixed(from, to) {
    const {begin, end, parts, count, kinds, resolution} = this.levels.finest;
    const first = lowerBound(end, from, 0, count), last = lowerBound(begin, to, first, count);
    if (resolution === 0 || last - first > MAX_LOOKED_AT)
      return false;
    for (let i = first; i < last; i++) {
      let several = -1;
      for (let at = i * kinds; at < (i + 1) * kinds; at++)
        several += parts[at] > 0;
      if (several > 0)
        return true;
    }
    return false;
  }

  // The mix at a time: {begin, end, parts}, or null.
  at(time) {
    const mixes = this.levels.finest, i = upperBound(mixes.begin, time, 0, mixes.count) - 1;
    if (i < 0 || mixes.end[i] < time)
      return null;
    return {begin: mixes.begin[i], end: mixes.end[i],
      parts: mixes.parts.subarray(i * mixes.kinds, (i + 1) * mixes.kinds)};
  }
}

// By mix: the only activity, if it lasted the entire time; NONE otherwise.
const NONE = 255, ALL = 1 - 1e-6; // ALL: as far as 32 bits show

function findOnly({begin, end, parts, count, kinds}) {
  const only = new Uint8Array(count).fill(NONE);
  for (let i = 0; i < count; i++)
    for (let kind = 0, at = i * kinds; kind < kinds; kind++, at++)
      if (parts[at] > 0) {
        only[i] = parts[at] >= (end[i] - begin[i]) * ALL ? kind : NONE;
        break;
      }
  return only;
}

// Spreads the mixes from one time to another over `columns` of equal width: adds ns of each activity, activity by
// activity, column by column, to `target`, and to `present` the bits of the activities.
export function spread(track, from, to, columns, target, present) {
  const width = (to - from) / columns, mixes = track.levels.at(width), {begin, end} = mixes;
  mixes.only ??= findOnly(mixes);
  let i = lowerBound(end, from, 0, mixes.count);
  for (; i < mixes.count && begin[i] < to; i++) {
    const first = (Math.max(begin[i], from) - from) / width, last = (Math.min(end[i], to) - from) / width;
    const kind = mixes.only[i];
    if (kind !== NONE)
      addActivity(kind, first, last, width, columns, target, present);
    else
      addMix(mixes, i, first, last, columns, target, present, width);
  }
}

// One activity from one place to another; places are in columns.
function addActivity(kind, from, to, ns, columns, target, present) {
  const first = Math.floor(from), last = Math.min(columns - 1, Math.floor(to)), base = kind * columns, bit = 1 << kind;
  if (first >= last) {
    target[base + last] += (to - from) * ns;
    present[last] |= bit;
    return;
  }
  target[base + first] += (first + 1 - from) * ns;
  present[first] |= bit;
  for (let column = first + 1; column < last; column++) {
    target[base + column] += ns;
    present[column] |= bit;
  }
  if (to > last) {
    target[base + last] += (to - last) * ns;
    present[last] |= bit;
  }
}

// Each activity of a mix is as if evenly spread over it.
function addMix({begin, end, parts, kinds}, i, from, to, columns, target, present, width) {
  for (let kind = 0, at = i * kinds; kind < kinds; kind++, at++)
    if (parts[at] > 0)
      addActivity(kind, from, to, parts[at] / (end[i] - begin[i]) * width, columns, target, present);
}
