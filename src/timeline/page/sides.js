// Several runs beside each other: the numbers of each, and by how much those of the one that differs most from the
// first differ from it.
import {byId, element} from './dom.js';
import {headAndTail} from './fit.js';
import {change, changeInPercent, count, duration, plural} from './format.js';
import {LETTERS} from './groups.js';
import {topRegions} from './statistics.js';

const MAX_REGIONS = 20, MIN_NS = 0.5;
const HEAD_TITLE = 'What the one that differs most from A has more than A; regions that differ most come first';

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

// The run whose number differs most from the first one's.
function furthest([first, ...others]) {
  const far = others.map(value => Math.abs(value - first));
  return 1 + far.indexOf(Math.max(...far));
}

function largestFirst(one, other) {
  const [far, less] = [other, one].map(({ns}) => Math.abs(ns[furthest(ns)] - ns[0]));
  return far - less;
}

// Lines {name, title, ns: of each}: the wall time and the activities, and regions {region, counts: of each} too, those
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

// "C +2.00 ms": of which run it is where there are several, and by how much that one's number differs.
function changeOf(side, ns) {
  const text = change(ns[side], ns[0], duration);
  return ns.length > 2 && text !== '±0' ? `${LETTERS[side]} ${text}` : text;
}

// The same in percent, of all that differ.
function percentOfAll([first, ...others]) {
  return others.map((time, i) => [LETTERS[i + 1], changeInPercent(time, first)]).filter(([, text]) => text)
    .map(([letter, text]) => others.length > 1 ? `${letter} ${text}` : text).join(', ');
}

function timeCells(ns) {
  return [...ns.map(time => element('td', {}, duration(time))),
    element('td', {title: percentOfAll(ns)}, changeOf(furthest(ns), ns))];
}

// How often, and how long each time: of each run, and by how much that differs from the first one's where both have it,
// of the run whose time differs most.
function eachTexts({ns, counts}, side = furthest(ns)) {
  const each = ns.map((time, i) => counts[i] > 0 ? time / counts[i] : null);
  return {each: each.map(time => time === null ? '' : duration(time)), counts: change(counts[side], counts[0], count),
    times: each[0] === null || each[side] === null ? '' : change(each[side], each[0], duration)};
}

// The same below the times: "6 × 2.00 ms".
function withEach(cells, line) {
  const {each, times} = eachTexts(line);
  const texts = each.map((text, side) => text && `${count(line.counts[side])} × ${text}`);
  for (const [i, text] of [...texts, times].entries())
    cells[i].append(element('small', {className: 'each'}, text));
  return cells;
}

// Of each run but the first.
function timeTexts([first, ...others]) {
  return others.flatMap(time => [change(time, first, duration), changeInPercent(time, first)]);
}

export class Sides {
  // `pick` is reported a region whose name is clicked.
  constructor(model, pick) {
    Object.assign(this, {model, pick});
    byId('sides-section').hidden = !this.areThere;
    document.body.classList.toggle('has-sides', this.areThere);
    document.body.classList.toggle('has-many-sides', model.sides.length > 2);
    for (const line of this.areThere ? document.querySelectorAll('#sides-section thead tr') : [])
      line.append(...model.sides.map((name, side) => element('th', {scope: 'col', title: name}, LETTERS[side])),
        element('th', {scope: 'col', title: HEAD_TITLE}, model.sides.length > 2 ? 'most − A' : 'B − A'));
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
    const {lines, regions} = compare(this.model, interval, rows);
    const names = this.model.sides.map((name, side) => `${LETTERS[side]}: ${name}`), others = names.slice(1);
    const of = others.map(name => others.length > 1 ? ` of ${name}` : '');
    const change = of.flatMap(name => [`difference${name}`, `in percent${name}`]);
    const text = [[], ['activity', ...names, ...change],
      ...lines.map(({name, ns}) => [name, ...ns.map(duration), ...timeTexts(ns)]),
      [], ['region', ...names.flatMap(name => [`count of ${name}`, `own time of ${name}`]), ...change,
        ...names.map(name => `each of ${name}`),
        ...of.flatMap(name => [`difference of each${name}`, `difference of counts${name}`])],
      ...regions.map(line => this.#regionTexts(line))];
    return text.map(cells => cells.join('\t'));
  }

  #regionTexts({region, name, counts, ns}) {
    const texts = ns.slice(1).map((_, i) => eachTexts({ns, counts}, i + 1));
    return [region?.name ?? name, ...ns.flatMap((time, side) => [count(counts[side]), duration(time)]),
      ...timeTexts(ns), ...texts[0].each, ...texts.flatMap(({times, counts: more}) => [times, more])];
  }
}
