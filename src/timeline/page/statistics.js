// Which regions the visible interval was spent in: the time of each without that of the regions inside of it.
import {lowerBound} from './bytes.js';
import {element} from './dom.js';
import {headAndTail} from './fit.js';
import {count, difference, duration, percent} from './format.js';
import {SortHeads} from './sort_heads.js';

const MAX_REGIONS = 12, FINEST_NS_PER_VIEW = 20000;

// Adds the time of the bars of one depth to their regions, and subtracts it from the regions around them.
function addDepth(slices, outer, view, times) {
  let above = 0;
  const first = lowerBound(slices.end, view.from, 0, slices.count);
  for (let i = first; i < slices.count && slices.begin[i] <= view.to; i++) {
    const visible = Math.min(slices.end[i], view.to) - Math.max(slices.begin[i], view.from);
    const length = slices.end[i] - slices.begin[i];
    const busy = length > 0 ? Math.max(0, visible) * Math.min(1, slices.busy[i] / length) : 0;
    const time = times[slices.merged[i] > 1 ? times.length - 1 : slices.region[i]] ??= {ns: 0, count: 0};
    time.ns += busy;
    time.count += slices.merged[i];
    if (!outer)
      continue;
    while (above + 1 < outer.count && outer.begin[above + 1] <= slices.begin[i])
      above++;
    const around = times[outer.merged[above] > 1 ? times.length - 1 : outer.region[above]];
    if (around && outer.begin[above] <= slices.begin[i])
      around.ns -= busy;
  }
}

// Time and count by region in an interval of some rows; the last entry is for what was merged.
function regionTimes(model, interval, rows) {
  const times = new Array(model.regions.length + 1).fill(null);
  for (const row of rows) {
    let outer = null;
    for (const track of row.slices) {
      const slices = track.level(interval.length / FINEST_NS_PER_VIEW);
      addDepth(slices, outer, interval, times);
      outer = slices;
    }
  }
  return times;
}

// The regions with the most time: {region, or null for what was merged; ns, count}.
export function topRegions(model, interval, rows = model.rows, most = MAX_REGIONS) {
  const lines = [];
  for (const [index, time] of regionTimes(model, interval, rows).entries())
    if (time && time.ns > 0)
      lines.push({region: model.regions[index] ?? null, ...time});
  lines.sort((one, other) => other.ns - one.ns);
  return lines.slice(0, most);
}

// The same apart for each process or thread: with its name as `where`. `by`: 'all', 'process', 'thread'.
export function regionsBy(model, interval, rows, by) {
  if (by === 'all')
    return topRegions(model, interval, rows, Infinity);
  const groups = by === 'thread' ? rows.map(row => [row.name, [row]])
    : [...Map.groupBy(rows, ({process}) => process).values()].map(own => [own[0].group, own]);
  return groups.flatMap(([where, own]) => topRegions(model, interval, own, Infinity)
    .map(line => ({where, ...line})));
}

// The time of regions in the entire page without the lines given: a function of a region.
export function makeRest(model, lines) {
  model.allTimes ??= regionTimes(model, {from: model.from, to: model.to, length: model.to - model.from}, model.rows);
  const taken = new Map(lines.map(({region, ns}) => [region, ns]));
  return region => Math.max(0, (model.allTimes[region ? region.index : model.regions.length]?.ns ?? 0) -
    (taken.get(region) ?? 0));
}

function nameOf({where, region}) {
  return `${where === undefined ? '' : `${where}: `}${region?.short ?? ''}`;
}

// What columns are sorted by, the greatest first; names from A to Z.
const COLUMNS = {
  name: (one, other) => nameOf(one).localeCompare(nameOf(other)),
  count: (one, other) => other.count - one.count,
  ns: (one, other) => other.ns - one.ns,
};

export class Statistics {
  constructor(body, model, pick) {
    Object.assign(this, {body, model, pick, shown: null});
    this.heads = new SortHeads(body, COLUMNS, 'ns', () => this.update(...this.shown));
  }

  // `lines`: of all regions; `total`: ns of all rows in the interval; `rest`, where there is one: {of, total}, what to
  // compare with.
  update(lines, total, rest = null) {
    this.shown = [lines, total, rest];
    this.body.replaceChildren(...this.heads.sorted(lines).slice(0, MAX_REGIONS)
      .map(line => this.#makeLine(line, total, rest)));
  }

  #nameParts(name) {
    const [head, tail] = headAndTail(name);
    return [element('span', {className: 'head'}, head), element('span', {}, tail)];
  }

  #makeLine(line, total, rest) {
    const {region, where, ns, count: times} = line;
    const label = region && [region.name, region.description].filter(Boolean).join(', ');
    const name = region ? element('button', {type: 'button', className: 'link', title: `${label}: its instances`},
      ...this.#nameParts(nameOf(line))) : element('span', {}, `${where ? `${where}: ` : ''}merged short regions`);
    if (region)
      name.addEventListener('click', () => this.pick(region));
    return element('tr', {}, element('td', {}, name), element('td', {}, count(times)), element('td', {}, duration(ns)),
      element('td', {}, percent(ns, total)),
      rest && element('td', {}, difference(ns, total, rest.of(region), rest.total)));
  }
}
