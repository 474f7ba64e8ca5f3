// The picture of the visible interval: names of rows, the time axis, bands of activities, bars of regions and tasks.
import {Bands} from './bands.js';
import {lowerBound} from './bytes.js';
import {drawConditions} from './condition_lines.js';
import {drawCounter, drawRadar} from './counters.js';
import {fit} from './fit.js';
import {plural} from './format.js';
import {nameInGroup} from './groups.js';
import {RULER} from './layout.js';
import {ticks} from './ruler.js';

export const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const NARROW = 2.5;      // pixels below which neighbours are drawn as one
const LABEL_FROM = 24;   // pixels that a bar needs for a label
const INDENT = 8;        // pixels for each level of nested teams
const PADDING = 4;
const MIN_NAME = 12;   // pixels between two names
const MAX_WRITTEN_OVER = 8;
const MIN_GUTTER = 106; // pixels: "OMP thread 10" can be read

export class Chart {
  constructor(canvas, model, view, layout) {
    Object.assign(this, {canvas, model, view, layout});
    this.context = canvas.getContext('2d', {alpha: false});
    this.bands = new Bands(model.activities.length);
    this.hidden = new Set();  // activities that the legend has turned off
    this.matches = null;      // regions that the search has found, or null
    this.outliers = new Set(); // rows that differ most from the others, marked in the margin
    this.radar = null;        // the counter that colours bands (the first of those alike), or null
    this.least = 0;           // ns that they have to be long
    this.drawings = 0;        // how often it was drawn
    this.letters = new Map(); // widths
    this.gutter = 150;
    this.clear();
  }

  resize(width, height, scale) {
    Object.assign(this, {width, height, scale});
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.gutter = Math.min(190, Math.max(MIN_GUTTER, width * 0.16));
    this.layout.setRoom(height - RULER);
    this.view.setDeepest(this.layout.height - (height - RULER));
    this.clear();
  }

  // Without it the canvas, which lets nothing shine through, would be black until the first frame.
  clear() {
    const {context} = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.palette?.colours.ground ?? getComputedStyle(document.body).backgroundColor;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  get plotWidth() {
    return Math.max(1, this.width - this.gutter);
  }

  x(time) {
    return this.gutter + (time - this.view.from) / this.view.length * this.plotWidth;
  }

  time(x) {
    return this.view.from + (x - this.gutter) / this.plotWidth * this.view.length;
  }

  // The layout's height at a point of the canvas, where pinned rows are not scrolled; and the reverse.
  heightAt(y) {
    return y - RULER < this.layout.pinnedHeight ? y - RULER : y - RULER + this.view.top;
  }

  top(place) {
    return RULER + place.y - (this.layout.pinnedHeight > 0 && this.layout.isPinned(place) ? 0 : this.view.top);
  }

  // The row and depth at a point of the canvas, or null.
  place(y) {
    return y < RULER ? null : this.layout.at(this.heightAt(y));
  }

  // The group whose line is there, or null.
  groupAt(y) {
    return y < RULER ? null : this.layout.groupAt(this.heightAt(y));
  }

  // The slice at a point, or null.
  sliceAt(x, y) {
    const place = this.place(y);
    if (!place || place.depth === null || place.depth < 0 || x < this.gutter)
      return null;
    const slack = 3 * this.view.length / this.plotWidth, track = this.model.rows[place.row].slices[place.depth];
    let i = track.find(this.time(x), 0);
    if (i < 0)
      i = track.find(this.time(x), slack);
    return i < 0 ? null : this.model.slice(place.row, place.depth, i);
  }

  draw(palette) {
    const {context, scale} = this;
    this.palette = palette;
    this.drawings++;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = palette.colours.ground;
    context.fillRect(0, 0, this.width, this.height);
    context.font = FONT;
    context.textBaseline = 'middle';
    this.hasMerged = false; // whether what the page has merged is to be seen
    const marks = ticks(this.view, this.plotWidth), {top} = this.view;
    const places = this.layout.visible(top, top + this.height - RULER);
    this.#drawGrid(marks);
    this.nameBottom = 0;
    if (this.layout.isFit)
      this.#drawLines(places.filter(place => place.bars === 0));
    const isPinned = place => this.layout.pinnedHeight > 0 && this.layout.isPinned(place);
    for (const place of places.filter(one => !isPinned(one)))
      this.#drawRow(place, this.top(place));
    this.nameBottom = 0;
    for (const place of this.layout.visible(top, top + this.height - RULER, this.layout.groups))
      this.#drawGroup(place, this.top(place));
    this.#drawPinned(places.filter(isPinned));
    this.#drawRuler(marks);
  }

  // Over what is scrolled below them.
  #drawPinned(places) {
    const {context, layout: {pinnedHeight}, palette: {colours}} = this;
    context.fillStyle = colours.stripe;
    context.fillRect(0, RULER, this.width, pinnedHeight);
    this.nameBottom = 0;
    for (const place of places)
      this.#drawRow(place, this.top(place));
    context.fillStyle = colours.dim;
    if (pinnedHeight > 0)
      context.fillRect(0, RULER + pinnedHeight - 2, this.width, 2);
  }

