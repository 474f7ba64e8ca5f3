// Moving from slice to slice without a mouse.

// The neighbour in the same bar, or null.
function neighbour(model, {row, depth, i}, direction) {
  const next = i + direction;
  return next >= 0 && next < model.rows[row].slices[depth].finest.count ? model.slice(row, depth, next) : null;
}

// The slice at a time at a depth of a row, or null.
function sliceAt(model, row, depth, from, to) {
  const track = model.rows[row].slices[depth];
  let i = track.find((from + to) / 2, 0);
  if (i < 0)
    i = track.firstFrom(from);
  return i < track.finest.count && track.finest.begin[i] <= to ? model.slice(row, depth, i) : null;
}

// The next depth at this time, further on in the next row; null at the ends.
function below(model, slice, direction) {
  let {row, depth} = slice;
  for (;;) {
    depth += direction;
    if (depth < 0 || depth >= model.rows[row].slices.length) {
      row += direction;
      if (row < 0 || row >= model.rows.length)
        return null;
      depth = direction > 0 ? 0 : model.rows[row].slices.length - 1;
      if (depth < 0)
        continue;
    }
    const found = sliceAt(model, row, depth, slice.begin, slice.end);
    if (found)
      return found;
  }
}

// The first slice that can be seen.
function first(model, view) {
  for (const row of model.rows)
    for (let depth = row.slices.length - 1; depth >= 0; depth--) {
      const found = sliceAt(model, row.index, depth, view.from, view.to);
      if (found)
        return found;
    }
  return null;
}

export function makeSelector(model, view, selected, select) {
  const move = find => {
    const slice = selected() ? find(selected()) : first(model, view);
    if (slice)
      select(slice);
  };
  return {
    next: direction => move(slice => neighbour(model, slice, direction)),
    depth: direction => move(slice => below(model, slice, direction)),
  };
}
