// The trace as the page holds it. What is large is decoded when it is first looked at.
import {ActivityTrack} from './activity_track.js';
import {NumberReader, bytesFromBase64, lowerBound} from './bytes.js';
import {ConditionTrack} from './condition_track.js';
import {CounterTrack, findAlike} from './counter_track.js';
import {decodePath} from './critical.js';
import {decodeDependences} from './dependences.js';
import {shortFunction} from './fit.js';
import {firstGrouping, makeGroupings} from './groups.js';
import {KINDS, join} from './items.js';
import {decodeLaunches} from './launches.js';
import {decodeLocks, locksOf} from './locks.js';
import {decodeMessages, decodeOperations} from './messages.js';
import {SampleTrack, decodeContexts} from './samples.js';
import {SliceTrack} from './slice_track.js';
import {CONDITIONS} from './tables.js';
import {decodeTasks} from './tasks.js';
import {decodeTransfers} from './transfers.js';

// "!$omp parallel @app.c:12" is "parallel @app.c:12" where there is little room, "parallel:12" or "parallel" where
// there is less.
function shorterNames(name, line) {
  const short = name.replace(/^!\$omp /, ''), [construct, place] = short.split(' @');
  return place === undefined ? [short] : [short, ...line ? [`${construct}:${line}`] : [], construct];
}

function makeRegion([name, file, line, description, activity, count, total], index) {
  const labels = shorterNames(name, line);
  return {index, name, short: labels[0], labels, file, line, description, activity, count, total};
}

function makeRow(about, bytes, description, index) {
  const {activities, resolution} = about;
  return {
    ...description,
    index,
    activity: new ActivityTrack(bytes, description.activity, activities.length, resolution.activities),
    slices: description.slices.map(section => new SliceTrack(bytes, section, resolution.slices)),
    running: new ConditionTrack(bytes, description.running),
    gaps: new ConditionTrack(bytes, description.gaps),
    samples: new SampleTrack(bytes, description.samples),
    counters: [], // below it
  };
}

// Functions of samples, and what represents those whose call path is not known.
function makeFunctions({functions}) {
  return [...functions, ['(no call path)', '', 0]].map(([name, file, line]) =>
    ({name, file, line, short: shortFunction(shorterNames(name, line)[0])}));
}

export class Model {
  constructor(about, text) {
    const bytes = bytesFromBase64(text);
    this.about = about;
    this.from = about.from;
    this.to = about.to;
    this.activities = about.activities;
    this.regions = about.regions.map(makeRegion);
    this.rows = about.rows.map((row, index) => makeRow(about, bytes, row, index));
    this.sides = about.sides ?? []; // names of the runs that are compared
    for (const row of this.rows)
      row.sideName = this.sides[row.side];
    this.counters = about.counters.map(counter => new CounterTrack(bytes, counter));
    findAlike(this.counters);
    for (const counter of this.counters)
      this.rows[counter.row].counters.push(counter);
    this.transfers = decodeTransfers(bytes, about.transfers, this.rows);
    this.groupings = makeGroupings(this.rows, this.sides);
    this.firstGrouping = firstGrouping(this.rows, this.sides);
    this.functions = makeFunctions(about.samples);
    this.hasSamples = about.samples.all > 0;
    this.loadContexts = () => decodeContexts(bytes, about.samples);
    this.loadDependences = () => decodeDependences(bytes, about.dependences);
    this.loadLaunches = () => decodeLaunches(bytes, about.launches);
    this.loadPaths = () => about.path.sections.map(section => decodePath(bytes, section));
    const load = (decode, [offset, count]) => () => decode(new NumberReader(bytes, offset), count);
    this.load = {tasks: load(decodeTasks, about.tasks.section), messages: load(decodeMessages, about.messages.section),
      operations: load(decodeOperations, about.messages.operations),
      holds: () => decodeLocks(new NumberReader(bytes, about.locks.section[0]), about.locks)};
    this.own = {};    // of these, what the page itself has
    this.loaded = {}; // and what is shown
  }

  // What a server has of an interval, by kind: {items, isAll}. What the page has of it itself is left out.
  setItems(served, interval) {
    const {samples, ...others} = served;
    this.loaded = {};
    for (const [kind, {items}] of Object.entries(others))
      this.loaded[kind] = join(this.own[kind] ??= this.load[kind](), items, interval, KINDS[kind]);
    this.loadedLocks = this.created = this.loadedSendTimes = this.loadedReceived = this.loadedPieces = null;
    this.allFunctions = null;
    const byRow = samples?.isAll ? Map.groupBy(samples.items, ({row}) => row) : null;
    for (const {index, samples: track} of this.rows)
      track.setDetail(byRow && {...interval, items: byRow.get(index) ?? []});
  }

