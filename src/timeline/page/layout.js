// Where rows lie: each has a band of activities and, below it, a bar for each depth of nesting. Rows can be one line
// each, or share the height that there is; then, where there are more rows than lines, neighbours share a line.

// In pixels: the time axis, and of a row its band, a bar, and what is between rows.
export const RULER = 26;
const BAND = 16, BAR = 15, GAP = 7, LINE_GAP = 2, GROUP_LINE = 14;

export const HEIGHTS = ['nested', 'lines', 'fit'];
export const COUNTER = 34; // of a counter below its row
const MAX_COUNTERS = 8;   // that are shown at first
const MAX_NESTED_ROWS = 64; // with regions below at first; more fit the window
const FOLDED_BARS = 3, LARGEST = 1.5, MAX_UNFOLDED = 16, MIN_LINE = 1, MIN_FIT_SHARE = 0.4;

function hasCountersAlone({kind}) {
  return kind === 'metrics';
}

export class Layout {
  constructor(rows, groupings, grouping) {
    this.rows = rows.map(row => ({row, isOpen: false, y: 0, height: 0, bars: 0, counters: 0, isHidden: false,
      shares: [row]}));
    this.groupings = groupings;
    this.order = rows.map(({index}) => index); // from top to bottom, within groups
    this.hidden = new Set();                   // rows that were removed, by index
    this.pinned = new Set();                   // rows that stay at the top, by index
    this.pinnedHeight = 0;
    this.requested = null;                        // the rows that a filter leaves, by index; null: all
    this.heightsAtFirst = rows.length > MAX_NESTED_ROWS ? 'fit' : 'nested';
    this.heights = this.heightsAtFirst;
    this.room = 0;
    this.hasCountersAtFirst = rows.filter(row => !hasCountersAlone(row))
      .reduce((sum, row) => sum + row.counters.length, 0) <= MAX_COUNTERS;
    this.hasCounters = this.hasCountersAtFirst; // whether counters are shown below rows
    const bars = rows.reduce((sum, row) => sum + row.slices.length, 0);
    for (const place of this.rows)
      place.isOpen = rows.length <= 4 && bars <= 40;
    this.openAtFirst = this.rows.filter(({isOpen}) => isOpen).map(({row}) => row.index);
    this.groupBy(grouping);
  }

  // -- what is shown --

  get isAllOpen() {
    return this.rows.every(place => place.isOpen || place.row.slices.length <= this.#foldedBars);
  }

  get #foldedBars() {
    return this.heights === 'nested' ? FOLDED_BARS : 0;
  }

  get isFit() {
    return this.heights === 'fit';
  }

  setAll(isOpen) {
    for (const place of this.rows)
      place.isOpen = isOpen;
    this.update();
  }

  setHeights(heights) {
    this.heights = heights;
    this.update();
  }

  // Many rows are folded at first, but for those that are all one group, and threads of the runtime's own always.
  isFoldedAtFirst({isOwn}) {
    return isOwn || this.grouping !== 'all' && this.rows.length > MAX_UNFOLDED;
  }

  groupBy(grouping) {
    this.grouping = grouping;
    this.groups = this.groupings[grouping].map(group => ({group, isFolded: this.isFoldedAtFirst(group), y: 0,
      height: 0, places: []}));
    this.setOrder(this.order);
  }

  setOrder(order) {
    this.order = order;
    const ranks = new Map(order.map((index, rank) => [index, rank]));
    for (const {group, places} of this.groups)
      places.splice(0, places.length, ...group.rows.map(row => this.rows[row.index])
        .sort((one, other) => ranks.get(one.row.index) - ranks.get(other.row.index)));
    this.update();
  }

  // Groups: all their rows, or one band that has the times of all their rows.
  foldAll(isFolded) {
    for (const group of this.groups)
      group.isFolded = isFolded;
    this.update();
  }

  toggleGroup(index) {
    this.groups[index].isFolded = !this.groups[index].isFolded;
    this.update();
  }

  // Shows a row that is folded away, removed or filtered out.
  unfold(index) {
    const place = this.rows[index], group = this.groups.find(({places}) => places.includes(place));
    if (!place.isHidden)
      return false;
    if (group?.isFolded)
      group.isFolded = false;
    this.hidden.delete(index);
    if (!this.requested?.has(index))
      this.requested = null;
    this.update();
    return true;
  }

  toggle(index) {
    this.rows[index].isOpen = !this.rows[index].isOpen;
    this.update();
  }

  hide(indices) {
    for (const index of indices)
      this.hidden.add(index);
    this.update();
  }

  togglePinned(index) {
    if (!this.pinned.delete(index))
      this.pinned.add(index);
    this.update();
  }

  setWanted(requested) {
    this.requested = requested;
    this.update();
  }

  isTakenOut(index) {
    return this.hidden.has(index) || Boolean(this.requested && !this.requested.has(index));
  }

  // Few rows are drawn larger, to use the height that there is.
  setRoom(height) {
    this.room = height;
    this.update();
  }

  // -- placing --

  update() {
    this.pinnedHeight = 0;
    for (const place of this.rows)
      Object.assign(place, {isHidden: true, bars: 0, counters: 0, y: 0, height: 0, shares: [place.row]});
    if (this.isFit) {
      this.#placeFitting();
      return;
    }
    this.#place(1);
    this.#place(Math.min(LARGEST, Math.max(1, this.room / this.height)));
  }

