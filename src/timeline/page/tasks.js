// Tasks: where each was created, and where it ran.
import {readPiece, readTask} from './tables.js';

// Tasks in the order of their creation; a piece is the time between two switches.
// `isServed`: of an answer, in which each has its time since the beginning, in the order of their ends.
export function decodeTasks(reader, count, isServed = false) {
  const tasks = [];
  let created = 0;
  for (let i = 0; i < count; i++) {
    const {since: sinceLast, row, region, thread, generation, isComplete, pieces} = readTask(reader);
    created = (isServed ? 0 : created) + sinceLast;
    const task = {created, row, region, thread, generation, isComplete: isComplete === 1, pieces: []};
    let time = created;
    for (let left = pieces; left > 0; left--) {
      const {since, length, row: on} = readPiece(reader), begin = time + since;
      time = begin + length;
      task.pieces.push({begin, end: time, row: on});
    }
    tasks.push(task);
  }
  return tasks;
}
