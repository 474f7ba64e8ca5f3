// Which tasks had to wait for which, by their depend clauses: from where one was complete to where the other began.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {duration, plural} from './format.js';
import {readDependence} from './tables.js';

// In the order of the completions: {from: {row, time}, to: {row, time}}.
export function decodeDependences(bytes, {section: [offset, length]}) {
  const reader = new NumberReader(bytes, offset), all = [];
  for (let i = 0, last = 0; i < length; i++) {
    const {since, from, waited, to} = readDependence(reader);
    last += since;
    all.push({from: {time: last, row: from}, to: {time: last + waited, row: to}});
  }
  return all;
}

// What reaches into an interval.
export function visibleDependences(model, {from, to}) {
  const {dependences} = model;
  model.longestDependence ??= dependences.reduce((longest, arrow) =>
    Math.max(longest, arrow.to.time - arrow.from.time), 0);
  model.dependenceTimes ??= Float64Array.from(dependences, arrow => arrow.from.time);
  const first = lowerBound(model.dependenceTimes, from - model.longestDependence);
  const end = upperBound(model.dependenceTimes, to);
  return dependences.slice(first, end).filter(arrow => arrow.to.time >= from);
}

const placeOf = ({row, time}) => `${row}.${time}`;

// Those that a task waited for, and those that waited for it.
export function dependencesOf(model, task) {
  const {pieces} = task;
  if (pieces.length === 0)
    return {before: [], after: []};
  model.dependencesTo ??= Map.groupBy(model.dependences, ({to}) => placeOf(to));
  model.dependencesFrom ??= Map.groupBy(model.dependences, ({from}) => placeOf(from));
  const last = pieces.at(-1);
  return {before: model.dependencesTo.get(placeOf({row: pieces[0].row, time: pieces[0].begin})) ?? [],
    after: model.dependencesFrom.get(placeOf({row: last.row, time: last.end})) ?? []};
}

// For the details: how many, and which of those waited for was complete last.
export function dependenceFacts(model, task) {
  const {before, after} = dependencesOf(model, task), facts = [];
  if (before.length) {
    const {from, to} = before.reduce((one, other) => other.from.time > one.from.time ? other : one);
    facts.push(['depends on', `${plural(before.length, 'task')}, the last complete ` +
      `${duration(to.time - from.time)} before on ${model.rows[from.row].name}`]);
  }
  if (after.length)
    facts.push(['needed by', plural(after.length, 'task')]);
  return facts;
}
