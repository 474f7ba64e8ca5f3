// Where rows lie: each has a band of activities and, below it, a bar for each depth of nesting.

// In pixels: the time axis, and of a row its band, a bar, and what is between rows.
export const RULER = 26;
const BAND = 16, BAR = 15, GAP = 7;

const FOLDED_BARS = 3, LARGEST = 1.5, MOST_UNFOLDED = 16;

export class Layout {
  constructor(rows, groups) {
    this.rows = rows.map(row => ({row, isOpen: false, y: 0, height: 0, bars: 0, isHidden: false}));
    this.groups = groups.map(group => ({group, isFolded: rows.length > MOST_UNFOLDED, y: 0, height: 0,
      places: group.rows.map(row => this.rows[row.index])}));
    const bars = rows.reduce((sum, row) => sum + row.slices.length, 0);
    this.room = 0;
    for (const place of this.rows)
      place.isOpen = rows.length <= 4 && bars <= 40;
    this.update();
  }

  get isAllOpen() {
    return this.rows.every(place => place.isOpen || place.row.slices.length <= FOLDED_BARS);
  }

  setAll(isOpen) {
    for (const place of this.rows)
      place.isOpen = isOpen;
    this.update();
  }

  // Processes: all their rows, or one band that has the times of all their threads.
  foldAll(isFolded) {
    for (const group of this.groups)
      group.isFolded = isFolded;
    this.update();
  }

  toggleGroup(index) {
    this.groups[index].isFolded = !this.groups[index].isFolded;
    this.update();
  }

  // Shows a row that is folded away.
  unfold(index) {
    const group = this.groups.find(({places}) => places.includes(this.rows[index]));
    if (!group?.isFolded)
      return false;
    this.toggleGroup(group.group.index);
    return true;
  }

  toggle(index) {
    this.rows[index].isOpen = !this.rows[index].isOpen;
    this.update();
  }

  // Few rows are drawn larger, to use the height that there is.
  setRoom(height) {
    this.room = height;
    this.update();
  }

  update() {
    this.#place(1);
    this.#place(Math.min(LARGEST, Math.max(1, this.room / this.height)));
  }

  #place(scale) {
    this.band = Math.round(BAND * scale);
    this.bar = Math.round(BAR * scale);
    this.height = 0;
    for (const group of this.groups)
      this.#placeGroup(group);
    for (const place of this.groups.length ? [] : this.rows)
      this.#placeRow(place);
  }

  #placeGroup(group) {
    group.y = this.height;
    group.height = this.band + (group.isFolded ? GAP : 3);
    this.height += group.height;
    for (const place of group.places) {
      place.isHidden = group.isFolded;
      if (group.isFolded)
        Object.assign(place, {bars: 0, y: group.y, height: 0});
      else
        this.#placeRow(place);
    }
  }

  #placeRow(place) {
    const depth = place.row.slices.length;
    place.bars = place.isOpen ? depth : Math.min(depth, FOLDED_BARS);
    place.y = this.height;
    place.height = this.band + this.bar * place.bars + GAP;
    this.height += place.height;
  }

  // The rows, or processes, between two heights.
  visible(top, bottom, places = this.rows) {
    return places.filter(place => !place.isHidden && place.y < bottom && place.y + place.height > top);
  }

  // The process whose line lies at a height, or null.
  groupAt(y) {
    return this.groups.find(({y: top, height}) => y >= top && y < top + height) ?? null;
  }

  // What lies at a height: {row, depth}, depth -1 for the band; null between rows.
  at(y) {
    const place = this.rows.find(({y: top, height}) => y >= top && y < top + height);
    if (!place)
      return null;
    const depth = y < place.y + this.band ? -1 : Math.floor((y - place.y - this.band) / this.bar);
    return {row: place.row.index, depth: depth < place.bars ? depth : null};
  }

  barTop(row, depth) {
    const place = this.rows[row];
    return depth < 0 || place.isHidden ? place.y : place.y + this.band + this.bar * Math.min(depth, place.bars - 1);
  }
}
