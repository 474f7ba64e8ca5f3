// Which part of the trace is looked at: an interval of time, and how far down the rows are scrolled.

const SHORTEST_NS = 20, MIN_ROOM_NS = 500;
const POINT_NS = 20000; // around a point, at least

export class View extends EventTarget {
  constructor(from, to) {
    super();
    this.start = from;
    this.stop = Math.max(to, from + 1);
    this.from = this.start;
    this.to = this.stop;
    this.top = 0;
    this.deepest = 0; // the largest top
  }

  get length() {
    return this.to - this.from;
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }

  // The length nearest to this that can be shown.
  within(length) {
    const all = this.stop - this.start;
    return Math.min(all, Math.max(length, Math.min(SHORTEST_NS, all)));
  }

  // Shows an interval; what lies outside the trace is cut off, its length kept.
  show(from, to) {
    const length = this.within(to - from);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - length / 2, this.start), this.stop - length);
    this.to = this.from + length;
    this.#changed();
  }

  showAll() {
    this.show(this.start, this.stop);
  }

  // Shows an interval with some room on both sides.
  showAround(from, to) {
    this.#showWithRoom(from, to, 0.25);
  }

  // Shows a slice with some room; one without duration with a tenth of its present surroundings.
  zoomTo({begin, end}) {
    if (end > begin) {
      this.showAround(begin, end);
      return;
    }
    const length = Math.min(this.length, Math.max(this.length / 10, POINT_NS));
    this.show(begin - length / 2, begin + length / 2);
  }

  #showWithRoom(from, to, share) {
    const room = Math.max((to - from) * share, MIN_ROOM_NS);
    this.show(from - room, to + room);
  }

  // Makes an interval visible without changing the scale if that is possible.
  reveal(from, to) {
    if (to - from > this.length)
      this.showAround(from, to);
    else if (to - from < this.length / 1000)
      this.#showWithRoom(from, to, 10); // with what is beside it
    else if (from < this.from || to > this.to)
      this.panBy((from + to) / 2 - (this.from + this.to) / 2);
  }

  // Brings the begin of an interval into view; the scale stays.
  panTo(from, to) {
    if (from < this.from || to > this.to)
      this.panBy(to - from < this.length ? (from + to) / 2 - (this.from + this.to) / 2
        : from - this.from - this.length / 10);
  }

  // Shows `factor` times as much; `time` stays where it is.
  zoom(factor, time = (this.from + this.to) / 2) {
    const length = this.within(this.length * factor);
    const from = time - (time - this.from) * length / this.length;
    this.show(from, from + length);
  }

  panBy(ns) {
    this.show(this.from + ns, this.to + ns);
  }

  scrollTo(top) {
    this.top = Math.min(Math.max(top, 0), this.deepest);
    this.#changed();
  }

  setDeepest(deepest) {
    this.deepest = Math.max(0, deepest);
    this.top = Math.min(this.top, this.deepest);
  }
}
