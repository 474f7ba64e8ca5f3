// What the page has merged, requested from the server that the page comes from (stave timeline --serve).
import {NumberReader} from './bytes.js';
import {KINDS} from './items.js';
import {readDetail, readDetailBlock, readDetailItems, readDetailTrack} from './tables.js';

const ROOM = 1;         // beside the visible interval, times its length
const FEW_ROWS = 64;    // of so many all regions are requested; of more those that can be seen
const ENOUGH = 2;       // pixels that the page's own resolution may be wide
const FINER = 2;        // zoomed in by this factor, it is requested again

// Sections as the page's rows have them, one a block.
function readTrack(reader) {
  const sections = [];
  for (let {blocks} = readDetailTrack(reader); blocks > 0; blocks--) {
    const {count, bytes} = readDetailBlock(reader);
    sections.push([reader.offset, count]);
    reader.offset += bytes;
  }
  return sections;
}

// By kind: {items, isAll}.
function readItems(reader, bytes, regionOf) {
  const served = {};
  for (const [kind, {decode}] of Object.entries(KINDS)) {
    if (reader.offset >= bytes.length)
      break; // the trace has none of those that follow
    const {resolution} = readDetailItems(reader), items = [];
    for (const [offset, count] of readTrack(reader))
      for (const item of decode(new NumberReader(bytes, offset), count))
        items.push('region' in item ? {...item, region: regionOf(item.region)} : item);
    served[kind] = {items, isAll: resolution === 0};
  }
  return served;
}

function readAnswer(bytes, regionOf) {
  const reader = new NumberReader(bytes, 0), {resolution, rows: count} = readDetail(reader), rows = [];
  for (let i = 0; i < count; i++) {
    const row = {activity: readTrack(reader), slices: []};
    for (let depths = reader.next(); depths > 0; depths--)
      row.slices.push(readTrack(reader));
    rows.push(row);
  }
  return {resolution, rows, items: readItems(reader, bytes, regionOf)};
}

// The server has regions by their numbers in the trace.
function makeRegionOf(served, others) {
  const positions = new Uint32Array(Math.max(0, ...served) + 1).fill(others);
  for (const [position, number] of served.entries())
    positions[number] = position;
  return number => positions[number] ?? others;
}

export class Detail {
  // `changed` is called when there is another one, or the server answers no more.
  constructor({model, view, chart}, changed) {
    Object.assign(this, {model, view, chart, changed, current: null, isAsking: false, hasFailed: false});
    this.regionOf = this.isServed && makeRegionOf(model.about.served, model.regions.length - 1);
  }

  get isServed() {
    return Boolean(this.model.about.served);
  }

  // Requests what is visible, unless that is there. Called after each drawing.
  update() {
    const {resolution} = this.model.about, perPixel = this.view.length / this.chart.plotWidth;
    const isEnough = Math.max(resolution.slices, resolution.activities) <= ENOUGH * perPixel && !this.#lacksItems();
    if (this.isServed && !this.isAsking && !this.hasFailed && !isEnough && !this.#isThere())
      this.#request(this.#requested());
  }

  // Whether the page has left out items, and so few are visible that the server may have all.
  #lacksItems() {
    const {about: {tasks, messages, locks, samples}} = this.model, {length, start, stop} = this.view;
    const isComplete = tasks.stored === tasks.all && messages.stored === messages.all && locks.stored === locks.all &&
      messages.storedOperations === messages.allOperations && samples.resolution === 0;
    return !isComplete && length * FINER < stop - start;
  }

  // Whether all tasks, messages and so on that are visible are there.
  get hasAllItems() {
    const {current, view} = this;
    return Boolean(current) && current.isAll && current.from <= view.from && current.to >= view.to;
  }

  #isThere() {
    const {current, view} = this, {first, last} = this.#rows();
    return current && current.from <= view.from && current.to >= view.to && current.first <= first &&
      current.last >= last && (current.resolution === 0 && current.isAll || view.length * FINER > current.length);
  }

  // Of which rows regions are drawn; first above last: of none.
  #rows() {
    const {chart: {layout, height}, view: {top}, model: {rows}} = this;
    if (rows.length <= FEW_ROWS)
      return {first: 0, last: rows.length - 1};
    const seen = layout.visible(top, top + height).filter(({bars}) => bars > 0).map(({row}) => row.index);
    return seen.length ? {first: Math.min(...seen), last: Math.max(...seen)} : {first: rows.length, last: 0};
  }

  #requested() {
    const {from, to, length, start, stop} = this.view;
    return {from: Math.max(start, Math.floor(from - ROOM * length)), to: Math.min(stop, Math.ceil(to + ROOM * length)),
      length, ...this.#rows()};
  }

  async #request(requested) {
    const {from, to, first, last} = requested;
    this.isAsking = true;
    try {
      const answer = await fetch(`window-${from}-${to}-${first}-${last}`);
      if (!answer.ok)
        throw new Error(String(answer.status));
      this.#use(requested, new Uint8Array(await answer.arrayBuffer()));
    } catch {
      this.hasFailed = true;
    }
    this.isAsking = false;
    this.changed();
  }

  #use(requested, bytes) {
    const {resolution, rows, items} = readAnswer(bytes, this.regionOf), {from, to, first, last} = requested;
    const part = sections => ({bytes, sections, from, to, resolution, regionOf: this.regionOf});
    this.current = {...requested, resolution, isAll: Object.values(items).every(({isAll}) => isAll)};
    this.model.setItems(items, {from, to});
    for (const [index, {activity, slices}] of rows.entries()) {
      const row = this.model.rows[index];
      row.activity.setDetail(part(activity));
      for (const [depth, track] of row.slices.entries())
        track.setDetail(index >= first && index <= last ? part(slices[depth] ?? []) : null);
    }
  }
}
