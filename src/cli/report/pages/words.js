const NONE = '–';

export function time(seconds) {
  if (seconds === null)
    return NONE;
  for (const [unit, scale] of [['s', 1], ['ms', 1e3], ['us', 1e6]])
    if (seconds * scale >= 1)
      return `${Number((seconds * scale).toPrecision(3))} ${unit}`;
  return `${Number((seconds * 1e9).toPrecision(3))} ns`;
}

export function share(part) {
  return part === null ? NONE : `${(100 * part).toFixed(1)} %`;
}

// Nothing has a sign that is rounded to nothing.
export function change(part) {
  if (part === null)
    return NONE;
  const tenths = Math.round(1000 * part);
  return `${tenths > 0 ? '+' : ''}${((tenths || 0) / 10).toFixed(1)} %`;
}

export function date(run) {
  return run.start_ns === null ? '' : new Date(run.start_ns / 1e6).toISOString().slice(0, 16).replace('T', ' ');
}
