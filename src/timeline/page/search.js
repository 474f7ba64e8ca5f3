// Finding regions, threads and tasks by their names.
import {element} from './dom.js';
import {count, duration, plural} from './format.js';

const MAX_RESULTS = 50;

// How well a region's name fits: itself, its beginning, or a part.
function rank({short, name}, text) {
  const names = [short, name].map(one => one.toLowerCase()), lower = text.toLowerCase();
  return names.includes(lower) ? 0 : names.some(one => one.startsWith(lower)) ? 1 : 2;
}

const NS_OF = {ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9};

// "critical > 1 ms": the text, and how long at least in ns; 0: however long.
export function parseSearch(text) {
  const parts = /^(.*?)\s*>\s*(\d+(?:\.\d*)?)\s*(ns|us|µs|ms|s)$/.exec(text.trim());
  return parts ? {text: parts[1], least: Number(parts[2]) * NS_OF[parts[3]]} : {text: text.trim(), least: 0};
}

function matcher(text) {
  const lower = text.toLowerCase();
  return name => name.toLowerCase().includes(lower);
}

// "3:17", "task 3:17": the task of this number of this creating thread.
function taskOf(model, text) {
  const parts = /^(?:task\s+)?(\d+):(\d+)$/.exec(text);
  return parts && model.tasks.find(({thread, generation}) => thread === +parts[1] && generation === +parts[2]);
}

export class Search {
  // `found` is reported the set of regions, or null, and how long they have to be; `go` shows a slice, a row or a task.
  constructor({input, list, status}, model, {found, go}) {
    Object.assign(this, {input, list, status, model, found, go, regions: null, matches: null, least: 0});
    input.addEventListener('input', () => this.update());
    input.addEventListener('keydown', event => this.#onKey(event));
  }

  #onKey(event) {
    if (event.key === 'Enter')
      this.step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape')
      this.clear();
    else
      return;
    event.preventDefault();
  }

  clear() {
    this.input.value = '';
    this.update();
    this.input.blur();
  }

  // Searches for a text; a region's own name finds that region.
  find(text) {
    if (this.input.value === text)
      return;
    this.input.value = text;
    this.update();
  }

  update() {
    const {text, least} = parseSearch(this.input.value), matches = matcher(text);
    Object.assign(this, {last: null, least});
    const regions = text || least ? this.model.regions.filter(region => matches(region.name) || matches(region.file) ||
      matches(region.description)) : [];
    const rows = text ? this.model.rows.filter(row => matches(row.name)) : [];
    const task = text ? taskOf(this.model, text) : null;
    this.regions = text || least ? new Set(regions.map(region => region.index)) : null;
    this.#list(regions, rows, task, text);
    this.matches = rows.length || task ? this.regions?.size ? this.regions : null : this.regions;
    this.found(this.matches, least);
  }

  #list(regions, rows, task, text) {
    regions.sort((one, other) => rank(one, text) - rank(other, text) || other.total - one.total);
    const lines = [];
    if (task)
      lines.push(this.#makeLine(text, 'task', () => this.go.task(task)));
    for (const row of rows.slice(0, MAX_RESULTS))
      lines.push(this.#makeLine(row.name, row.kind, () => this.go.row(row)));
    for (const region of regions.slice(0, MAX_RESULTS))
      lines.push(this.#makeLine(region.name, `${count(region.count)} ×, ${duration(region.total)}`,
        () => this.#go(region)));
    this.list.replaceChildren(...lines);
    const places = regions.length + rows.length + (task ? 1 : 0);
    this.summary = text || this.least ? places ? `${plural(places, 'name')} found` : 'nothing found' : '';
    this.status.textContent = this.summary;
  }

  #makeLine(name, note, chosen) {
    const button = element('button', {type: 'button', className: 'result'}, element('span', {}, name),
      element('small', {}, note));
    button.addEventListener('click', chosen);
    return element('li', {}, button);
  }

  #go(region) {
    this.regions = new Set([region.index]);
    this.step(1);
  }

  // Goes to the next slice, or to the one before, of a region that was found.
  step(direction, regions = this.regions) {
    const next = regions?.size && nextSlice(this.model, regions, this.last, direction,
      regions === this.regions ? this.least : 0);
    if (!next)
      return;
    this.go.slice(next);
    this.last = next;
    if (regions === this.regions)
      this.status.textContent = `${this.summary}; ${positionOf(this.model, regions, next, this.least)}`;
  }
}

// Slices are ordered by begin, then row, then depth.
function comesBefore(one, other) {
  return one.begin - other.begin || one.row - other.row || one.depth - other.depth;
}

// "3 of 4,180": which of the regions' slices it is.
function positionOf(model, regions, slice, least) {
  let before = 0, all = 0;
  for (const row of model.rows)
    for (const [depth, track] of row.slices.entries()) {
      const {begin, end, region, count: length} = track.finest;
      for (let i = 0; i < length; i++) {
        if (!regions.has(region[i]) || end[i] - begin[i] < least)
          continue;
        all++;
        before += comesBefore({begin: begin[i], row: row.index, depth}, slice) < 0;
      }
    }
  return `${count(before + 1)} of ${count(all)}`;
}

// The first slice of the regions after `last`, or the last before it; wraps around.
function nextSlice(model, regions, last, direction, least = 0) {
  let best = null, wrapped = null;
  for (const row of model.rows) {
    for (const [depth, track] of row.slices.entries()) {
      const {begin, end, region, count: length} = track.finest;
      for (let i = 0; i < length; i++) {
        if (!regions.has(region[i]) || end[i] - begin[i] < least)
          continue;
        const here = {begin: begin[i], row: row.index, depth, i};
        if (!wrapped || direction * comesBefore(here, wrapped) < 0)
          wrapped = here;
        if (last && direction * comesBefore(here, last) <= 0)
          continue;
        if (!best || direction * comesBefore(here, best) < 0)
          best = here;
        if (direction > 0)
          break; // this track has none that is earlier
      }
    }
  }
  return best ?? wrapped;
}
