// Orders of rows: by number as the page has them, by load, by waiting, by similarity.

export const ORDERS = {
  number: 'number',
  load: 'load: busiest first',
  waiting: 'waiting: longest first',
  similarity: 'similarity: alike together',
};

const COLUMNS = 16;
export const WAITING = /wait/;
export const LOAD = /^(work|serial|task|device|reduction)$/;

// The rows' indices by how long they did what matches, the longest first.
function byTime(model, from, to, requested) {
  const kinds = model.activities.map(({name}) => requested.test(name));
  const times = model.rows.map(row => Math.round(model.times(from, to, [row])
    .reduce((sum, ns, kind) => sum + (kinds[kind] ? ns : 0), 0)));
  return model.rows.map(({index}) => index).sort((one, other) => times[other] - times[one] || one - other);
}

// What a row did in each of some columns of time.
function shapeOf(row, from, to, kinds) {
  const shape = new Float64Array(COLUMNS * kinds), width = (to - from) / COLUMNS;
  for (let column = 0; column < COLUMNS; column++)
    row.activity.addTimes(from + column * width, from + (column + 1) * width,
      shape.subarray(column * kinds, (column + 1) * kinds));
  return shape;
}

function distance(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++)
    sum += Math.abs(one[i] - other[i]);
  return sum;
}

// A chain from the first row: next is always the one that is most like the last.
function bySimilarity(model, from, to) {
  const shapes = model.rows.map(row => shapeOf(row, from, to, model.activities.length));
  const left = new Set(model.rows.keys()), order = [];
  for (let next = 0; left.size > 0;) {
    left.delete(next);
    order.push(next);
    let nearest = Infinity, best = next;
    for (const index of left) {
      const far = distance(shapes[index], shapes[next]);
      if (far < nearest)
        [nearest, best] = [far, index];
    }
    next = best;
  }
  return order;
}

// The rows' indices from top to bottom, by what they did in an interval.
export function sortRows(model, by, from, to) {
  if (by === 'load')
    return byTime(model, from, to, LOAD);
  if (by === 'waiting')
    return byTime(model, from, to, WAITING);
  if (by === 'similarity' && model.rows.length > 0)
    return bySimilarity(model, from, to);
  return model.rows.map(({index}) => index);
}
