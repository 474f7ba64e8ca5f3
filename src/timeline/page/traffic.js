// Messages of the interval from process to process as a matrix, and the calls of MPI by where they are in the source.
import {lowerBound} from './bytes.js';
import {FONT} from './chart.js';
import {byId, element} from './dom.js';
import {headAndTail} from './fit.js';
import {count, duration, plural, size} from './format.js';
import {SortHeads} from './sort_heads.js';

const MAX_CALLS = 20, LARGEST = 26, LABEL_FROM = 13, EDGE = 22; // pixels of a cell, and beside all
const MANY = 200000;      // calls of an interval: of more, where they are in the source is not looked at

const MEASURES = {
  bytes: {name: 'bytes', of: cell => cell.bytes, text: size},
  messages: {name: 'messages', of: cell => cell.messages, text: count},
  mean: {name: 'mean time under way', of: cell => cell.ns / cell.messages, text: duration},
  worst: {name: 'longest time under way', of: cell => cell.worst, text: duration},
  wait: {name: 'waited by who receives', of: cell => cell.wait, text: duration},
};

// The innermost call of MPI of a row at a time: {begin, end, region, attributes}, or null.
function callAt(model, row, time) {
  for (const track of [...model.rows[row].slices].reverse()) {
    const i = track.find(time, 1), {finest} = track;
    if (i >= 0 && model.activities[finest.activity[i]].name === 'MPI' && finest.merged[i] === 1)
      return {begin: finest.begin[i], end: finest.end[i], region: finest.region[i],
        attributes: finest.attributes.get(i)};
  }
  return null;
}

// How long a receive had waited before the message was sent.
function waitOf(model, {begin, end, to}) {
  const call = callAt(model, to, end);
  return call ? Math.max(0, Math.min(begin, end) - call.begin) : 0;
}

export class Traffic {
  // `only` is called with the pair of processes whose messages are to be drawn alone, or null.
  constructor(model, {tooltip, only}) {
    Object.assign(this, {model, tooltip, only, chosen: null, cells: new Map(), calls: new Map()});
    this.processes = [...new Set(model.rows.map(({process}) => process))];
    this.places = new Map(this.processes.map((process, place) => [process, place]));
    this.site = model.about.attributes.findIndex(({type}) => type === 'line');
    this.kind = model.activities.findIndex(({name}) => name === 'MPI');
    byId('traffic-section').hidden = !this.isThere;
    this.heads = new SortHeads(byId('calls'), {
      name: (one, other) => one.name.localeCompare(other.name), count: (one, other) => other.count - one.count,
      ns: (one, other) => other.ns - one.ns, wait: (one, other) => other.wait - one.wait,
      bytes: (one, other) => other.bytes - one.bytes,
    }, 'ns', () => this.#showCalls());
    this.canvas = byId('matrix');
    byId('measure').replaceChildren(...Object.entries(MEASURES).map(([value, {name}]) =>
      element('option', {value}, name)));
    byId('measure').addEventListener('change', () => this.draw());
    byId('calls-by').addEventListener('change', () => this.update(...this.shown));
    this.canvas.addEventListener('pointermove', event => this.#hover(event));
    this.canvas.addEventListener('pointerleave', () => this.tooltip.hide());
    this.canvas.addEventListener('click', event => this.#choose(this.#cellAt(event)));
  }

  get isThere() {
    return this.model.hasMessages;
  }

  update(interval, rows) {
    if (!this.isThere)
      return;
    this.shown = [interval, rows];
    this.cells.clear();
    this.calls.clear();
    const {model} = this, {stored, all, sums} = model.about.messages;
    const isWhole = interval.from <= model.from && interval.to >= model.to && rows.length === model.rows.length;
    if (sums && isWhole)
      this.#useSums(sums);
    else
      this.#countVisible(interval, rows);
    const cells = [...this.cells.values()], sum = name => cells.reduce((total, cell) => total + cell[name], 0);
    byId('traffic-note').textContent = `${plural(sum('messages'), 'message')}, ${size(sum('bytes'))}` +
      (stored < all && !(sums && isWhole)
        ? ` (the page has ${count(stored)} of ${count(all)}, those longest under way)` : '') +
      (this.chosen ? `; those from ${this.#name(this.chosen.from)} to ${this.#name(this.chosen.to)} alone are drawn`
        : '');
    byId('matrix').hidden = byId('measure').hidden = cells.length === 0;
    this.draw();
    this.#showCalls();
  }

  // What was summed up as the page was made, of all messages and calls.
  #useSums({pairs, calls}) {
    for (const [from, to, messages, bytes, ns, worst, wait] of pairs)
      Object.assign(this.#cellOf(from, to), {messages, bytes, ns, worst, wait});
    for (const [process, region, line, times, ns, wait, bytes] of calls) {
      const call = this.#callOf(process, region, line);
      for (const [name, value] of Object.entries({count: times, ns, wait, bytes}))
        call[name] += value;
    }
  }

  #countVisible({from, to}, rows) {
    const shown = new Set(rows.map(({index}) => index));
    const messages = this.model.messages.filter(message => message.begin <= to && message.end >= from &&
      (shown.has(message.from) || shown.has(message.to)));
    this.#count(messages);
    this.#countCalls(messages, {from, to, rows, shown});
  }

  // -- the matrix --

  // By the numbers of the processes, as rows have them.
  #cellOf(from, to) {
    const [first, second] = [from, to].map(process => this.places.get(process));
    const key = first * this.processes.length + second;
    if (!this.cells.has(key))
      this.cells.set(key, {from: first, to: second, messages: 0, bytes: 0, ns: 0, worst: 0, wait: 0});
    return this.cells.get(key);
  }

  #count(messages) {
    const {rows} = this.model;
    for (const message of messages) {
      const cell = this.#cellOf(rows[message.from].process, rows[message.to].process);
      const ns = message.end - message.begin;
      cell.messages++;
      cell.bytes += message.bytes;
      cell.ns += ns;
      cell.worst = Math.max(cell.worst, ns);
      cell.wait += message.wait ??= waitOf(this.model, message);
    }
  }

