export function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0)
    return null;
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** What a row shows of its values, one for each run, null where it did not occur. */
export function describe(values) {
  const known = values.filter((value) => value !== null);
  const last = values[values.length - 1];
  const before = median(values.slice(0, -1));
  return {
    last,
    before,
    change: last === null || before === null || before === 0 ? null : last / before - 1,
    least: known.length ? Math.min(...known) : null,
    most: known.length ? Math.max(...known) : null,
  };
}
