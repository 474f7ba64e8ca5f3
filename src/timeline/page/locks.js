// The lives of locks: who held each, one after another, and who waited for it meanwhile.
import {lowerBound} from './bytes.js';
import {duration} from './format.js';
import {readHold, unpackHold} from './tables.js';

const MAX_HOLDS = 300;
export const REQUESTS_LOCK = /critical|lock|ordered|atomic|mutex/;

// Acquisitions: {id, requested, acquired, released, row}; id: of the lock, by which a server has it.
export function decodeLocks(reader, {section: [, count], ids}) {
  const holds = [];
  for (let i = 0, time = 0, lock = 0; i < count; i++) {
    const {head, waited, held, row} = readHold(reader), {isNextLock, since} = unpackHold(head);
    lock += isNextLock;
    time = (isNextLock ? 0 : time) + since;
    holds.push({id: ids[lock] ?? lock, requested: time - waited, acquired: time, released: time + held, row});
  }
  return holds;
}

// By lock, in the order of acquisition; each has `before`: who held it until then. First are those that the page has.
export function locksOf(holds, {ids, names}) {
  const locks = new Map();
  for (const [number, id] of ids.entries())
    locks.set(id, {id, name: names[number] ?? `lock ${number}`, holds: []});
  for (const hold of holds) {
    if (!locks.has(hold.id))
      locks.set(hold.id, {id: hold.id, name: names[hold.id] ?? `lock ${hold.id}`, holds: []});
    locks.get(hold.id).holds.push(hold);
  }
  for (const lock of locks.values()) {
    lock.holds.sort((one, other) => one.acquired - other.acquired);
    for (const [i, hold] of lock.holds.entries())
      hold.before = lock.holds[i - 1] ?? null;
    lock.begins = Float64Array.from(lock.holds, ({acquired}) => acquired);
  }
  return [...locks.values()].filter(lock => lock.holds.length > 0);
}

// The lock that a slice is about, with that acquisition: {lock, hold}, or null.
export function lockOf(model, slice) {
  if (!slice || slice.merged > 1 || !REQUESTS_LOCK.test(slice.region.name))
    return null;
  let best = null;
  for (const lock of model.locks)
    for (let i = lowerBound(lock.begins, slice.begin); i < lock.holds.length; i++) {
      const hold = lock.holds[i];
      if (hold.requested > slice.end && hold.acquired > slice.end)
        break;
      if (hold.row === slice.row && hold.requested <= slice.end && (!best || hold.acquired < best.hold.acquired))
        best = {lock, hold};
    }
  return best;
}

export function lockFacts(model, slice) {
  const {lock, hold} = lockOf(model, slice) ?? {};
  if (!hold)
    return [];
  const facts = [['lock', lock.name], ['held', duration(hold.released - hold.acquired)]];
  if (hold.acquired > hold.requested) {
    facts.push(['waited', duration(hold.acquired - hold.requested)]);
    const rows = new Set(lock.holds.filter(({acquired, released}) => acquired < hold.acquired &&
      released > hold.requested).map(({row}) => model.rows[row].name));
    if (rows.size)
      facts.push(['for', [...rows].slice(0, 6).join(', ') + (rows.size > 6 ? ', …' : '')]);
  }
  return facts;
}

// Over the rows: a thick line while a lock is held, a broken one while it is waited for, a thin one from who begins to
// wait to who holds it then, and one from a release to the acquisition that waited for it.
export function drawLock(context, chart, {holds}, colours, height) {
  const {view, layout} = chart, y = row => height(row, -1) + layout.bandOf(layout.rows[row]) / 2;
  const shown = holds.filter(({requested, released, row}) => requested <= view.to && released >= view.from &&
    !layout.isTakenOut(row));
  if (shown.length > MAX_HOLDS) // the longest ones
    shown.sort((one, other) => other.released - other.requested - (one.released - one.requested)).splice(MAX_HOLDS);
  context.strokeStyle = context.fillStyle = colours.lock;
  for (const hold of shown) {
    line(context, 4, [], chart.x(hold.acquired), y(hold.row), Math.max(chart.x(hold.released),
      chart.x(hold.acquired) + 2), y(hold.row));
    if (hold.acquired > hold.requested)
      drawWait(context, chart, hold, y);
  }
  context.setLineDash([]);
}

function drawWait(context, chart, hold, y) {
  const requested = chart.x(hold.requested), acquired = chart.x(hold.acquired), here = y(hold.row);
  line(context, 1.5, [4, 3], requested, here, acquired, here);
  let holder = hold.before;
  if (holder && holder.released <= hold.acquired && holder.released >= hold.requested)
    line(context, 1.5, [], chart.x(holder.released), y(holder.row), acquired, here);
  while (holder && holder.acquired > hold.requested)
    holder = holder.before;
  if (holder && holder.released > hold.requested)
    line(context, 0.8, [], requested, here, requested, y(holder.row));
}

function line(context, width, dash, x0, y0, x1, y1) {
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
}
