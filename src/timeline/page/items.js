// Tasks, messages, collective operations, acquisitions of locks and samples that a server has of an interval, in place
// of the page's own.
import {decodeMessages, decodeOperations} from './messages.js';
import {readDetailHold, readDetailSample, unpackSampled} from './tables.js';
import {decodeTasks} from './tasks.js';

function decodeHolds(reader, count) {
  const holds = [];
  for (let i = 0; i < count; i++) {
    const {lock, requested, waited, held, row} = readDetailHold(reader);
    holds.push({id: String(lock), requested, acquired: requested + waited, released: requested + waited + held, row});
  }
  return holds;
}

function decodeSamples(reader, count) {
  const samples = [];
  for (let i = 0; i < count; i++) {
    const {time, row, what} = readDetailSample(reader);
    samples.push({time, row, ...unpackSampled(what)});
  }
  return samples;
}

// In the order in which an answer has them: how they are read, when one begins and ends.
export const KINDS = {
  tasks: {decode: (reader, count) => decodeTasks(reader, count, true), begin: ({created}) => created,
    end: ({created, pieces}) => pieces.at(-1)?.end ?? created},
  messages: {decode: (reader, count) => decodeMessages(reader, count, true), begin: ({begin}) => begin,
    end: ({end}) => end},
  operations: {decode: (reader, count) => decodeOperations(reader, count, true), begin: ({begin}) => begin,
    end: ({end}) => end},
  holds: {decode: decodeHolds, begin: ({requested}) => requested, end: ({released}) => released},
  samples: {decode: decodeSamples, begin: ({time}) => time, end: ({time}) => time},
};

// The page's own with those of an interval in place of what it has there, in the order of their begins; its own, where
// that is more.
export function join(own, items, {from, to}, {begin, end}) {
  const isIn = item => begin(item) <= to && end(item) >= from, inside = items.filter(isIn);
  const outside = own.filter(item => !isIn(item));
  return inside.length < own.length - outside.length ? own
    : [...outside, ...inside].sort((one, other) => begin(one) - begin(other));
}
