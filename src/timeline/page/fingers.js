// Fingers on the picture: one that rests shows what is under it, two zoom and move it.
const MIN_SPREAD = 24; // pixels; fingers that are closer zoom as if they were not

export class Fingers {
  constructor(chart) {
    Object.assign(this, {chart, places: new Map(), pinch: null, timer: 0});
    this.holdMs = 500;
  }

  get count() {
    return this.places.size;
  }

  // Where all of them are: the middle, and how far apart.
  #grip() {
    const [one, other] = [...this.places.values()];
    return {x: (one.x + other.x) / 2, y: (one.y + other.y) / 2,
      spread: Math.max(MIN_SPREAD, Math.hypot(one.x - other.x, one.y - other.y))};
  }

  // Calls `held` when the first one has rested for a while.
  down({pointerId, offsetX, offsetY}, held) {
    this.places.set(pointerId, {x: offsetX, y: offsetY});
    this.rest();
    if (this.count === 1)
      this.timer = setTimeout(held, this.holdMs);
    if (this.count === 2)
      this.#begin();
  }

  #begin() {
    const {view} = this.chart, grip = this.#grip();
    this.pinch = {...grip, time: this.chart.time(grip.x), length: view.length, top: view.top};
  }

  // Keeps what was in the middle of the fingers there. Returns whether there are two.
  move({pointerId, offsetX, offsetY}) {
    const {pinch, chart} = this, {view, plotWidth, gutter} = chart;
    if (this.places.has(pointerId))
      this.places.set(pointerId, {x: offsetX, y: offsetY});
    if (!pinch || this.count !== 2)
      return false;
    const grip = this.#grip(), length = view.within(pinch.length * pinch.spread / grip.spread);
    const from = pinch.time - (grip.x - gutter) / plotWidth * length;
    view.show(from, from + length);
    view.scrollTo(pinch.top - (grip.y - pinch.y));
    return true;
  }

  // The first one does not rest any more.
  rest() {
    clearTimeout(this.timer);
  }

  up({pointerId}) {
    this.rest();
    this.places.delete(pointerId);
    this.pinch = null;
  }
}
