// Transfers to and from a device, one-sided operations of MPI: bars below the row, those that get above those that put.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {byId, element} from './dom.js';
import {count, duration, instant, plural, size} from './format.js';
import {COUNTER} from './layout.js';
import {TRANSFERS, readTransfer} from './tables.js';

const INSET = 3, LABEL_FROM = 40; // pixels

// What one row has, in the order of their begins. It has a line below the row, as counters have.
export class Transfers {
  constructor(row, kind) {
    Object.assign(this, {row, names: TRANSFERS[kind === 'thread' ? 'thread' : 'device'], all: [], longest: 0});
  }

  get begins() {
    return this.times ??= Float64Array.from(this.all, ({begin}) => begin);
  }

  within(from, to) {
    const {begins} = this, first = lowerBound(begins, from - this.longest);
    return this.all.slice(first, upperBound(begins, to)).filter(({end}) => end >= from);
  }

  draw(chart, y) {
    const {context, view, gutter, plotWidth, palette: {colours}} = chart, half = (COUNTER - 2 * INSET) / 2;
    context.fillStyle = colours.stripe;
    context.fillRect(gutter, y + 1, plotWidth, COUNTER - 2);
    for (const {begin, end, bytes, kind} of this.within(view.from, view.to)) {
      const left = Math.max(gutter, chart.x(begin)), right = Math.min(gutter + plotWidth, chart.x(end));
      const top = y + INSET + (kind === 0 ? 0 : half), width = Math.max(1, right - left);
      context.fillStyle = kind === 0 ? colours.get : colours.put;
      context.fillRect(left, top, width, half - 1);
      context.fillStyle = colours.ground;
      context.textAlign = 'left';
      if (width >= LABEL_FROM)
        context.fillText(chart.fit(size(bytes), width - 6), left + 3, top + half / 2);
    }
    this.#drawNames(chart, y, half);
  }

  #drawNames(chart, y, half) {
    const {context, gutter, palette: {colours}} = chart;
    context.fillStyle = colours.ground;
    context.fillRect(0, y, gutter, COUNTER);
    context.textAlign = 'left';
    for (const [kind, colour] of [colours.get, colours.put].entries()) {
      context.fillStyle = colour;
      const name = this.names[kind];
      context.fillText(chart.first([name, name.replace('transfer ', '')], gutter - 24), 18,
        y + INSET + half * (kind + 0.5));
    }
  }

  // What is in progress at a time: the upper or the lower bars, by `share` of the line's height.
  at(time, slack, share) {
    const isUpper = share < 0.5, found = this.within(time - slack, time + slack);
    return found.filter(({kind}) => (kind === 0) === isUpper).at(-1) ?? found.at(-1) ?? null;
  }

  // For the tooltip.
  facts(model, time, slack, share) {
    const transfer = this.at(time, slack, share), {name} = model.rows[this.row];
    if (!transfer)
      return null;
    const {begin, end, bytes, kind} = transfer, facts = [['of', name], ['bytes', count(bytes)]];
    if (end > begin)
      facts.push(['rate', size(bytes / (end - begin) * 1e9, 'B/s')], ['duration', duration(end - begin)]);
    return {title: this.names[kind], facts: [...facts, ['begin', instant(begin, 1)]]};
  }
}

// Gives rows what they have.
export function decodeTransfers(bytes, {section: [offset, length]}, rows) {
  const reader = new NumberReader(bytes, offset), made = [];
  let time = 0, last = null;
  for (let i = 0; i < length; i++) {
    const {row, since, length: ns, bytes: size, kind} = readTransfer(reader);
    if (!last || last.row !== row) {
      made.push(last = new Transfers(row, rows[row].kind));
      rows[row].counters.push(last);
      time = 0;
    }
    const begin = time += since, end = begin + ns;
    last.all.push({begin, end, bytes: size, kind});
    last.longest = Math.max(last.longest, end - begin);
  }
  return made;
}

// "Transfers: 12 to device, 1.2 MB, 3.4 GB/s": of an interval; the rate is that of their duration.
export function showTransfers(model, {from, to}, rows) {
  const shown = new Set(rows.map(({index}) => index)), sums = new Map();
  for (const transfers of model.transfers)
    for (const {begin, end, bytes, kind} of shown.has(transfers.row) ? transfers.within(from, to) : []) {
      const name = transfers.names[kind], sum = sums.get(name) ?? {many: 0, bytes: 0, ns: 0};
      sums.set(name, {many: sum.many + 1, bytes: sum.bytes + bytes, ns: sum.ns + end - begin});
    }
  byId('transfers').replaceChildren(...[...sums].map(([name, {many, bytes, ns}]) => element('li', {},
    `${name}: ${plural(many, 'time')}, ${size(bytes)}${ns > 0 ? `, ${size(bytes / ns * 1e9, 'B/s')}` : ''}`)));
}
