// Finding regions, threads and tasks by their names.
import {element} from './dom.js';
import {count, duration, plural} from './format.js';

const MAX_RESULTS = 50;

// How well a region's name fits: itself, its beginning, or a part.
function rank({short, name}, text) {
  const names = [short, name].map(one => one.toLowerCase()), lower = text.toLowerCase();
  return names.includes(lower) ? 0 : names.some(one => one.startsWith(lower)) ? 1 : 2;
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
  // `found` is told of the set of regions, or null; `go` shows a slice, a row or a task.
  constructor({input, list, status}, model, {found, go}) {
    Object.assign(this, {input, list, status, model, found, go, regions: null, matches: null});
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
    const text = this.input.value.trim(), matches = matcher(text);
    this.last = null;
    const regions = text ? this.model.regions.filter(region => matches(region.name) || matches(region.file) ||
      matches(region.description)) : [];
    const rows = text ? this.model.rows.filter(row => matches(row.name)) : [];
    const task = text ? taskOf(this.model, text) : null;
    this.regions = text ? new Set(regions.map(region => region.index)) : null;
    this.#list(regions, rows, task, text);
    this.matches = rows.length || task ? this.regions?.size ? this.regions : null : this.regions;
    this.found(this.matches);
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
    this.summary = text ? places ? `${plural(places, 'name')} found` : 'nothing found' : '';
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
    const next = regions?.size && nextSlice(this.model, regions, this.last, direction);
    if (!next)
      return;
    this.go.slice(next);
    this.last = next;
    if (regions === this.regions)
      this.status.textContent = `${this.summary}; ${positionOf(this.model, regions, next)}`;
  }
}

// Slices are ordered by begin, then row, then depth.
function comesBefore(one, other) {
  return one.begin - other.begin || one.row - other.row || one.depth - other.depth;
}

// "3 of 4,180": which of the regions' slices it is.
function positionOf(model, regions, slice) {
  let before = 0, all = 0;
  for (const row of model.rows)
    for (const [depth, track] of row.slices.entries()) {
      const {begin, region, count: length} = track.finest;
      for (let i = 0; i < length; i++) {
        if (!regions.has(region[i]))
          continue;
        all++;
        before += comesBefore({begin: begin[i], row: row.index, depth}, slice) < 0;
      }
    }
  return `${count(before + 1)} of ${count(all)}`;
}

// The first slice of the regions after `last`, or the last before it; wraps around.
function nextSlice(model, regions, last, direction) {
  let best = null, wrapped = null;
  for (const row of model.rows) {
    for (const [depth, track] of row.slices.entries()) {
      const {begin, region, count: length} = track.finest;
      for (let i = 0; i < length; i++) {
        if (!regions.has(region[i]))
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
