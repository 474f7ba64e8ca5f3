// An interval that was marked, of all rows or of some: what it is called, and where it lies in the picture.
import {count, duration, instant, plural} from './format.js';
import {RULER} from './layout.js';

const MAX_NAMES = 4;

export class Range {
  // `rows`: indices, or null for all.
  constructor(from, to, rows) {
    Object.assign(this, {from, to, rows});
  }

  get length() {
    return this.to - this.from;
  }

  rowsOf(model) {
    return this.rows ? this.rows.map(index => model.rows[index]) : model.rows;
  }

  // "2.00 ms – 4.00 ms", "3 of 16 rows: ...".
  describe(model) {
    const step = Math.max(1, this.length / 1000);
    const times = `${instant(this.from, step)} – ${instant(this.to, step)}`;
    if (!this.rows)
      return {times, rows: `all ${plural(model.rows.length, 'row')}`};
    const names = this.rows.slice(0, MAX_NAMES).map(index => model.rows[index].name).join(', ');
    return {times, rows: `${count(this.rows.length)} of ${plural(model.rows.length, 'row')}: ${names}` +
      (this.rows.length > MAX_NAMES ? ', …' : '')};
  }

  get title() {
    return duration(this.length);
  }

  // Over the rows that it has.
  draw(context, chart, colours) {
    const left = Math.round(chart.x(this.from)), right = Math.max(Math.round(chart.x(this.to)), left + 1);
    context.fillStyle = colours.select;
    if (!this.rows) {
      this.#fill(context, left, right, 0, chart.height);
      return;
    }
    for (const [top, bottom] of this.#bands(chart))
      this.#fill(context, left, right, top, bottom - top);
    context.fillRect(left, RULER - 3, right - left, 3);
  }

  #fill(context, left, right, y, height) {
    context.globalAlpha = 0.12;
    context.fillRect(left, y, right - left, height);
    context.globalAlpha = 0.85;
    context.fillRect(left, y, 1, height);
    context.fillRect(right, y, 1, height);
    context.globalAlpha = 1;
  }

  // From where to where its rows lie, neighbours as one.
  #bands(chart) {
    const bands = [], places = this.rows.map(index => chart.layout.rows[index]).filter(({height}) => height > 0)
      .map(place => ({top: chart.top(place), bottom: chart.top(place) + place.height}));
    for (const {top, bottom} of places.sort((one, other) => one.top - other.top))
      if (bands.length && bands.at(-1)[1] >= top - 0.5)
        bands.at(-1)[1] = bottom;
      else
        bands.push([top, bottom]);
    return bands;
  }
}
