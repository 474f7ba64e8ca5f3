// The values of one counter of one row over time. Where the page has merged several values, a point knows the last of
// them, the least and the most.
import {NumberReader, lowerBound, upperBound} from './bytes.js';
import {readPoint, unpackPoint} from './tables.js';

const scratch = new DataView(new ArrayBuffer(8));

// As the page has them: the bytes of the floating-point number, those first that are zero in short numbers.
function nextReal(reader) {
  scratch.setBigUint64(0, reader.nextBig(), true);
  return scratch.getFloat64(0);
}

function decode(reader, count) {
  const points = {count, times: new Float64Array(count), last: new Float64Array(count),
    least: new Float64Array(count), most: new Float64Array(count)};
  let time = 0;
  for (let i = 0; i < count; i++) {
    const {isMerged, since} = unpackPoint(readPoint(reader).head);
    time += since;
    points.times[i] = time;
    points.last[i] = points.least[i] = points.most[i] = nextReal(reader);
    if (isMerged) {
      points.least[i] = nextReal(reader);
      points.most[i] = nextReal(reader);
    }
  }
  return points;
}

function boundsOf(counters) {
  let bounds = [Infinity, -Infinity];
  for (const {points: {least, most, count}} of counters)
    for (let i = 0; i < count; i++)
      bounds = [Math.min(bounds[0], least[i]), Math.max(bounds[1], most[i])];
  return bounds;
}

// Shows counters which others count the same.
export function findAlike(counters) {
  const alike = Map.groupBy(counters, ({name, unit, meaning}) => [name, unit, meaning].join('\n'));
  for (const counter of counters)
    counter.alike = alike.get([counter.name, counter.unit, counter.meaning].join('\n'));
}

export class CounterTrack {
  constructor(bytes, {row, name, unit, meaning, points: [offset, count]}) {
    Object.assign(this, {row, name, meaning, unit: unit === '1' ? '' : unit, alike: [this]});
    this.load = () => decode(new NumberReader(bytes, offset), count);
  }

  get points() {
    return this.loaded ??= this.load();
  }

  // The least and most of all rows that have this counter: their lines can be compared.
  get bounds() {
    return this.loadedBounds ??= boundsOf(this.alike);
  }

  // Until when the last value holds: as long as its row has something.
  endIn({rows, to}) {
    return rows[this.row].activity.extent?.end ?? to;
  }

  // The value that holds at a time, or null before the first.
  at(time) {
    const i = upperBound(this.points.times, time) - 1;
    return i < 0 ? null : this.points.last[i];
  }

  // In an interval: {least, most, mean, growth}; the mean is over the time in which there is a value.
  summary(from, to) {
    const {times, last, least, most, count} = this.points, first = upperBound(times, from) - 1;
    const sum = {least: Infinity, most: -Infinity, mean: 0, growth: 0};
    let weight = 0;
    for (let i = Math.max(0, first); i < count && times[i] <= to; i++) {
      const ns = Math.min(to, i + 1 < count ? times[i + 1] : to) - Math.max(from, times[i]);
      weight += ns;
      sum.mean += last[i] * ns;
      sum.least = Math.min(sum.least, times[i] < from ? last[i] : least[i]);
      sum.most = Math.max(sum.most, times[i] < from ? last[i] : most[i]);
    }
    sum.mean = weight > 0 ? sum.mean / weight : this.at(to);
    sum.growth = (this.at(to) ?? 0) - (this.at(from) ?? last[0]);
    return sum.least <= sum.most ? sum : null;
  }

  // What to draw from one time to another in columns of equal width: calls `each` with column, least, most and last.
  columns(from, to, width, each) {
    const {times, last, least, most, count} = this.points, scale = width / (to - from);
    for (let i = Math.max(0, lowerBound(times, from) - 1); i < count && times[i] <= to;) {
      const column = Math.max(0, Math.floor((times[i] - from) * scale)), isBefore = times[i] < from;
      let low = isBefore ? last[i] : least[i], high = isBefore ? last[i] : most[i], value = last[i];
      for (i++; i < count && Math.floor((times[i] - from) * scale) <= column && times[i] <= to; i++) {
        low = Math.min(low, least[i]);
        high = Math.max(high, most[i]);
        value = last[i];
      }
      each(column, low, high, value);
    }
  }
}
