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

export class Levels {
  // `load` makes the finest level, `coarsen` a coarser one of a level and a resolution.
  constructor(load, coarsen) {
    this.load = load;
    this.coarsen = coarsen;
    this.made = [];
  }

  // All that the page has.
  get finest() {
    return this.made[0] ??= this.load();
  }

  // The coarsest level whose resolution is at most `ns`, or the one that has few items.
  at(ns) {
    let level = 0, items = this.finest;
    for (; items.count > ENOUGH_ITEMS; items = this.made[++level]) {
      const resolution = Math.max(items.resolution, 16) * COARSER;
      if (resolution > ns)
        break;
      this.made[level + 1] ??= this.coarsen(items, resolution);
    }
    return items;
  }
}
