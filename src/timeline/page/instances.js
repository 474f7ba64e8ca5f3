// All instances of a region: how long they were, a histogram of that, a list of the longest, the way from one to
// the next.
import {byId, element} from './dom.js';
import {count, duration, instant, plural} from './format.js';
import {factList} from './tooltip.js';

const MAX_LISTED = 100, BINS = 28;

// Calls `each` with every slice of the region that lies, at least in part, in an interval of some rows.
function eachInstance(model, region, {from, to, rows}, each) {
  for (const row of rows)
    for (const [depth, track] of row.slices.entries()) {
      const {begin, end, region: regions, merged, count: length} = track.finest;
      for (let i = track.firstFrom(from); i < length && begin[i] <= to; i++)
        if (regions[i] === region)
          each({row: row.index, depth, i, begin: begin[i], ns: end[i] - begin[i], merged: merged[i]});
    }
}

// The indices of the rows that are in the region in an interval.
export function rowsWith(model, region, {from, to}) {
  const found = new Set();
  eachInstance(model, region.index, {from, to, rows: model.rows}, ({row}) => found.add(row));
  return [...found];
}

// Lengths, ascending, and the longest instances, the longest first.
export function findInstances(model, region, scope) {
  const lengths = [];
  let merged = 0;
  eachInstance(model, region, scope, ({ns, merged: several}) => {
    if (several > 1)
      merged += several;
    else
      lengths.push(ns);
  });
  const sorted = Float64Array.from(lengths).sort(), least = sorted[Math.max(0, sorted.length - MAX_LISTED)];
  const longest = [];
  eachInstance(model, region, scope, slice => {
    if (slice.merged === 1 && slice.ns >= least)
      longest.push(slice);
  });
  longest.sort((one, other) => other.ns - one.ns || one.begin - other.begin);
  return {lengths: sorted, merged, longest: longest.slice(0, MAX_LISTED)};
}

// Counts of lengths in bins whose bounds grow by one factor: [{from, to, count}].
export function histogram(lengths) {
  const least = Math.max(1, lengths[0]), most = Math.max(least + 1, lengths.at(-1));
  const factor = (most / least) ** (1 / BINS), bins = [];
  for (let bin = 0; bin < BINS; bin++)
    bins.push({from: least * factor ** bin, to: least * factor ** (bin + 1), count: 0});
  for (const ns of lengths)
    bins[Math.min(BINS - 1, Math.max(0, Math.floor(Math.log(Math.max(ns, 1) / least) / Math.log(factor))))].count++;
  return bins;
}

export class Instances {
  // `go` shows a slice, `step` the next or previous instance, `closed` is reported.
  constructor(model, {go, closed}) {
    Object.assign(this, {model, go, closed, region: null});
  }

  // Shows those of a region; null: none. `scope`: {from, to, rows, name}.
  show(region, scope) {
    this.region = region;
    byId('region-section').hidden = !region;
    if (!region)
      return;
    this.found = findInstances(this.model, region.index, scope);
    byId('region-title').textContent = region.name;
    byId('region-facts').replaceChildren(factList(this.#facts(scope)));
    this.#drawHistogram();
    byId('instances').replaceChildren(...this.found.longest.map(slice => this.#makeLine(slice)));
  }

  #facts({name}) {
    const {lengths, merged} = this.found, sum = lengths.reduce((all, ns) => all + ns, 0);
    const facts = [['in', name], ['instances', count(lengths.length)]];
    if (lengths.length)
      facts.push(['in all', duration(sum)], ['each', `${duration(sum / lengths.length)} on average, median ` +
        duration(lengths[lengths.length >> 1])], ['from', `${duration(lengths[0])} to ${duration(lengths.at(-1))}`]);
    if (merged)
      facts.push(['besides', `${plural(merged, 'short region')}, among them such, merged in this page`]);
    return facts;
  }

  #drawHistogram() {
    const {lengths} = this.found, box = byId('histogram');
    box.hidden = lengths.length < 2;
    if (box.hidden)
      return;
    const bins = histogram(lengths), most = Math.max(...bins.map(bin => bin.count));
    box.replaceChildren(...bins.map(bin => element('span', {className: 'bin',
      title: `${duration(bin.from)} to ${duration(bin.to)}: ${plural(bin.count, 'instance')}`,
      style: `height: ${bin.count ? Math.max(6, bin.count / most * 100) : 0}%`})));
    box.setAttribute('aria-label', `Durations: ${bins.filter(bin => bin.count).map(bin =>
      `${count(bin.count)} from ${duration(bin.from)}`).join(', ')}`);
    byId('histogram-from').textContent = duration(lengths[0]);
    byId('histogram-to').textContent = duration(lengths.at(-1));
  }

  #makeLine(slice) {
    const button = element('button', {type: 'button', className: 'result'},
      element('span', {}, `${instant(slice.begin, 1000)}  ${this.model.rows[slice.row].name}`),
      element('small', {}, duration(slice.ns)));
    button.addEventListener('click', () => this.go(slice));
    return element('li', {}, button);
  }

  // Of those listed; null: there is none, or all are merged.
  get longest() {
    return this.region && (this.found.longest[0] ?? null);
  }

  goToLongest() {
    if (this.longest)
      this.go(this.longest);
  }

  close() {
    this.show(null);
    this.closed();
  }
}