  #shown(kind) {
    return this.loaded[kind] ??= this.own[kind] ??= this.load[kind]();
  }

  get tasks() {
    return this.#shown('tasks');
  }

  get locks() {
    return this.loadedLocks ??= locksOf(this.#shown('holds'), this.about.locks);
  }

  get dependences() {
    return this.loadedDependences ??= this.loadDependences();
  }

  get launches() {
    return this.loadedLaunches ??= this.loadLaunches();
  }

  get paths() {
    return this.loadedPaths ??= this.loadPaths();
  }

  get contexts() {
    return this.loadedContexts ??= this.loadContexts();
  }

  get hasMessages() {
    return this.about.messages.all + this.about.messages.allOperations > 0;
  }

  get messages() {
    return this.#shown('messages');
  }

  get sendTimes() {
    return this.loadedSendTimes ??= Float64Array.from(this.messages, ({begin}) => begin);
  }

  // The messages that a row has received, in the order of their sends.
  receivedBy(row) {
    this.loadedReceived ??= Map.groupBy(this.messages, ({to}) => to);
    return this.loadedReceived.get(row) ?? [];
  }

  get operations() {
    return this.#shown('operations');
  }

  // Row by row, the pieces in the order of time.
  get piecesByRow() {
    return this.loadedPieces ??= this.#sortPieces();
  }

  #sortPieces() {
    const rows = this.rows.map(() => []);
    for (const task of this.tasks)
      for (const piece of task.pieces)
        rows[piece.row].push({begin: piece.begin, end: piece.end, task});
    for (const pieces of rows)
      pieces.sort((one, other) => one.begin - other.begin);
    return rows.map(pieces => ({pieces, begins: Float64Array.from(pieces, piece => piece.begin)}));
  }

  // The task that began or went on in the row exactly then, or null. What began before the page does is cut there.
  taskBeginningAt(row, time) {
    const {pieces, begins} = this.piecesByRow[row], i = lowerBound(begins, time);
    if (i < pieces.length && begins[i] === time)
      return pieces[i].task;
    const isCut = time === this.from && i > 0 && pieces[i - 1].end > time;
    return isCut ? pieces[i - 1].task : null;
  }

  // The tasks created in the row from one time to another.
  tasksCreatedIn(row, from, to) {
    this.created ??= Float64Array.from(this.tasks, task => task.created);
    const found = [];
    for (let i = lowerBound(this.created, from); i < this.tasks.length && this.created[i] <= to; i++)
      if (this.tasks[i].row === row)
        found.push(this.tasks[i]);
    return found;
  }

  // The first text among attributes of an event, or undefined.
  textOf(attributes = []) {
    const found = attributes.find(([index]) => this.about.attributes[index].type === 'text');
    return found && this.about.texts[found[1]];
  }

  // Everything known of a slice of the finest level: its own fields and what surrounds it.
  slice(row, depth, i) {
    const {finest} = this.rows[row].slices[depth];
    const {begin, end, region, activity, merged, busy, longest, attributes} = finest;
    const time = begin[i], slice = {row, depth, i, begin: time, end: end[i], region: this.regions[region[i]],
      activity: this.activities[activity[i]], merged: merged[i], busy: busy[i], longest: longest[i],
      attributes: attributes.get(i) ?? []};
    slice.around = this.#around(row, depth, time, end[i]);
    slice.task = slice.merged > 1 ? null : this.#taskOf(row, [...slice.around, slice]);
    return slice;
  }

  // The slice of the row that begins then; null: the page has none, or merges it.
  sliceBeginning(row, depth, time) {
    const track = this.rows[row].slices[depth], i = track ? track.find(time, 0) : -1;
    return i >= 0 && track.finest.begin[i] === time ? this.slice(row, depth, i) : null;
  }

  // The depth of the bar that begins in the row at a time; otherwise of the deepest that is open then, or -1.
  depthAt(row, time) {
    let deepest = -1;
    for (const [depth, track] of this.rows[row].slices.entries()) {
      const i = track.find(time, 0);
      if (i >= 0 && track.finest.begin[i] === time)
        return depth;
      if (i >= 0)
        deepest = depth;
    }
    return deepest;
  }

  // The slices of smaller depth that hold it, from the outside in.
  #around(row, depth, begin, end) {
    const around = [];
    for (let above = 0; above < depth; above++) {
      const track = this.rows[row].slices[above], i = track.find((begin + end) / 2, 0), {finest} = track;
      if (i >= 0 && finest.begin[i] <= begin && finest.end[i] >= end)
        around.push({begin: finest.begin[i], region: this.regions[finest.region[i]], merged: finest.merged[i]});
    }
    return around;
  }

  #taskOf(row, slices) {
    for (const slice of slices.reverse()) {
      const task = this.taskBeginningAt(row, slice.begin);
      if (task)
        return task;
    }
    return null;
  }

  // The duration of each activity in all rows, or in one, from one time to another.
  times(from, to, rows = this.rows) {
    const sums = new Float64Array(this.activities.length);
    for (const row of rows)
      row.activity.addTimes(from, to, sums);
    return sums;
  }

  // The duration of each condition of threads (condition_track.js).
  conditionTimes(from, to, rows = this.rows) {
    const sums = new Float64Array(CONDITIONS.length);
    for (const row of rows) {
      row.running.addTimes(from, to, sums);
      row.gaps.addTimes(from, to, sums);
    }
    return sums;
  }

  get hasConditions() {
    return this.rows.some(({running, gaps}) => running.count + gaps.count > 0);
  }

  // The command that makes a page with more detail of an interval.
  command(from, to) {
    const [start, end] = [Math.max(this.from, Math.floor(from)), Math.min(this.to, Math.ceil(to))];
    return `stave timeline ${this.about.archive} --from ${start}ns --to ${end}ns -o detail.html`;
  }
}
