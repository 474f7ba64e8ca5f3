// When a thread did not run (preempted, blocked), or nothing was recorded of it (paused, stalled by the tracer).
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {readCondition, readMergedCondition, unpackCondition} from './tables.js';

function decode(reader, count) {
  const items = {count, begin: new Float64Array(count), end: new Float64Array(count), kind: new Uint8Array(count),
    merged: new Uint32Array(count), busy: new Float64Array(count)};
  let time = 0;
  for (let i = 0; i < count; i++) {
    const {since, length, head} = readCondition(reader), {isMerged, kind} = unpackCondition(head);
    const {count: merged, busy} = isMerged ? readMergedCondition(reader) : {count: 1, busy: length};
    items.begin[i] = time += since;
    items.end[i] = time += length;
    items.kind[i] = kind;
    items.merged[i] = merged;
    items.busy[i] = busy;
  }
  return items;
}

export class ConditionTrack {
  constructor(bytes, [offset, count]) {
    this.count = count;
    this.load = () => decode(new NumberReader(bytes, offset), count);
  }

  get items() {
    return this.loaded ??= this.load();
  }

  // Calls `each` with begin, end, kind and share of the time, of pieces in an interval; those that are closer than `ns`
  // become one.
  pieces(from, to, ns, each) {
    const {begin, end, kind, busy, count} = this.items;
    for (let i = lowerBound(end, from); i < count && begin[i] <= to;) {
      const left = begin[i], one = kind[i];
      let right = end[i], sum = busy[i];
      for (i++; i < count && kind[i] === one && begin[i] - right < ns && end[i] - begin[i] < ns; i++) {
        right = end[i];
        sum += busy[i];
      }
      each(left, right, one, right > left ? Math.min(1, sum / (right - left)) : 1);
    }
  }

  // What there is at a time: {begin, end, kind, merged, busy}, or null.
  at(time, slack) {
    const {begin, end, kind, merged, busy} = this.items, i = upperBound(begin, time + slack) - 1;
    if (i < 0 || end[i] < time - slack)
      return null;
    return {begin: begin[i], end: end[i], kind: kind[i], merged: merged[i], busy: busy[i]};
  }

  // Adds the ns of each condition in an interval.
  addTimes(from, to, sums) {
    const {begin, end, kind, busy, count} = this.items;
    for (let i = lowerBound(end, from); i < count && begin[i] < to; i++) {
      const inside = Math.min(end[i], to) - Math.max(begin[i], from);
      if (end[i] > begin[i])
        sums[kind[i]] += busy[i] * inside / (end[i] - begin[i]);
    }
  }
}