  draw(palette = this.palette) {
    this.palette = palette;
    const {canvas, processes: {length}} = this, measure = MEASURES[byId('measure').value];
    const scale = devicePixelRatio || 1;
    if (!palette || !measure || canvas.hidden || canvas.clientWidth === 0)
      return;
    const room = canvas.clientWidth - EDGE, cell = this.cell = Math.min(LARGEST, room / length);
    const height = EDGE + cell * length, {colours} = palette, context = canvas.getContext('2d');
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.textAlign = 'center';
    context.fillStyle = colours.stripe;
    context.fillRect(EDGE, EDGE, cell * length, cell * length);
    const most = [...this.cells.values()].reduce((all, one) => Math.max(all, measure.of(one)), 0);
    for (const one of this.cells.values()) {
      context.globalAlpha = most > 0 ? 0.12 + 0.88 * measure.of(one) / most : 0.12;
      context.fillStyle = colours.counter;
      context.fillRect(EDGE + one.to * cell, EDGE + one.from * cell, Math.max(1, cell - 1), Math.max(1, cell - 1));
    }
    context.globalAlpha = 1;
    context.fillStyle = colours.dim;
    const step = Math.ceil(LABEL_FROM / cell);
    for (let i = 0; i < length; i += step) {
      context.fillText(String(i), EDGE + (i + 0.5) * cell, EDGE / 2);
      context.fillText(String(i), EDGE / 2, EDGE + (i + 0.5) * cell);
    }
    if (this.chosen) {
      context.strokeStyle = colours.select;
      context.strokeRect(EDGE + this.chosen.to * cell, EDGE + this.chosen.from * cell, cell, cell);
    }
  }

