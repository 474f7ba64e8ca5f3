import {lowerBound, upperBound} from './bytes.js';

// Tracks at several resolutions: each level merges what the one before has, by the rule by which the page was made.

const COARSER = 4;        // from one level to the next
const ENOUGH_ITEMS = 512; // no level has fewer, but the last

// Whether item i of a level may become part of the last item of a coarser one: nothing that is as long as the
// resolution is ever merged.
export function canMerge(to, from, i) {
  const last = to.count - 1, {resolution} = to;
  return last >= 0 && to.end[last] - to.begin[last] < resolution && from.end[i] - from.begin[i] < resolution &&
    from.begin[i] - to.end[last] < resolution;
}

// The outer items with the inner ones in place of those from one time to another; what reaches into that from outside
// is cut. `make` makes room for so many, `copy` adds an item from one time to another to what it has made.
function join(outer, inner, {from, to}, {make, copy}) {
  const begin = Math.min(from, inner.begin[0] ?? from), end = Math.max(to, inner.end[inner.count - 1] ?? to);
  const joined = make(outer.count + inner.count + 1, inner.resolution);
  const before = lowerBound(outer.begin, begin, 0, outer.count);
  for (let i = 0; i < before; i++)
    copy(joined, outer, i, outer.begin[i], Math.min(outer.end[i], begin));
  for (let i = 0; i < inner.count; i++)
    copy(joined, inner, i, inner.begin[i], inner.end[i]);
  for (let i = upperBound(outer.end, end, 0, outer.count); i < outer.count; i++)
    copy(joined, outer, i, Math.max(outer.begin[i], end), outer.end[i]);
  return joined;
}

export class Levels {
  // `kind`: {decode, make, copy, coarsen}: `decode` makes the finest level of what is given to setDetail or here, the
  // last a coarser one of a level and a resolution; join has the others.
  constructor(source, kind) {
    Object.assign(this, {source, kind, made: [], detail: null});
  }

  // From one time to another there is more detail than the page has; null: no longer.
  setDetail(detail) {
    this.detail = detail;
    this.made = [];
  }

  get finest() {
    return this.made[0] ??= this.detail ? join(this.embedded, this.kind.decode(this.detail), this.detail, this.kind)
      : this.embedded;
  }

  // All that the page itself has.
  get embedded() {
    return this.loaded ??= this.kind.decode(this.source);
  }

  // The coarsest level whose resolution is at most `ns`, or the one that has few items.
  at(ns) {
    let level = 0, items = this.finest;
    for (; items.count > ENOUGH_ITEMS; items = this.made[++level]) {
      const resolution = Math.max(items.resolution, 16) * COARSER;
      if (resolution > ns)
        break;
      this.made[level + 1] ??= this.kind.coarsen(items, resolution);
    }
    return items;
  }
}