  #drawGrid(marks) {
    this.context.fillStyle = this.palette.colours.line;
    for (const {x} of marks)
      this.context.fillRect(Math.round(this.gutter + x), RULER, 1, this.height - RULER);
  }

  #drawRuler(marks) {
    const {context, gutter, palette: {colours}} = this;
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, this.width, RULER);
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 1, this.width, 1);
    context.textAlign = 'left';
    for (const {x, label} of marks) {
      context.fillStyle = colours.dim;
      context.fillRect(Math.round(gutter + x), RULER - 8, 1, 8);
      if (x < this.plotWidth - 50)
        context.fillText(label, Math.round(gutter + x) + 4, RULER / 2);
    }
  }

  #drawRow(place, y) {
    const {band, bar, heights, isFit} = this.layout;
    if (!isFit || place.bars > 0)
      this.#drawBand(place.row, y);
    for (let depth = 0; depth < place.bars; depth++)
      this.#drawBars(place.row.slices[depth], y + band + bar * depth);
    drawConditions(this, place.row, {y, band: this.layout.bandOf(place), height: this.layout.bandOf(place) +
      bar * place.bars});
    this.#drawName(place, y);
    this.#drawOutlier(place, y, this.layout.bandOf(place));
    for (let i = 0; i < place.counters; i++)
      drawCounter(this, place.row.counters[i], this.layout.counterTop(place, i) + y - place.y);
    if (heights === 'lines' && place.bars === 0)
      return;
    this.context.fillStyle = this.palette.colours.line;
    if (place.bars > 0 || place.counters > 0 || !isFit)
      this.context.fillRect(0, y + place.height - 4, this.width, 1);
  }

  // Rows that are one line, of whatever height, in one picture. Those that share a line are one.
  #drawLines(places) {
    const {scale, gutter, view, layout} = this, top = RULER - view.top;
    const box = {x: Math.round(gutter * scale), y: Math.round(RULER * scale), width: Math.round(this.plotWidth * scale),
      height: Math.max(1, Math.round((this.height - RULER) * scale))};
    const lines = [];
    for (const {row, y, height, shares} of places) {
      const from = Math.max(0, Math.round((y + top) * scale) - box.y);
      const to = Math.min(box.height, Math.round((y + height + top) * scale) - box.y);
      const gap = to - from >= 4 * scale ? Math.round(scale) : 0;
      if (to - gap > from)
        lines.push({tracks: shares.map(({activity}) => activity), y: from, height: to - from - gap});
      this.hasMerged ||= layout.line > MIN_NAME && row.activity.hasMixed(view.from, view.to);
    }
    this.bands.drawLines(this.context, lines, view, box, this.palette, this.hidden);
    for (const {row, y, height} of places)
      if (this.#radarOf(row))
        drawRadar(this, this.#radarOf(row), y + top, Math.max(1, height - (height >= 4 ? 1 : 0)));
  }

  // A group: the times of all its rows, whether or not they are shown below.
  #drawGroup({group, isFolded, height}, y) {
    const {context, gutter, layout: {isFit}, palette: {colours}} = this;
    const band = isFit ? height - 1 : this.layout.band;
    if (isFit && isFolded && height < MIN_NAME) {
      this.#drawLowGroup(group, y, height);
      return;
    }
    context.fillStyle = colours.stripe;
    context.fillRect(0, y, this.width, band + 1);
    if (isFolded)
      this.#drawBands(group.rows.map(row => row.activity), y, band);
    context.fillStyle = isFolded ? colours.ground : colours.stripe;
    context.fillRect(0, y, gutter, band);
    if (isFolded)
      this.#drawOutlier({row: group.rows[0], shares: group.rows}, y, band);
    this.#nameGroup(group, isFolded, y + band / 2);
    context.fillStyle = colours.line;
    context.fillRect(0, y + (isFolded && !isFit ? height - 4 : 0), this.width, 1);
  }

  // A folded group whose line is lower than letters: of several the first has its name there.
  #drawLowGroup(group, y, height) {
    this.#drawBands(group.rows.map(row => row.activity), y - 1, Math.ceil(height) + 2);
    this.#drawOutlier({row: group.rows[0], shares: group.rows}, y, height);
    const middle = y < RULER ? y + height / 2 : Math.max(y + height / 2, RULER + 7); // not under the time axis
    if (middle < this.nameBottom)
      return;
    this.nameBottom = middle + MIN_NAME;
    this.#nameGroup(group, true, middle);
  }

  #nameGroup({name}, isFolded, middle) {
    const {context, gutter, palette: {colours}} = this;
    Object.assign(context, {fillStyle: colours.text, textAlign: 'left', font: `bold ${FONT}`});
    const text = `${isFolded ? '▸' : '▾'} ${name}`;
    context.fillText(fit(text, gutter - 12, letter => context.measureText(letter).width), 6, middle);
    context.font = FONT;
  }

  // The counter whose values are the colour of a row's band, or undefined.
  #radarOf(row) {
    return this.radar && row.counters.find(counter => counter.alike?.[0] === this.radar);
  }

  #drawBand(row, y) {
    const counter = this.#radarOf(row);
    if (counter) {
      drawRadar(this, counter, y + 1, this.layout.band - 2);
      return;
    }
    this.#drawBands([row.activity], y);
    this.hasMerged ||= row.activity.hasMixed(this.view.from, this.view.to);
  }

  #drawBands(tracks, y, band = this.layout.band) {
    const {scale, gutter, view} = this;
    const box = {x: Math.round(gutter * scale), y: Math.round((y + 1) * scale),
      width: Math.round(this.plotWidth * scale), height: Math.max(1, Math.round((band - 2) * scale))};
    if (y + band > RULER && y < this.height)
      this.bands.draw(this.context, tracks, view, box, this.palette, this.hidden);
  }

  // A row that differs from the others, or one of those that share a line.
  #drawOutlier({row, shares}, y, height) {
    const {context, gutter, palette: {colours}} = this;
    if (![row, ...shares].some(({index}) => this.outliers.has(index)))
      return;
    context.fillStyle = colours.flag;
    context.beginPath();
    context.moveTo(gutter - 1, y + height / 2);
    context.lineTo(gutter - 8, y + height / 2 - 4);
    context.lineTo(gutter - 8, y + height / 2 + 4);
    context.fill();
  }

  // Where rows are lower than letters, of several the first.
  #drawName(place, y) {
    const {row, isOpen, bars} = place, {context, gutter, layout, palette: {colours}} = this;
    const {bar, isFit} = layout, band = layout.bandOf(place);
    context.fillStyle = colours.ground;
    if (bars > 0)
      context.fillRect(0, y, gutter, band + bar * bars);
    const middle = y < RULER ? y + band / 2 : Math.max(y + band / 2, RULER + 7); // not under the time axis
    if (isFit && bars === 0 && middle < this.nameBottom)
      return;
    this.nameBottom = middle + MIN_NAME;
    context.fillStyle = colours.text;
    context.textAlign = 'left';
    const arrow = row.slices.length === bars && !isOpen ? '  ' : isOpen ? '▾ ' : '▸ ';
    const left = 6 + Math.min(4, row.level) * INDENT;
    const name = (isFit && bars === 0 ? '' : arrow) + nameInGroup(row, layout.grouping);
    context.fillText(this.fit(name, gutter - left - 6), left, middle);
    if (bars < row.slices.length && bars > 0) {
      context.fillStyle = colours.dim;
      const more = row.slices.length - bars, texts = [plural(more, 'more level'), `+${more}`];
      context.fillText(texts.find(text => this.measure(text) <= gutter - 24) ?? '', 18, y + band + bar / 2);
    }
  }

  #drawBars(track, y) {
    if (y > this.height || y + this.layout.bar < RULER)
      return;
    const {view} = this, slices = track.level(NARROW * view.length / this.plotWidth);
    const slack = view.length / this.plotWidth, {begin, end} = slices;
    const first = lowerBound(slices.end, view.from - slack, 0, slices.count);
    this.textEnd = 0; // of what is written beside a point
    let i = first;
    for (; i < slices.count && begin[i] <= view.to; i++)
      this.#drawBar(slices, i, this.x(begin[i]), this.x(end[i]), y);
    this.hasMerged ||= slices === track.finest && slices.merged.subarray(first, i).some(count => count > 1);
  }

  #drawBar(slices, i, left, right, y) {
    const {context} = this, region = this.model.regions[slices.region[i]], activity = slices.activity[i];
    if (this.hidden.has(activity))
      return;
    left = Math.max(left, this.gutter);
    right = Math.min(right, this.width);
    const width = Math.max(right - left, 1), paint = this.palette.paints[activity];
    const isMatch = (!this.matches || this.matches.has(region.index)) &&
      (!this.least || slices.longest[i] >= this.least), isOne = slices.merged[i] === 1;
    context.globalAlpha = isMatch ? (isOne ? 1 : 0.75) : 0.15;
    if (slices.end[i] === slices.begin[i]) {
      this.#drawPoint(left, y, paint);
      if (isOne && isMatch)
        this.#drawPointLabel(slices, i, left, y);
    } else {
      this.#drawBox(left, y, width, isOne, paint);
      if (width >= LABEL_FROM && isMatch)
        this.#drawLabel(isOne ? region.labels : [`${slices.merged[i]} short`], left, width, y, paint);
    }
    context.globalAlpha = 1;
  }

  // What represents several is flatter.
  #drawBox(left, y, width, isOne, paint) {
    const {context, layout: {bar}} = this, height = isOne ? bar - 1 : bar - 5;
    context.fillStyle = width >= 6 ? paint.fill : paint.css;
    context.fillRect(left, y + bar - 1 - height, width, height);
    if (width > 3) {
      context.fillStyle = paint.edge;
      context.fillRect(left, y + bar - 1 - height, 1, height);
    }
  }

  // Items without duration.
  #drawPoint(x, y, paint) {
    const {context} = this;
    context.fillStyle = paint.edge;
    context.fillRect(x - 0.5, y, 1, this.layout.bar - 1);
    context.fillRect(x - 1.5, y, 3, 3);
  }

  // Beside a point, if there is room until what comes next: its text (of a message, of a note), which is written over
  // points that have none, or its region's name.
  #drawPointLabel(slices, i, x, y) {
    const {context, model} = this, text = this.#textOf(slices, i), {labels} = model.regions[slices.region[i]];
    let next = i + 1;
    while (text && next < slices.count && next - i < MAX_WRITTEN_OVER && slices.begin[next] === slices.end[next] &&
      !this.#textOf(slices, next))
      next++;
    const room = (next < slices.count ? Math.min(this.x(slices.begin[next]), this.width) : this.width) - x -
      2 * PADDING;
    if (room < LABEL_FROM || !text && x < this.textEnd)
      return;
    const label = this.fit(text ?? labels.find(name => this.measure(name) <= room) ?? labels.at(-1), room);
    context.fillStyle = this.palette.colours.text;
    context.textAlign = 'left';
    context.fillText(label, x + PADDING, y + this.layout.bar / 2);
    this.textEnd = x + 2 * PADDING + this.measure(label);
  }

  #textOf(slices, i) {
    return this.model.textOf(slices.attributes?.get(i));
  }

  // The first of the labels that fits, or the last one, cut.
  #drawLabel(labels, left, width, y, paint) {
    const {context, layout: {bar}} = this, room = width - 2 * PADDING;
    const label = labels.find(text => this.measure(text) <= room) ?? this.fit(labels.at(-1), room);
    if (!label)
      return;
    if (!paint.isPlain) { // no pattern after letters
      context.fillStyle = paint.css;
      context.fillRect(left + PADDING - 2, y + 2, this.measure(label) + 4, bar - 5);
    }
    context.fillStyle = paint.text;
    context.textAlign = 'left';
    context.fillText(label, left + PADDING, y + bar / 2);
  }

  measure(text) {
    let width = 0;
    for (const letter of text) {
      if (!this.letters.has(letter))
        this.letters.set(letter, this.context.measureText(letter).width);
      width += this.letters.get(letter);
    }
    return width;
  }

  // The text, cut if it is wider than that.
  // The first text that fits; else the last one, cut.
  first(texts, width) {
    return texts.find(text => this.measure(text) <= width) ?? this.fit(texts.at(-1), width);
  }

  fit(text, width) {
    return fit(text, width, letter => this.measure(letter));
  }
}
