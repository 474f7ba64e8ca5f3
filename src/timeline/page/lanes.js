// Lanes of locks below the rows, on the same axis of time: who holds each, how many wait for it, and for how long.
import {FONT} from './chart.js';
import {byId} from './dom.js';
import {lowerBound} from './bytes.js';
import {count, duration, percent, plural} from './format.js';
import {REQUESTS_LOCK} from './locks.js';

const LANE = 34, HELD = 15, QUEUE = 15;       // pixels: a lane, who holds it, who waits
const LABEL_FROM = 24, PADDING = 4, MAX_LANES = 40;
const SHOWN_FROM = 0.02;                       // they are there at first where so much of the time is lock wait,
const AT_FIRST = 6;                            // so many of them
const TURN = 137.508;                          // degrees from one holder's hue to the next

function hue(row) {
  return Math.round(row * TURN % 360);
}

// How much of each column of equal width is covered by intervals, in ns; overlapping ones count each.
class Coverage {
  constructor(from, to, columns) {
    Object.assign(this, {from, to, width: (to - from) / columns, sums: new Float64Array(columns + 1),
      slopes: new Float64Array(columns + 2)});
  }

  // What an interval has in a column is what began before its end less what ended before.
  #addEdge(time, sign) {
    const place = (Math.min(this.to, Math.max(this.from, time)) - this.from) / this.width, column = Math.floor(place);
    this.sums[column] += sign * (column + 1 - place);
    this.slopes[column + 1] += sign;
  }

  add(begin, end) {
    if (end > this.from && begin < this.to) {
      this.#addEdge(begin, 1);
      this.#addEdge(end, -1);
    }
  }

  // By column: how many intervals there are in the mean.
  means() {
    let open = 0;
    return this.sums.subarray(0, -1).map((sum, column) => (open += this.slopes[column]) + sum);
  }
}

// What a lock did in an interval: ns waited and held, and while anybody waited; the longest queue.
function measure(lock, {from, to}) {
  const cut = (begin, end) => Math.max(0, Math.min(to, end) - Math.max(from, begin));
  let waited = 0, held = 0, contended = 0, last = from;
  for (const {acquired, released} of lock.holds)
    held += cut(acquired, released);
  for (const {requested, acquired} of lock.waits) {
    waited += cut(requested, acquired);
    contended += Math.max(0, Math.min(to, acquired) - Math.max(from, requested, last));
    last = Math.max(last, acquired);
  }
  return {lock, waited, held, contended};
}

// The region in which it was acquired first: "critical @app.c:15"; else its name.
function regionOf(model, {name, holds}) {
  const {row, acquired} = holds[0];
  for (const track of [...model.rows[row].slices].reverse()) {
    const i = track.find(acquired, 1), region = i >= 0 && model.regions[track.finest.region[i]];
    if (region && REQUESTS_LOCK.test(region.name))
      return region.short;
  }
  return name;
}

export class Lanes {
  // `pick` is called with the lock that is clicked; `changed` when the panel opens or closes.
  // `isAll`: whether all acquisitions are there, whatever the page has.
  constructor(model, chart, {tooltip, pick, changed, isAll}) {
    Object.assign(this, {model, chart, tooltip, pick, changed, isAll, lanes: [], isOn: false});
    this.panel = byId('lanes-panel');
    this.canvas = byId('lanes');
    this.context = this.canvas.getContext('2d', {alpha: false});
    this.canvas.addEventListener('pointermove', event => this.#hover(event));
    this.canvas.addEventListener('pointerleave', () => this.tooltip.hide());
    this.canvas.addEventListener('click', event => this.pick(this.#laneAt(event)?.lock ?? null));
    byId('locks').hidden = !this.isThere;
    this.isOnAtFirst = this.isThere && this.#isContended();
  }

  get isThere() {
    return this.model.about.locks.stored > 0;
  }

  #isContended() {
    const times = this.model.times(this.model.from, this.model.to);
    const kind = this.model.activities.findIndex(({name}) => name === 'lock wait');
    return times[kind] > SHOWN_FROM * times.reduce((sum, ns) => sum + ns, 0);
  }

  show(isOn) {
    this.isOn = isOn && this.isThere;
    this.panel.hidden = !this.isOn;
    byId('locks').setAttribute('aria-pressed', String(this.isOn));
    this.changed();
  }

  get locks() {
    const {locks} = this.model;
    for (const lock of locks)
      if (!lock.waits)
        Object.assign(lock, {label: regionOf(this.model, lock), waits: lock.holds
          .filter(({requested, acquired}) => acquired > requested)
          .sort((one, other) => one.requested - other.requested)});
    return locks;
  }

  // Those that were waited for longest in an interval come first; those that were not held in it are left out.
  choose(interval) {
    if (!this.isOn)
      return;
    const all = this.locks.map(lock => measure(lock, interval)).filter(({held, waited}) => held + waited > 0);
    this.lanes = all.sort((one, other) => other.waited - one.waited || other.held - one.held).slice(0, MAX_LANES);
    const {stored, all: acquisitions} = this.model.about.locks, contended = all.filter(({waited}) => waited > 0).length;
    byId('lanes-title').textContent = `${plural(all.length, 'lock')}, ${count(contended)} waited for` +
      (stored < acquisitions && !this.isAll()
        ? ` (the page has ${count(stored)} of ${count(acquisitions)} acquisitions)` : '');
    byId('lanes-room').style.maxHeight = `min(${Math.max(1, Math.min(AT_FIRST, contended)) * LANE}px, 30vh)`;
    this.draw();
  }

  draw(palette = this.palette) {
    this.palette = palette;
    if (!this.isOn || !palette)
      return;
    const {canvas, context, chart: {width, scale}, lanes} = this, height = Math.max(1, lanes.length * LANE);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = palette.colours.ground;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = 'middle';
    for (const [i, lane] of lanes.entries())
      this.#drawLane(lane, i * LANE);
  }

  #drawLane(lane, y) {
    const {context, chart, palette: {colours}} = this, {view, gutter, plotWidth} = chart;
    context.fillStyle = colours.stripe;
    context.fillRect(gutter, y + 1, plotWidth, LANE - 3);
    const columns = Math.max(1, Math.floor(plotWidth)), held = new Coverage(view.from, view.to, columns);
    const queue = new Coverage(view.from, view.to, columns), wide = [];
    const perPixel = view.length / plotWidth;
    for (const hold of lane.lock.holds) {
      if (hold.requested > view.to || hold.released < view.from)
        continue;
      queue.add(hold.requested, hold.acquired);
      if (hold.released - hold.acquired >= 2 * perPixel)
        wide.push(hold);
      else
        held.add(hold.acquired, hold.released);
    }
    this.#drawHeld(held.means(), y);
    for (const hold of wide)
      this.#drawHold(hold, y);
    lane.longest = this.#drawQueue(queue.means(), y + 1 + HELD);
    this.#drawName(lane, y);
  }

  // Short times, by their share of a column.
  #drawHeld(means, y) {
    const {context, chart: {gutter}, palette: {colours}} = this;
    context.fillStyle = colours.dim;
    for (const [column, share] of means.entries())
      if (share > 0.001) {
        const height = Math.max(1, Math.min(1, share) * (HELD - 2));
        context.fillRect(gutter + column, y + HELD - height, 1, height);
      }
  }

