// Two runs beside each other: the numbers of both, and by how much the second one's differ.
import {byId, element} from './dom.js';
import {headAndTail} from './fit.js';
import {change, changeInPercent, count, duration, plural} from './format.js';
import {LETTERS} from './groups.js';
import {topRegions} from './statistics.js';

const MAX_REGIONS = 20, MIN_NS = 0.5;

// How long it is from the first to the last that these rows have in an interval.
function spanOf(rows, {from, to}) {
  const extents = rows.map(({activity}) => activity.extent).filter(Boolean);
  const first = Math.min(...extents.map(({begin}) => begin)), last = Math.max(...extents.map(({end}) => end));
  return Math.max(0, Math.min(last, to) - Math.max(first, from));
}

// What a run has in an interval, by activity and by region.
function measure(model, interval, rows) {
  const regions = topRegions(model, interval, rows, Infinity).map(line => [line.region, line]);
  return {rows: rows.length, span: spanOf(rows, interval), regions: new Map(regions),
    activities: model.times(interval.from, interval.to, rows)};
}

function largestFirst(one, other) {
  return Math.abs(other.ns[1] - other.ns[0]) - Math.abs(one.ns[1] - one.ns[0]);
}

// Lines {name, title, ns: of both}: the wall time and the activities, and regions {region, counts: of both} too, those
// that differ most first.
function compare(model, interval, rows) {
  const runs = model.sides.map((name, side) => measure(model, interval, rows.filter(row => row.side === side)));
  const wall = {name: 'wall time', title: 'From the first to the last that the interval has',
    ns: runs.map(({span}) => span)};
  const activities = model.activities.map(({name, meaning}, kind) =>
    ({name, title: meaning, ns: runs.map(run => Math.max(0, run.activities[kind]))}));
  const regions = [...new Set(runs.flatMap(run => [...run.regions.keys()]))].map(region => ({region,
    name: region?.short ?? 'merged short regions', title: region?.name ?? '',
    ns: runs.map(run => run.regions.get(region)?.ns ?? 0),
    counts: runs.map(run => run.regions.get(region)?.count ?? 0)}));
  return {rows: runs.map(run => run.rows), regions: regions.sort(largestFirst),
    lines: [wall, ...activities.filter(({ns}) => ns.some(time => time >= MIN_NS))]};
}

function timeCells(ns) {
  const [first, second] = ns;
  return [...ns.map(time => element('td', {}, duration(time))),
    element('td', {title: changeInPercent(second, first)}, change(second, first, duration))];
}

// How often, and how long each time: of both, and by how much that differs where both have it.
function eachTexts({ns, counts}) {
  const each = ns.map((time, side) => counts[side] > 0 ? time / counts[side] : null);
  return {each: each.map(time => time === null ? '' : duration(time)),
    counts: change(counts[1], counts[0], count), times: each.includes(null) ? '' : change(each[1], each[0], duration)};
}

// The same below the times: "6 × 2.00 ms".
function withEach(cells, line) {
  const {each, times} = eachTexts(line);
  const texts = each.map((text, side) => text && `${count(line.counts[side])} × ${text}`);
  for (const [i, text] of [...texts, times].entries())
    cells[i].append(element('small', {className: 'each'}, text));
  return cells;
}

function timeTexts([first, second]) {
  return [change(second, first, duration), changeInPercent(second, first)];
}

export class Sides {
  // `pick` is told of a region whose name is clicked.
  constructor(model, pick) {
    Object.assign(this, {model, pick});
    byId('sides-section').hidden = !this.areThere;
    document.body.classList.toggle('has-sides', this.areThere);
    for (const [side, name] of model.sides.entries())
      for (const cell of document.querySelectorAll(`.side-${side}`))
        Object.assign(cell, {textContent: LETTERS[side], title: name});
  }

  get areThere() {
    return this.model.sides.length > 0;
  }

  update(interval, rows) {
    if (!this.areThere)
      return;
    const {rows: many, lines, regions} = compare(this.model, interval, rows);
    byId('sides-names').replaceChildren(...this.model.sides.map((name, side) =>
      element('span', {}, element('b', {}, LETTERS[side]), ` ${name}, ${plural(many[side], 'row')}`)));
    byId('sides-activities').replaceChildren(...lines.map(({name, title, ns}) =>
      element('tr', {title}, element('td', {}, name), ...timeCells(ns))));
    byId('sides-regions').replaceChildren(...regions.slice(0, MAX_REGIONS).map(line => this.#makeRegion(line)));
  }

  #makeRegion(line) {
    const {region, name, title, counts, ns} = line, [head, tail] = headAndTail(name);
    const parts = [element('span', {className: 'head'}, head), element('span', {}, tail)];
    const shown = element(region ? 'button' : 'span', region ? {type: 'button', className: 'link',
      title: `${title}: its instances`} : {}, ...parts);
    if (region)
      shown.addEventListener('click', () => this.pick(region));
    return element('tr', {title: counts.map((many, side) => `${LETTERS[side]}: ${plural(many, 'time')}`).join(', ')},
      element('td', {}, shown), ...withEach(timeCells(ns), line));
  }

  // The same as lines of text, for people and spreadsheets.
  asText(interval, rows) {
    if (!this.areThere)
      return [];
    const {lines, regions} = compare(this.model, interval, rows), change = ['difference', 'in percent'];
    const names = this.model.sides.map((name, side) => `${LETTERS[side]}: ${name}`);
    const text = [[], ['activity', ...names, ...change],
      ...lines.map(({name, ns}) => [name, ...ns.map(duration), ...timeTexts(ns)]),
      [], ['region', ...names.flatMap(name => [`count of ${name}`, `own time of ${name}`]), ...change,
        ...names.map(name => `each of ${name}`), 'difference of each', 'difference of counts'],
      ...regions.map(line => this.#regionTexts(line))];
    return text.map(cells => cells.join('\t'));
  }

  #regionTexts({region, name, counts, ns}) {
    const {each, times, counts: more} = eachTexts({ns, counts});
    return [region?.name ?? name, ...ns.flatMap((time, side) => [count(counts[side]), duration(time)]),
      ...timeTexts(ns), ...each, times, more];
  }
}
