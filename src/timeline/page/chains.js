// Who waited for whom: from a wait that is selected to the one it waited for, and on while that one waited, too.
import {duration} from './format.js';
import {lockOf} from './locks.js';
import {messagesIn} from './messages.js';

const MAX_STEPS = 8, LEAST = 0.01; // of the first wait: what is shorter is no reason for it

// The slices of the same region that other rows were in when this one ended: who came last to a barrier.
function lastToCome(model, {row, region, begin, end}) {
  let last = null;
  for (const other of model.rows)
    for (const {finest} of other.index === row || other.process !== model.rows[row].process ? [] : other.slices)
      for (let i = firstOverlapping(finest, end); i >= 0 && finest.end[i] >= begin; i--)
        if (finest.region[i] === region.index && finest.merged[i] === 1 && finest.begin[i] <= end &&
          (!last || finest.begin[i] > last.time))
          last = {row: other.index, time: finest.begin[i], why: 'came last'};
  return last && last.time > begin ? last : null;
}

function firstOverlapping({begin, count}, time) {
  let low = 0, high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (begin[middle] <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

function holder(model, slice) {
  const {hold} = lockOf(model, slice) ?? {}, before = hold?.before;
  return before && hold.acquired > hold.requested && before.released > hold.requested
    ? {row: before.row, time: Math.min(before.released, hold.acquired), why: 'held the lock'} : null;
}

function sender(model, {row, begin, end}) {
  const late = messagesIn(model, row, begin, end).received.filter(message => message.begin > begin);
  const last = late.sort((one, other) => other.begin - one.begin)[0];
  return last ? {row: last.from, time: last.begin, why: 'sent late'} : null;
}

function lastRank(model, {row, begin, end}) {
  const operation = model.operations.find(({parts}) => parts.some(part => part.row === row && part.begin >= begin &&
    part.end <= end + 1));
  const last = operation?.parts.reduce((one, other) => other.begin > one.begin ? other : one);
  return last && last.row !== row && last.begin > begin ? {row: last.row, time: last.begin, why: 'came last'} : null;
}

function lastTask(model, {row, begin, end}) {
  const done = model.tasksCreatedIn(row, -Infinity, end).map(task => task.pieces.at(-1)).filter(piece => piece &&
    piece.end > begin && piece.end <= end + 1 && piece.row !== row);
  const last = done.sort((one, other) => other.end - one.end)[0];
  return last ? {row: last.row, time: last.end, why: 'ran the last task'} : null;
}

const CAUSES_OF = {
  MPI: (model, slice) => sender(model, slice) ?? lastRank(model, slice),
  'lock wait': holder,
  'barrier wait': lastToCome,
  'task wait': lastTask,
};

// For whom a slice waited: {row, time, why}, time: until when; null where it is no wait or nobody knows.
export function waitedFor(model, slice) {
  return slice.merged === 1 ? CAUSES_OF[slice.activity.name]?.(model, slice) ?? null : null;
}

// How much of a slice was waiting: of one that requests a lock, until it had it.
function waitOf(model, slice) {
  const {hold} = lockOf(model, slice) ?? {};
  return hold ? hold.acquired - hold.requested : slice.end - slice.begin;
}

// The deepest slice that a row was in just before a time.
function before(model, row, time) {
  let found = null;
  for (const [depth, track] of model.rows[row].slices.entries()) {
    const i = track.find(time - 1, 0);
    if (i >= 0)
      found = {depth, i};
  }
  return found && model.slice(row, found.depth, found.i);
}

// The longest wait that ended in a row in an interval, of at least `least` ns; null: none.
function waitWithin(model, row, from, to, least) {
  let longest = null, most = least;
  for (const [depth, track] of model.rows[row].slices.entries()) {
    const {finest} = track;
    for (let i = track.firstFrom(from); i < finest.count && finest.begin[i] < to; i++) {
      if (finest.end[i] > to + 1 || finest.merged[i] > 1 || !CAUSES_OF[model.activities[finest.activity[i]].name])
        continue;
      const slice = finest.end[i] - finest.begin[i] >= most ? model.slice(row, depth, i) : null;
      const ns = slice ? waitOf(model, slice) : 0;
      if (ns >= most && ns > 0)
        [longest, most] = [slice, ns];
    }
  }
  return longest;
}

// The steps from a selected wait on: {row, time, text}.
export function chainOf(model, slice) {
  const steps = [], seen = new Set([slice.row]);
  const least = LEAST * (slice.end - slice.begin);
  for (let wait = slice; wait && steps.length < MAX_STEPS;) {
    const cause = waitedFor(model, wait);
    if (!cause)
      break;
    const inside = before(model, cause.row, cause.time);
    steps.push({row: cause.row, time: cause.time, text: `${model.rows[cause.row].name} ${cause.why}, ` +
      `${duration(cause.time - wait.begin)} after the wait began` + (inside ? `, in ${inside.region.short}` : '')});
    if (seen.has(cause.row))
      break;
    seen.add(cause.row);
    wait = waitWithin(model, cause.row, wait.begin, cause.time, least);
    if (wait)
      steps.push({row: wait.row, time: wait.begin, text: `it had waited ${duration(waitOf(model, wait))} in ` +
        `${wait.region.short}`});
  }
  return steps;
}
