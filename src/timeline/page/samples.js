// Samples of threads, and which functions an interval's samples were taken in.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {byId, element} from './dom.js';
import {headAndTail} from './fit.js';
import {count, difference, percent} from './format.js';
import {readContext, readSample, unpackSample, unpackSampled} from './tables.js';

const MAX_FUNCTIONS = 12;

// The samples of a row in the order of time; contexts are numbered from 1, 0: none.
function decode(reader, length) {
  const samples = {length, time: new Float64Array(length), context: new Uint32Array(length),
    activity: new Uint8Array(length), count: new Uint32Array(length)};
  for (let i = 0, time = 0; i < length; i++) {
    const {head, what} = readSample(reader), {isMerged, since} = unpackSample(head);
    const {activity, context} = unpackSampled(what);
    samples.time[i] = time += since;
    samples.context[i] = context;
    samples.activity[i] = activity;
    samples.count[i] = isMerged ? reader.next() : 1;
  }
  return samples;
}

// Those of an interval in place of what a row has there.
function join(own, {from, to, items}) {
  const first = lowerBound(own.time, from), last = upperBound(own.time, to), all = {...own};
  items.sort((one, other) => one.time - other.time);
  for (const name of ['time', 'context', 'activity', 'count']) {
    const between = own[name].constructor.from(items, item => item[name] ?? 1);
    all[name] = new own[name].constructor([...own[name].subarray(0, first), ...between, ...own[name].subarray(last)]);
  }
  return Object.assign(all, {length: all.time.length});
}

export class SampleTrack {
  constructor(bytes, [offset, length]) {
    this.own = length;
    this.load = () => decode(new NumberReader(bytes, offset), length);
  }

  // `detail`: all samples of an interval, {from, to, items}; null: what the page has.
  setDetail(detail) {
    Object.assign(this, {detail, joined: null});
  }

  get length() {
    return this.detail ? this.all.length : this.own;
  }

  get all() {
    this.loaded ??= this.load();
    return this.detail ? this.joined ??= join(this.loaded, this.detail) : this.loaded;
  }

  // Calls `each` with the positions of an interval's samples.
  each(from, to, each) {
    const {time} = this.all;
    for (let i = lowerBound(time, from), end = upperBound(time, to); i < end; i++)
      each(i);
  }
}

// By number: the context around it, its function and the line in that.
export function decodeContexts(bytes, {contexts: [offset, length], functions}) {
  const reader = new NumberReader(bytes, offset);
  const contexts = {length: length + 1, parent: new Uint32Array(length + 1), inside: new Uint32Array(length + 1),
    line: new Uint32Array(length + 1)};
  contexts.inside[0] = functions.length; // no path is known
  for (let i = 1; i <= length; i++) {
    const context = readContext(reader);
    contexts.parent[i] = context.parent;
    contexts.inside[i] = context.function;
    contexts.line[i] = context.line;
  }
  return contexts;
}

// Which samples of a row lie in instances of a region: calls `each` with their positions.
function eachInside(row, region, {from, to}, each) {
  const isIn = new Uint8Array(row.samples.length);
  for (const {finest: {begin, end, region: regions, merged, count: length}} of row.slices)
    for (let i = lowerBound(end, from, 0, length); i < length && begin[i] <= to; i++)
      if (regions[i] === region.index && merged[i] === 1)
        row.samples.each(Math.max(from, begin[i]), Math.min(to, end[i]), at => isIn[at] = 1);
  for (let at = isIn.indexOf(1); at >= 0; at = isIn.indexOf(1, at + 1))
    each(at);
}

// How many samples were taken in each context and activity: of an interval of rows, of a region's instances in it if
// one is given. A context has model.activities.length counts.
export function countSamples(model, {from, to, rows, region = null}, hidden = new Set()) {
  const kinds = model.activities.length, counts = new Float64Array(model.contexts.length * kinds);
  for (const {samples, slices} of rows) {
    if (samples.length === 0)
      continue;
    const {context, activity, count: many} = samples.all;
    const add = i => {
      if (!hidden.has(activity[i]))
        counts[context[i] * kinds + activity[i]] += many[i];
    };
    if (region)
      eachInside({samples, slices}, region, {from, to}, add);
    else
      samples.each(from, to, add);
  }
  return counts;
}

// The functions that most samples of an interval end in: {inside, count}.
export function topFunctions(model, scope) {
  const counts = countSamples(model, scope), kinds = model.activities.length, {inside, length} = model.contexts;
  const sums = new Float64Array(model.functions.length);
  for (let i = 0; i < length; i++)
    for (let kind = 0; kind < kinds; kind++)
      sums[inside[i]] += counts[i * kinds + kind];
  const lines = [...sums].map((samples, index) => ({index, samples})).filter(({samples}) => samples > 0);
  return lines.sort((one, other) => other.samples - one.samples);
}

function sumOf(lines) {
  return lines.reduce((sum, {samples}) => sum + samples, 0);
}

// What the functions' shares are compared with: all samples of the page without these.
export function restOfSamples(model, lines) {
  const functions = model.allFunctions ??= topFunctions(model, {from: model.from, to: model.to, rows: model.rows});
  const all = new Map(functions.map(({index, samples}) => [index, samples]));
  const taken = new Map(lines.map(({index, samples}) => [index, samples]));
  return {of: index => (all.get(index) ?? 0) - (taken.get(index) ?? 0), total: sumOf(functions) - sumOf(lines)};
}

// The table beside the picture.
export function showSamples(model, {from, to}, rows, isMarked) {
  if (!model.hasSamples)
    return;
  const lines = topFunctions(model, {from, to, rows}), total = sumOf(lines);
  const rest = isMarked ? restOfSamples(model, lines) : null;
  byId('samples-section').hidden = false;
  byId('samples-title').textContent = `Samples in ${isMarked ? 'the selection' : 'it'}: ${count(total)}`;
  byId('samples-rest').hidden = !rest;
  byId('samples').replaceChildren(...lines.slice(0, MAX_FUNCTIONS).map(({index, samples}) => {
    const {name, short} = model.functions[index], [head, tail] = headAndTail(short);
    return element('tr', {title: name}, element('td', {}, element('span', {className: 'head'}, head),
      element('span', {}, tail)), element('td', {}, count(samples)), element('td', {}, percent(samples, total)),
    rest && element('td', {}, difference(samples, total, rest.of(index), rest.total)));
  }));
}

// The same as lines of text.
export function samplesAsText(model, scope) {
  const lines = topFunctions(model, scope), total = sumOf(lines), rest = restOfSamples(model, lines);
  return lines.length === 0 ? [] : ['', ['function', 'samples', 'share', 'points more than in the rest'].join('\t'),
    ...lines.map(({index, samples}) => [model.functions[index].name, count(samples), percent(samples, total),
      difference(samples, total, rest.of(index), rest.total)].join('\t'))];
}
