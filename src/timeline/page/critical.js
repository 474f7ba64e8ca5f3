// The critical path: what the end of the run waited for, from its beginning, row by row. Runs that are compared have
// one each.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {byId} from './dom.js';
import {duration, percent} from './format.js';
import {LETTERS} from './groups.js';
import {topRegions} from './statistics.js';
import {Path} from './svg.js';
import {CAUSES, readSegment} from './tables.js';

const LINE = 3, EDGE = 1.5, MANY = 200; // pixels; of more segments lines are thinner

// In the order of time: arrays of begin, end, row and cause (of the begin).
export function decodePath(bytes, [offset, length]) {
  const reader = new NumberReader(bytes, offset);
  const path = {length, begin: new Float64Array(length), end: new Float64Array(length), row: new Uint32Array(length),
    cause: new Uint8Array(length)};
  for (let i = 0, last = 0; i < length; i++) {
    const {since, row, length: ns, cause} = readSegment(reader);
    path.begin[i] = last += since;
    path.row[i] = row;
    path.end[i] = last += ns;
    path.cause[i] = cause;
  }
  return path;
}

function visible({begin, end, length}, {from, to}) {
  return [Math.max(0, lowerBound(end, from) - 1), Math.min(length, upperBound(begin, to) + 1)];
}

// Lines along the rows, each joined to the next. In a column of pixels there is one upright line at most.
function trace(chart, path, y) {
  const line = new Path(), [first, last] = visible(path, chart.view);
  let column = null, before = null;
  const flush = () => column && (line.moveTo(column.x, column.top), line.lineTo(column.x, column.bottom));
  const upright = (x, ...heights) => {
    if (!column || Math.abs(x - column.x) >= 1) {
      flush();
      column = {x, top: Infinity, bottom: -Infinity};
    }
    column.top = Math.min(column.top, ...heights);
    column.bottom = Math.max(column.bottom, ...heights);
  };
  for (let i = first; i < last; i++) {
    if (chart.layout.isTakenOut(path.row[i])) {
      before = null;
      continue;
    }
    const [left, right, height] = [chart.x(path.begin[i]), chart.x(path.end[i]), y(path.row[i])];
    if (before && left - before.x < 1) {
      upright(left, before.y, height);
    } else if (before) {
      line.moveTo(before.x, before.y);
      line.lineTo(left, height);
    }
    if (right - left >= 1) {
      line.moveTo(left, height);
      line.lineTo(right, height);
    }
    before = {x: right, y: height};
  }
  flush();
  return line;
}

export function drawPaths(context, chart, colours, height) {
  for (const path of chart.model.paths)
    drawPath(context, chart, path, colours, height);
}

function drawPath(context, chart, path, colours, height) {
  const {layout} = chart, y = row => height(row, -1) + layout.bandOf(layout.rows[row]) / 2;
  const line = trace(chart, path, y), [first, last] = visible(path, chart.view);
  const width = last - first > MANY ? LINE / 2 : LINE;
  context.lineCap = context.lineJoin = 'round';
  for (const [edge, colour] of [[EDGE, colours.edge], [0, colours.critical]]) {
    context.lineWidth = width + 2 * edge;
    context.strokeStyle = colour;
    context.stroke(line);
  }
  context.lineCap = 'butt';
}

// What a path did in an interval: ns by activity, and between its pieces.
export function pathTimes(model, path, {from, to}) {
  const sums = new Float64Array(model.activities.length), [first, last] = visible(path, {from, to});
  let between = 0, length = 0;
  for (let i = first; i < last; i++) {
    const [begin, end] = [Math.max(from, path.begin[i]), Math.min(to, path.end[i])];
    if (end > begin) {
      model.rows[path.row[i]].activity.addTimes(begin, end, sums);
      length += end - begin;
    }
    if (i > 0)
      between += Math.max(0, Math.min(to, path.begin[i]) - Math.max(from, path.end[i - 1]));
  }
  return {sums, between, length};
}

// Why the path came to a row at a time: a text, or null where it is not on the path.
export function pathAt(model, row, time) {
  const {begin, end, row: rows, cause} = model.paths[model.rows[row].side ?? 0], i = upperBound(begin, time) - 1;
  if (i < 0 || rows[i] !== row || end[i] < time)
    return null;
  return i > 0 && cause[i] ? `since ${duration(time - begin[i])}, after ${CAUSES[cause[i]]} on ` +
    `${model.rows[rows[i - 1]].name}` : 'from the beginning';
}

// What it consists of, the longest first.
function partsOf(model, path, interval) {
  const {sums, between, length} = pathTimes(model, path, interval), total = length + between;
  const parts = [...sums].map((ns, kind) => ({ns, name: model.activities[kind].name}));
  parts.push({ns: between, name: 'from thread to thread'});
  parts.sort((one, other) => other.ns - one.ns);
  return `${duration(total)}: ${parts.filter(({ns}) => ns >= 0.0005 * total && ns > 0)
    .map(({ns, name}) => `${name} ${percent(ns, total)}`).join(', ')}.`;
}

const MAX_SEGMENTS = 4000, MAX_REGIONS = 8; // that are looked at, evenly chosen; that are named

// The regions on it by their own time, the longest first: {region, ns}; of many segments each so many-th.
export function pathRegions(model, path, {from, to}) {
  const [first, last] = visible(path, {from, to}), step = Math.ceil(Math.max(1, last - first) / MAX_SEGMENTS);
  const sums = new Map();
  for (let i = first; i < last; i += step) {
    const [begin, end] = [Math.max(from, path.begin[i]), Math.min(to, path.end[i])];
    if (end > begin)
      for (const {region, ns} of topRegions(model, {from: begin, to: end, length: end - begin},
        [model.rows[path.row[i]]], Infinity))
        sums.set(region, (sums.get(region) ?? 0) + ns);
  }
  return [...sums].map(([region, ns]) => ({region, ns: ns * step})).sort((one, other) => other.ns - one.ns);
}

// "parallel @app.c:12 40 %, ...": on all that it is.
function regionsOf(model, path, interval) {
  const {between, length} = pathTimes(model, path, interval), total = length + between;
  const regions = pathRegions(model, path, interval).filter(({ns}) => ns >= 0.005 * total).slice(0, MAX_REGIONS);
  return regions.length ? ` In: ${regions.map(({region, ns}) => `${region?.short ?? 'merged short regions'} ` +
    `${percent(Math.min(ns, total), total)}`).join(', ')}.` : '';
}

export function showPath(model, interval, isOn) {
  const note = byId('path-note'), {shortest} = model.about.path;
  note.hidden = !isOn;
  if (!isOn)
    return;
  const texts = model.paths.map((path, side) =>
    (model.paths.length > 1 ? `${LETTERS[side]}: ` : '') + partsOf(model, path, interval) +
    regionsOf(model, path, interval));
  note.textContent = `Critical path here: ${texts.join(' ')}` +
    (shortest ? ` Waits shorter than ${duration(shortest)} are not followed.` : '');
}