  // What is to be placed from top to bottom: pinned rows, then groups, each with those of its rows that are shown.
  #sections() {
    const isPinned = ({row}) => this.pinned.has(row.index), all = this.order.map(index => this.rows[index]);
    const shown = places => places.filter(({row}) => !this.isTakenOut(row.index)), pinned = shown(all.filter(isPinned));
    const rest = places => shown(places).filter(place => !isPinned(place));
    const grouped = new Set(this.groups.flatMap(({places}) => places)), other = all.filter(one => !grouped.has(one));
    const sections = this.groups.map(group => ({group, places: group.isFolded ? [] : rest(group.places)}));
    return [...[pinned, rest(other)].filter(({length}) => length).map(places => ({group: null, places})), ...sections];
  }

  #place(scale) {
    this.band = Math.round(BAND * scale);
    this.bar = Math.round(BAR * scale);
    this.height = 0;
    for (const {group, places} of this.#sections()) {
      if (group)
        this.#placeGroup(group, this.band + (group.isFolded ? this.#gap : 3));
      for (const place of places)
        this.#placeRow(place);
      if (this.isPinned(places[0]))
        this.pinnedHeight = this.height;
    }
  }

  get #gap() {
    return this.heights === 'nested' ? GAP : LINE_GAP;
  }

  // Rows of one line have counters when they are open; those that have nothing else always.
  #countersOf({row, isOpen}) {
    const isShown = this.hasCounters || hasCountersAlone(row);
    return isShown && (isOpen || this.heights === 'nested') ? row.counters.length : 0;
  }

  #placeGroup(group, height) {
    Object.assign(group, {y: this.height, height});
    this.height += height;
    if (group.isFolded)
      for (const place of group.places.filter(one => !this.isPinned(one)))
        place.y = group.y;
  }

  #placeRow(place) {
    const depth = place.row.slices.length;
    place.isHidden = false;
    place.bars = place.isOpen ? depth : Math.min(depth, this.#foldedBars);
    place.counters = this.#countersOf(place);
    place.y = this.height;
    place.height = this.band + this.bar * place.bars + COUNTER * place.counters + this.#gap;
    this.height += place.height;
  }

  // Heads of groups and open rows get the height that they need; the others, and folded groups, share the rest.
  #placeFitting() {
    const sections = this.#sections(), open = place => place.isOpen && place.row.slices.length > 0;
    Object.assign(this, {band: BAND, bar: BAR, height: 0});
    const folded = sections.filter(({group}) => group?.isFolded).length;
    const closed = folded + sections.reduce((sum, {places}) => sum + places.filter(place => !open(place)).length, 0);
    let taken = 0;
    for (const {group, places} of sections)
      for (const place of [...group && !group.isFolded ? [null] : [], ...places.filter(open)])
        taken += place ? this.band + this.bar * place.row.slices.length + COUNTER * this.#countersOf(place) + GAP
          : GROUP_LINE;
    const room = Math.max(this.room - taken, this.room * MIN_FIT_SHARE, 1);
    const share = Math.max(1, Math.ceil(closed * MIN_LINE / room)); // rows of a line
    const lines = folded + sections.reduce((sum, {places}) =>
      sum + Math.ceil(places.filter(place => !open(place)).length / share), 0);
    this.line = Math.min(BAND * LARGEST, room / Math.max(1, lines));
    for (const {group, places} of sections) {
      if (group)
        this.#placeGroup(group, group.isFolded ? Math.max(MIN_LINE, this.line) : GROUP_LINE);
      this.#placeLines(places, share, open);
    }
  }

  #placeLines(places, share, open) {
    let line = null;
    for (const place of places) {
      if (open(place)) {
        this.#placeRow(place);
        line = null;
      } else if (line && line.shares.length < share) {
        Object.assign(place, {y: line.y, height: 0, isHidden: false});
        line.shares.push(place.row);
      } else {
        line = Object.assign(place, {y: this.height, height: this.line, isHidden: false});
        this.height += this.line;
      }
    }
  }

  // -- finding --

  // Whether a place stays where it is when the others are scrolled.
  isPinned(place) {
    return Boolean(place?.row && this.pinned.has(place.row.index));
  }

  // The rows, or groups, between two heights, from top to bottom; those pinned always.
  visible(top, bottom, places = this.rows) {
    return places.filter(place => !place.isHidden && place.height > 0 && (this.isPinned(place) ||
      place.y < bottom && place.y + place.height > top)).sort((one, other) => one.y - other.y);
  }

  // How high the band of a row is.
  bandOf(place) {
    return place.bars === 0 && this.isFit ? place.height : this.band;
  }

  // The group whose line lies at a height, or null.
  groupAt(y) {
    return this.groups.find(({y: top, height}) => y >= top && y < top + height) ?? null;
  }

  // What lies at a height: {row, depth, counter}, depth -1 for the band, null where there is none; null between rows.
  at(y) {
    const place = this.rows.find(({y: top, height}) => y >= top && y < top + height);
    if (!place)
      return null;
    const depth = y < place.y + this.bandOf(place) ? -1 : Math.floor((y - place.y - this.band) / this.bar);
    const line = (y - this.counterTop(place, 0)) / COUNTER, counter = Math.floor(line);
    return {row: place.row.index, depth: depth < place.bars ? depth : null,
      counter: counter >= 0 && counter < place.counters ? place.row.counters[counter] : null,
      share: line - counter};
  }

  counterTop(place, index) {
    return place.y + this.band + this.bar * place.bars + COUNTER * index;
  }

  // The rows between two heights, by index, those that share a line too.
  between(top, bottom) {
    return this.visible(top, bottom).filter(({y, height}) => y < bottom && y + height > top)
      .flatMap(({shares}) => shares.map(({index}) => index));
  }

  barTop(row, depth) {
    const place = this.rows[row];
    return depth < 0 || place.isHidden || place.bars === 0 ? place.y
      : place.y + this.band + this.bar * Math.min(depth, place.bars - 1);
  }
}
