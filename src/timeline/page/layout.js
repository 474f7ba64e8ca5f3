// Where rows lie: each has a band of activities and, below it, a bar for each depth of nesting.

// All in pixels.
export const BAND = 16;
export const BAR = 15;
export const GAP = 7;
export const RULER = 26; // the height of the time axis

const FOLDED_BARS = 3;

export class Layout {
  constructor(rows) {
    this.rows = rows.map(row => ({row, isOpen: false, y: 0, height: 0, bars: 0}));
    const bars = rows.reduce((sum, row) => sum + row.slices.length, 0);
    this.setAll(rows.length <= 4 && bars <= 40);
  }

  get isAllOpen() {
    return this.rows.every(place => place.isOpen || place.row.slices.length <= FOLDED_BARS);
  }

  setAll(isOpen) {
    for (const place of this.rows)
      place.isOpen = isOpen;
    this.update();
  }

  toggle(index) {
    this.rows[index].isOpen = !this.rows[index].isOpen;
    this.update();
  }

  update() {
    let y = 0;
    for (const place of this.rows) {
      const depth = place.row.slices.length;
      place.bars = place.isOpen ? depth : Math.min(depth, FOLDED_BARS);
      place.y = y;
      place.height = BAND + BAR * place.bars + GAP;
      y += place.height;
    }
    this.height = y;
  }

  // The rows between two heights.
  visible(top, bottom) {
    return this.rows.filter(place => place.y < bottom && place.y + place.height > top);
  }

  // What lies at a height: {row, depth}, depth -1 for the band; null between rows.
  at(y) {
    const place = this.rows.find(({y: top, height}) => y >= top && y < top + height);
    if (!place)
      return null;
    const depth = y < place.y + BAND ? -1 : Math.floor((y - place.y - BAND) / BAR);
    return {row: place.row.index, depth: depth < place.bars ? depth : null};
  }

  barTop(row, depth) {
    const place = this.rows[row];
    return depth < 0 ? place.y : place.y + BAND + BAR * Math.min(depth, place.bars - 1);
  }
}
