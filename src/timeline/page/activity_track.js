// What one row did over time: mixes of activities, in the order of time.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {Levels, canMerge} from './levels.js';

const CHECK_EVERY = 32; // mixes between two sums that are kept
const MOST_LOOKED_AT = 512;

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

function decode(reader, count, kinds, resolution) {
  const mixes = new Mixes(count, kinds, resolution);
  let time = 0;
  for (let i = 0; i < count; i++) {
    const begin = time + reader.next(), head = reader.next();
    const end = time = begin + reader.next();
    const at = mixes.add(begin, end);
    if (!(head & 1)) {
      mixes.parts[at + (head >> 1)] = end - begin;
      continue;
    }
    for (let kind = 0; kind < kinds; kind++)
      if (head >> (kind + 1) & 1)
        mixes.parts[at + kind] = reader.next();
  }
  return mixes;
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
    this.levels = new Levels(() => decode(new NumberReader(bytes, section[0]), section[1], kinds, resolution), coarsen);
  }

  // Adds to `sums` how long each activity took before `time`, times `sign`.
  #addBefore(time, sums, sign) {
    const mixes = this.levels.finest, {kinds, parts} = mixes;
    this.checks ??= checkpoints(mixes);
    const whole = upperBound(mixes.end, time, 0, mixes.count), check = Math.floor(whole / CHECK_EVERY);
    for (let kind = 0; kind < kinds; kind++)
      sums[kind] += sign * this.checks[check * kinds + kind];
    for (let at = check * CHECK_EVERY * kinds; at < whole * kinds; at++)
      sums[at % kinds] += sign * parts[at];
    if (whole < mixes.count && mixes.begin[whole] < time) {
      const share = (time - mixes.begin[whole]) / (mixes.end[whole] - mixes.begin[whole]);
      for (let kind = 0; kind < kinds; kind++)
        sums[kind] += sign * share * parts[whole * kinds + kind];
    }
  }

  // Adds how long each activity took from one time to another.
  addTimes(from, to, sums) {
    this.#addBefore(to, sums, 1);
    this.#addBefore(from, sums, -1);
  }

  // Whether there are mixes of several activities in an interval; those that are many are not looked at.
  hasMixed(from, to) {
    const {begin, end, parts, count, kinds, resolution} = this.levels.finest;
    const first = lowerBound(end, from, 0, count), last = lowerBound(begin, to, first, count);
    if (resolution === 0 || last - first > MOST_LOOKED_AT)
      return false;
    for (let i = first; i < last; i++)
      if (parts.subarray(i * kinds, (i + 1) * kinds).filter(ns => ns > 0).length > 1)
        return true;
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

// Spreads the mixes from one time to another over `columns` of equal width: adds ns of each activity, column by column.
export function spread(track, from, to, columns, target) {
  const width = (to - from) / columns, mixes = track.levels.at(width), {kinds} = mixes;
  let i = lowerBound(mixes.end, from, 0, mixes.count);
  for (; i < mixes.count && mixes.begin[i] < to; i++) {
    const begin = Math.max(mixes.begin[i], from), end = Math.min(mixes.end[i], to);
    const length = mixes.end[i] - mixes.begin[i];
    const first = Math.floor((begin - from) / width), last = Math.min(columns - 1, Math.floor((end - from) / width));
    for (let column = first; column <= last; column++) {
      const left = from + column * width;
      const share = (Math.min(end, left + width) - Math.max(begin, left)) / length;
      for (let kind = 0, at = i * kinds; kind < kinds; kind++, at++)
        if (mixes.parts[at] > 0)
          target[column * kinds + kind] += mixes.parts[at] * share;
    }
  }
}
