// What devices do: which call has submitted it, which call waits until it is done, and how busy they are.
import {NumberReader} from './bytes.js';
import {byId, element} from './dom.js';
import {duration, percent, size} from './format.js';
import {readLaunch} from './tables.js';

// In the order of the submissions: {from: {row, time}, to: {row, time}, end, waiting: {row, time} or null}.
export function decodeLaunches(bytes, {section: [offset, length]}) {
  const reader = new NumberReader(bytes, offset), all = [];
  for (let i = 0, last = 0; i < length; i++) {
    const {since, from, delay, to, length: ns, waiting, until} = readLaunch(reader);
    last += since;
    const begin = last + delay, end = begin + ns;
    all.push({from: {row: from, time: last}, to: {row: to, time: begin}, end,
      waiting: waiting > 0 ? {row: waiting - 1, time: end - until} : null});
  }
  return all;
}

// What reaches into an interval.
export function visibleLaunches(model, {from, to}) {
  return model.launches.filter(launch => launch.from.time <= to && launch.end >= from);
}

function isIn({row, begin, end}, place) {
  return place !== null && place.row === row && place.time >= begin && place.time < end;
}

// Those that a region has submitted, that it waits for, or that it is.
export function launchesOf(model, slice) {
  const {row, begin} = slice;
  if (model.rows[row].kind === 'device stream')
    return model.launches.filter(({to}) => to.row === row && to.time === begin);
  return model.launches.filter(({from, waiting}) => isIn(slice, from) || isIn(slice, waiting));
}

// The call that waits: the innermost region of its row then.
function waitOf(model, {waiting}) {
  const depth = waiting ? model.depthAt(waiting.row, waiting.time) : -1;
  return depth < 0 ? null : model.sliceBeginning(waiting.row, depth, waiting.time);
}

// What is marked together with the region that is selected: [{row, depth, begin, end}].
export function markedWith(model, slice) {
  const marked = [];
  for (const launch of launchesOf(model, slice).filter(({waiting}) => waiting)) {
    const wait = waitOf(model, launch), {to: {row, time}, end} = launch;
    const isAlone = model.rows[slice.row].kind === 'device stream' || isIn(slice, launch.waiting);
    if (wait && isAlone)
      marked.push(wait, {row, depth: model.depthAt(row, time), begin: time, end});
  }
  return marked;
}

// For the details.
export function launchFacts(model, slice) {
  const launches = launchesOf(model, slice), [first] = launches, facts = [];
  if (model.rows[slice.row].kind === 'device stream' && first) {
    const {from, to} = first;
    facts.push(['submitted', `${duration(to.time - from.time)} before, by ${model.rows[from.row].name}`]);
    if (first.waiting)
      facts.push(['waited for', `by ${model.rows[first.waiting.row].name}`]);
  }
  const awaited = launches.find(({waiting}) => isIn(slice, waiting));
  if (awaited && model.rows[slice.row].kind !== 'device stream')
    facts.push(['waits for', `an operation of ${model.rows[awaited.to.row].name}, which ended ` +
      `${duration(Math.max(0, awaited.end - slice.begin))} later`]);
  return facts;
}

// -- the table --

const deviceOf = ({name}) => name.replace(/ (?:context \d+ )?stream .*$/, '');

// Of a sorted list of intervals the time in which at least one goes on.
function unionOf(intervals, from, to) {
  let all = 0, until = from;
  for (const [begin, end] of intervals) {
    all += Math.max(0, Math.min(end, to) - Math.max(begin, until));
    until = Math.max(until, Math.min(end, to));
  }
  return all;
}

function copiesOf(model, row, from, to) {
  const sums = [{bytes: 0, ns: 0}, {bytes: 0, ns: 0}];
  for (const {begin, end, bytes, kind} of model.transfers.find(one => one.row === row.index)?.within(from, to) ?? []) {
    const inside = Math.max(0, Math.min(end, to) - Math.max(begin, from)), length = end - begin, sum = sums[kind];
    sum.ns += inside;
    sum.bytes += length > 0 ? bytes * inside / length : bytes;
  }
  return sums;
}

// {name, busy, copying, to, from}: of a stream; ns, and bytes that it copied in that time.
function measure(model, row, from, to) {
  const sums = model.times(from, to, [row]);
  const busy = model.activities.reduce((ns, {name}, kind) => ns + (name === 'device' ? sums[kind] : 0), 0);
  const copies = copiesOf(model, row, from, to);
  return {row, name: row.name, busy, copying: Math.min(busy, copies[0].ns + copies[1].ns), copies};
}

const rateOf = ({bytes, ns}) => bytes === 0 ? '' : `${size(bytes)}, ${size(bytes / ns * 1e9, 'B/s')}`;

export class Devices {
  // `pick` is called with the row whose name is clicked.
  constructor(model, pick) {
    Object.assign(this, {model, pick});
    this.rows = model.rows.filter(({kind, name}) => kind === 'device stream' && / stream /.test(name));
    byId('devices-section').hidden = this.rows.length === 0;
  }

  update({from, to}, rows) {
    const shown = this.rows.filter(row => rows.includes(row)), lines = [];
    for (const [device, streams] of Map.groupBy(shown, deviceOf)) {
      lines.push(...this.#deviceLine(device, streams, from, to));
      lines.push(...streams.map(row => this.#streamLine(measure(this.model, row, from, to), to - from)));
    }
    byId('devices').replaceChildren(...lines);
  }

  // All of its streams together, where the page has all that they did.
  #deviceLine(device, streams, from, to) {
    const {model} = this, own = new Set(streams.map(({index}) => index)), {stored, all} = model.about.launches;
    if (stored < all || streams.length < 2)
      return [];
    const intervals = model.launches.filter(({to: {row}}) => own.has(row)).map(({to: {time}, end}) => [time, end]);
    const busy = unionOf(intervals.sort((one, other) => one[0] - other[0]), from, to);
    return [element('tr', {className: 'device'}, element('td', {}, device),
      element('td', {title: duration(busy), colSpan: 2}, `${percent(busy, to - from)} busy`),
      element('td', {title: duration(to - from - busy), colSpan: 2}, `${percent(to - from - busy, to - from)} idle`))];
  }

  #streamLine({row, name, busy, copying, copies}, interval) {
    const link = element('button', {type: 'button', className: 'link', title: `${name}: to its row`}, name);
    link.addEventListener('click', () => this.pick(row.index));
    return element('tr', {}, element('td', {}, link),
      ...[busy - copying, copying].map(ns => element('td', {title: duration(ns)}, percent(ns, interval))),
      ...copies.map(sum => element('td', {title: duration(sum.ns)}, rateOf(sum))));
  }
}
