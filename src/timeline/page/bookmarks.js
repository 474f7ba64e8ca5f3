// Intervals with a note, listed beside the picture and shown on the time axis. They are part of the address.
import {packInterval, unpackInterval} from './address.js';
import {byId, element} from './dom.js';
import {chooseFile, nameOf, save} from './files.js';
import {duration, instant} from './format.js';
import {RULER} from './layout.js';

const FLAG = 9; // pixels

function packItem({from, to, note}) {
  return `${packInterval(from, to)}:${note}`;
}

// Those of a file's text; of one that is none of ours, none.
function readBookmarks(text) {
  try {
    const {stave_bookmarks: version, bookmarks} = JSON.parse(text);
    return version === 1 ? bookmarks.filter(({from_ns: from, to_ns: to}) => Number.isFinite(from) && from <= to) : [];
  } catch {
    return [];
  }
}

export class Bookmarks {
  // `go` shows an interval, `changed` is reported changes.
  constructor(chart, {go, changed}) {
    Object.assign(this, {chart, go, changed, items: []});
    byId('bookmarks-save').addEventListener('click', () => save(new Blob([this.asFile()], {type: 'application/json'}),
      `${nameOf(chart.model)}.bookmarks.json`));
    byId('bookmarks-load').addEventListener('click', () => chooseFile('.json', file => this.load(file)));
  }

  // For others: {0: 1, 1, 2: [{3, 4, 5}]}.
  asFile() {
    const bookmarks = this.items.map(({from, to, note}) => ({from_ns: from, to_ns: to, note}));
    return JSON.stringify({stave_bookmarks: 1, trace: this.chart.model.about.title, bookmarks}, null, 1);
  }

  // Adds those of such a text that are not there yet.
  load(text) {
    const known = new Set(this.pack()), added = [];
    for (const {from_ns: from, to_ns: to, note} of readBookmarks(text)) {
      const item = {from, to, note: String(note ?? '')};
      if (!known.has(packItem(item)))
        added.push(item);
    }
    this.items.push(...added);
    this.items.sort((one, other) => one.from - other.from);
    this.#list();
    this.changed();
  }

  // "from-to:note", as the address has it.
  pack() {
    return this.items.map(packItem);
  }

  unpack(texts) {
    this.items = [];
    for (const text of texts) {
      const at = text.indexOf(':'), interval = unpackInterval(text.slice(0, at < 0 ? undefined : at));
      if (interval)
        this.items.push({from: interval[0], to: interval[1], note: at < 0 ? '' : text.slice(at + 1)});
    }
    this.#list();
  }

  // Adds one and requests its note.
  add(from, to) {
    this.items.push({from: Math.round(from), to: Math.round(to), note: ''});
    this.items.sort((one, other) => one.from - other.from);
    this.#list();
    this.changed();
    const inputs = byId('bookmarks').querySelectorAll('input');
    inputs[this.items.findLastIndex(item => item.from === Math.round(from) && item.note === '')]?.focus();
  }

  #remove(item) {
    this.items.splice(this.items.indexOf(item), 1);
    this.#list();
    this.changed();
  }

  #list() {
    byId('bookmarks-section').hidden = this.items.length === 0;
    byId('bookmarks').replaceChildren(...this.items.map(item => this.#makeLine(item)));
  }

  #makeLine(item) {
    const place = `${instant(item.from, item.to - item.from)}, ${duration(item.to - item.from)}`;
    const show = element('button', {type: 'button', className: 'link', title: 'Show this interval'}, place);
    const note = element('input', {value: item.note, placeholder: 'note',
      ariaLabel: `Note of the bookmark at ${place}`});
    const remove = element('button', {type: 'button', className: 'quiet', title: 'Remove this bookmark',
      ariaLabel: `Remove the bookmark at ${place}`}, '×');
    show.addEventListener('click', () => this.go(item.from, item.to));
    note.addEventListener('input', () => {
      item.note = note.value;
      this.changed();
    });
    note.addEventListener('keydown', event => ['Enter', 'Escape'].includes(event.key) && note.blur());
    remove.addEventListener('click', () => this.#remove(item));
    return element('li', {className: 'bookmark'}, show, note, remove);
  }

  // Flags on the time axis.
  draw(context, colours) {
    context.textBaseline = 'middle';
    for (const {from, to, note} of this.items) {
      const left = this.chart.x(from), right = this.chart.x(to);
      if (right < this.chart.gutter || left > this.chart.width)
        continue;
      context.fillStyle = colours.flag;
      context.fillRect(left, RULER - 3, Math.max(2, right - left), 3);
      context.fillRect(left, 2, 1.5, RULER - 2);
      context.beginPath();
      context.moveTo(left, 2);
      context.lineTo(left + FLAG, 2 + FLAG / 2);
      context.lineTo(left, 2 + FLAG);
      context.fill();
      this.#drawNote(context, note, left + FLAG + 3, colours);
    }
  }

  #drawNote(context, note, x, colours) {
    const text = this.chart.fit(note, 120);
    if (!text)
      return;
    context.fillStyle = colours.ground;
    context.fillRect(x - 1, 0, this.chart.measure(text) + 3, RULER - 4);
    context.fillStyle = colours.text;
    context.fillText(text, x, RULER / 2 - 1);
  }
}