  #cellAt({offsetX, offsetY}) {
    const [to, from] = [offsetX, offsetY].map(place => Math.floor((place - EDGE) / this.cell));
    const {length} = this.processes;
    return from < 0 || to < 0 || from >= length || to >= length ? null : this.cells.get(from * length + to) ?? null;
  }

  #name(place) {
    return this.model.rows.find(({process}) => process === this.processes[place]).group;
  }

  #hover(event) {
    const cell = this.#cellAt(event);
    if (!cell) {
      this.tooltip.hide();
      return;
    }
    this.tooltip.show(event.clientX, event.clientY, `${this.#name(cell.from)} to ${this.#name(cell.to)}`,
      Object.values(MEASURES).map(({name, of, text}) => [name, text(of(cell))]));
  }

  // Once more the same: all again.
  #choose(cell) {
    const isSame = cell && this.chosen && cell.from === this.chosen.from && cell.to === this.chosen.to;
    this.chosen = isSame ? null : cell;
    this.only(this.chosen && [this.processes[cell.from], this.processes[cell.to]]);
  }

  // -- calls --

  #lineOf(attributes) {
    return attributes?.find(([index]) => index === this.site)?.[1] ?? null;
  }

  // The line of the table that a call belongs to.
  #callOf(process, region, line) {
    const by = byId('calls-by').value, {lines} = this.model.about;
    const key = `${by === 'place' ? '' : process} ${by === 'process' ? '' : `${region} ${line}`}`;
    if (!this.calls.has(key)) {
      const place = line === null ? '' : ` @${(lines[line] ?? '?').split('/').at(-1)}`;
      const names = [...by === 'place' ? [] : [this.#name(this.places.get(process))],
        ...by === 'process' ? [] : [`${this.model.regions[region].short}${place}`]];
      this.calls.set(key, {name: names.join(': '), title: line === null || by === 'process' ? '' : lines[line],
        count: 0, ns: 0, wait: 0, bytes: 0});
    }
    return this.calls.get(key);
  }

  #countCalls(messages, {from, to, rows, shown}) {
    for (const {slices, process} of rows)
      for (const {finest: {begin, end, region, activity, merged, attributes, count: length}} of slices) {
        const first = lowerBound(end, from, 0, length), last = Math.min(length, lowerBound(begin, to, 0, length) + 1);
        for (let i = first; i < last && begin[i] <= to; i++)
          if (activity[i] === this.kind) {
            const call = this.#callOf(process, region[i],
              this.#lineOf(last - first > MANY ? null : attributes.get(i)));
            call.count += merged[i];
            call.ns += Math.max(0, Math.min(to, end[i]) - Math.max(from, begin[i]));
          }
      }
    const add = (row, time, name, value) => {
      const call = shown.has(row) && value > 0 ? callAt(this.model, row, time) : null;
      if (call)
        this.#callOf(this.model.rows[row].process, call.region, this.#lineOf(call.attributes))[name] += value;
    };
    for (const {from: sender, to: receiver, begin, end, bytes, wait} of messages) {
      add(sender, begin, 'bytes', bytes);
      add(receiver, end, 'wait', wait);
    }
    for (const operation of this.model.operations)
      if (operation.begin <= to && operation.end >= from) {
        const last = Math.max(...operation.parts.map(({begin}) => begin));
        for (const {row, begin, end} of operation.parts)
          add(row, (begin + end) / 2, 'wait', Math.min(last, end) - begin);
      }
  }

  #showCalls() {
    const calls = [...this.calls.values()];
    byId('calls').replaceChildren(...this.heads.sorted(calls).slice(0, MAX_CALLS).map(call => this.#makeLine(call)));
    byId('calls-more').textContent = calls.length > MAX_CALLS ? `${count(calls.length - MAX_CALLS)} more` : '';
  }

  #makeLine({name, title, count: times, ns, wait, bytes}) {
    const [head, tail] = headAndTail(name);
    const parts = [element('span', {className: 'head'}, head), element('span', {}, tail)];
    return element('tr', {title: title ? `${name}: ${title}` : name},
      element('td', {}, element('span', {className: 'cut'}, ...parts)), element('td', {}, count(times)),
      element('td', {}, duration(ns)), element('td', {}, wait > 0 ? duration(wait) : '–'),
      element('td', {}, bytes > 0 ? size(bytes) : '–'));
  }
}
