// Numbers as people read them.

const UNITS = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];
const ROUNDED_UP = 0.9995; // of a unit and more is one when there are three digits
const NO_BREAK = '\u00a0';

// A length of time with three significant digits: 1.23 ms.
export function duration(ns) {
  const [unit, factor] = UNITS.find(([, size]) => ns >= ROUNDED_UP * size) ?? UNITS.at(-1);
  const value = ns / factor, rounded = Number(value.toPrecision(3));
  const digits = unit === 'ns' ? 0 : Math.max(0, 2 - Math.floor(Math.log10(rounded)));
  return value.toFixed(digits) + NO_BREAK + unit;
}

// A point in time, with as many digits as a step of `step` ns shows: 1.234567 s.
export function instant(ns, step) {
  const [unit, factor] = UNITS.find(([, size]) => Math.abs(ns) >= size) ?? UNITS.at(-1);
  const digits = Math.max(0, Math.ceil(Math.log10(factor / Math.max(step, 1)) - 1e-9));
  return (ns / factor).toFixed(digits) + NO_BREAK + unit;
}

// A time as an argument of the command line, exact.
export function option(ns) {
  return `${Math.round(ns)}ns`;
}

export function count(number) {
  return number.toLocaleString('en-US');
}

export function percent(part, total) {
  const value = total > 0 ? part / total * 100 : 0;
  return (value >= 99.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)) + NO_BREAK + '%';
}

// How much larger a share is than another one, in percentage points: +12.3.
export function difference(part, total, otherPart, otherTotal) {
  const points = (total > 0 ? part / total : 0) * 100 - (otherTotal > 0 ? otherPart / otherTotal : 0) * 100;
  const text = Math.abs(points).toFixed(1);
  return text === '0.0' ? '±0' : (points > 0 ? '+' : '−') + text;
}

// How much more a value is than another one, as `format` writes it: +1.20 ms.
export function change(value, other, format) {
  const more = value - other;
  return Math.abs(more) < 0.5 ? '±0' : (more < 0 ? '−' : '+') + format(Math.abs(more));
}

// The same in percent: +12.0 %; nothing where there was nothing before, or the same.
export function changeInPercent(value, other) {
  const more = Math.abs(value - other);
  return other > 0 && more >= 0.5 ? (value < other ? '−' : '+') + percent(more, other) : '';
}

// "1 task", "2 tasks".
export function plural(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

const PREFIXES = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

// A value of a counter: four digits, "1.234 M"; small and large ones with an exponent.
export function number(value, unit = '') {
  const size = Math.abs(value), tail = unit && NO_BREAK + unit;
  if (size >= 1e15 || (size > 0 && size < 1e-3))
    return value.toExponential(2) + tail;
  const [factor, prefix] = PREFIXES.find(([least]) => size >= least * 10) ?? [1, ''];
  const text = String(Number((value / factor).toPrecision(4))).replace('-', '−');
  return text + (prefix && NO_BREAK + prefix) + tail;
}

// A number of bytes: 4.5 MB.
export function size(bytes, unit = 'B') {
  const [factor, prefix] = PREFIXES.find(([least]) => bytes >= least) ?? [1, ''];
  return Number((bytes / factor).toPrecision(4)) + NO_BREAK + prefix + unit;
}