  #drawHold({row, acquired, released}, y) {
    const {context, chart, palette: {isDark, colours}} = this, {gutter, width} = chart;
    const left = Math.max(gutter, chart.x(acquired)), right = Math.min(width, chart.x(released));
    context.fillStyle = `hsl(${hue(row)} 45% ${isDark ? 38 : 72}%)`;
    context.fillRect(left, y + 2, Math.max(1, right - left), HELD - 2);
    context.fillStyle = colours.text;
    context.fillRect(left, y + 2, 1, HELD - 2);
    if (right - left >= LABEL_FROM)
      context.fillText(chart.fit(this.model.rows[row].name, right - left - 2 * PADDING), left + PADDING,
        y + 1 + HELD / 2);
  }

  // As high as many wait, in proportion to the most of what is visible; returns that.
  #drawQueue(means, top) {
    const {context, chart: {gutter}, palette, model} = this, most = means.reduce((all, mean) => Math.max(all, mean), 0);
    context.fillStyle = palette.paints[model.activities.findIndex(({name}) => name === 'lock wait')].css;
    for (const [column, mean] of means.entries())
      if (mean > 0.001) {
        const height = Math.max(1, mean / Math.max(1, most) * QUEUE);
        context.fillRect(gutter + column, top + QUEUE - height, 1, height);
      }
    return most;
  }

  #drawName({lock, waited, longest}, y) {
    const {context, chart, palette: {colours}} = this, {gutter} = chart;
    context.fillStyle = colours.ground;
    context.fillRect(0, y, gutter, LANE);
    context.fillStyle = colours.text;
    context.fillText(chart.fit(lock.label, gutter - 12), 6, y + 1 + HELD / 2);
    context.fillStyle = colours.dim;
    const waiting = waited > 0 ? `${duration(waited)}, max ${Math.ceil(longest - 0.05) || 1}` : 'no wait';
    context.fillText(chart.first([`${lock.name}: ${waiting}`, waiting], gutter - 12), 6, y + 1 + HELD + QUEUE / 2);
    context.fillStyle = colours.line;
    context.fillRect(0, y + LANE - 1, chart.width, 1);
  }

  #laneAt(event) {
    return this.lanes[Math.floor(event.offsetY / LANE)] ?? null;
  }

  #hover(event) {
    const lane = this.#laneAt(event);
    if (lane)
      this.tooltip.show(event.clientX, event.clientY, lane.lock.label,
        this.#facts(lane, this.chart.time(event.offsetX)));
    else
      this.tooltip.hide();
  }

  #facts({lock, waited, held, contended}, time) {
    const {model: {rows}, chart: {view, gutter}} = this, facts = [];
    if (time >= this.chart.time(gutter)) {
      const i = lowerBound(lock.begins, time) - 1, hold = lock.holds[i];
      const waiting = lock.waits.filter(wait => wait.requested <= time && wait.acquired > time);
      facts.push(['held by', hold && hold.released >= time ? rows[hold.row].name : 'nobody']);
      if (waiting.length)
        facts.push(['waiting', `${count(waiting.length)}: ` +
          waiting.slice(0, 6).map(({row}) => rows[row].name).join(', ') + (waiting.length > 6 ? ', …' : '')]);
    }
    return [['lock', lock.name], ...facts, ['held here', `${duration(held)} (${percent(held, view.length)})`],
      ['waited for here', duration(waited)], ['while anybody waited', `${duration(contended)} ` +
        `(${percent(contended, view.length)})`]];
  }
}
