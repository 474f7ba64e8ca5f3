// The threads of an interval, those that differ most from the others first: who is late, idle, or has most to do.
import {byId, element} from './dom.js';
import {count, duration, instant, percent} from './format.js';
import {LOAD, WAITING} from './row_sort.js';
import {SortHeads} from './sort_heads.js';

const MAX_THREADS = 12, MIN_THREADS = 3;
const TIMES_ODD = 5, LEAST_ODD = 0.1, MANY = 8; // an outlier, of so many threads or more; LEAST_ODD: of the interval

function sumOf(sums, requested) {
  return sums.reduce((sum, ns, kind) => sum + (requested[kind] ? ns : 0), 0);
}

function median(values) {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}

// {row, busy, waiting, begin, odd}; odd: how far it is from the medians of all, in ns.
function measure(model, {from, to}, rows) {
  const isLoad = model.activities.map(({name}) => LOAD.test(name));
  const isWaiting = model.activities.map(({name}) => WAITING.test(name));
  const lines = rows.filter(({kind}) => kind === 'thread').map(row => {
    const sums = model.times(from, to, [row]), {extent} = row.activity;
    return {row, busy: sumOf(sums, isLoad), waiting: sumOf(sums, isWaiting),
      begin: Math.min(to, Math.max(from, extent ? extent.begin : to))};
  });
  const middle = ['busy', 'waiting', 'begin'].map(name => [name, median(lines.map(line => line[name]))]);
  for (const line of lines)
    line.odd = middle.reduce((sum, [name, value]) => sum + Math.abs(line[name] - value), 0);
  return lines;
}

// The rows that are further from the others than these from each other by far: their indices.
function outliersOf(lines, length) {
  const least = Math.max(TIMES_ODD * median(lines.map(({odd}) => odd)), LEAST_ODD * length);
  return new Set(lines.length < MANY ? [] : lines.filter(({odd}) => odd > least).map(({row}) => row.index));
}

const COLUMNS = {
  odd: (one, other) => other.odd - one.odd || one.row.index - other.row.index,
  name: (one, other) => one.row.index - other.row.index,
  busy: (one, other) => other.busy - one.busy,
  waiting: (one, other) => other.waiting - one.waiting,
  begin: (one, other) => other.begin - one.begin,
};

export class Threads {
  // `pick` is called with the row whose name is clicked, `mark` with the rows that differ most.
  constructor(model, pick, mark) {
    Object.assign(this, {model, pick, mark, shown: null});
    this.heads = new SortHeads(byId('threads'), COLUMNS, 'odd', () => this.update(...this.shown));
    this.areThere = model.rows.filter(({kind}) => kind === 'thread').length >= MIN_THREADS;
    byId('threads-section').hidden = !this.areThere;
  }

  update(interval, rows) {
    this.shown = [interval, rows];
    if (!this.areThere)
      return;
    const measured = measure(this.model, interval, rows), length = interval.to - interval.from;
    const lines = this.heads.sorted(measured);
    this.mark(outliersOf(measured, length));
    byId('threads').replaceChildren(...lines.slice(0, MAX_THREADS).map(line => this.#makeLine(line, length)));
    byId('threads-more').textContent = lines.length > MAX_THREADS ? `${count(lines.length - MAX_THREADS)} more` : '';
  }

  #makeLine({row, busy, waiting, begin}, length) {
    const name = element('button', {type: 'button', className: 'link', title: `${row.name}: to its row`}, row.name);
    name.addEventListener('click', () => this.pick(row.index));
    return element('tr', {}, element('td', {}, name), ...[busy, waiting].map(ns =>
      element('td', {title: duration(ns)}, percent(ns, length))), element('td', {}, instant(begin, length / 1000)));
  }
}
