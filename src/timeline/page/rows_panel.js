// The panel that states how rows are shown: their height, groups, order, and which.
import {byId, element} from './dom.js';
import {plural} from './format.js';
import {HEIGHTS} from './layout.js';
import {ORDERS, sortRows} from './row_sort.js';

const GROUPINGS = {none: 'not grouped', side: 'by run', process: 'by process or device',
  node: 'by node', team: 'by team',
  all: 'all as one'};
const LEAST_DOING = 0.01; // of the interval
const HEIGHT_NAMES = {nested: 'with regions below', lines: 'one line each', fit: 'fit all to the window'};

function fill(select, names, values) {
  select.replaceChildren(...values.map(value => element('option', {value}, names[value])));
}

export class RowsPanel {
  // `changed` is reported when rows lie elsewhere.
  constructor(model, layout, view, changed) {
    Object.assign(this, {model, layout, view, changed, filter: '', doing: ''});
    this.sort = {by: 'number', from: model.from, to: model.to};
    fill(byId('row-heights'), HEIGHT_NAMES, HEIGHTS);
    fill(byId('row-groups'), GROUPINGS, Object.keys(GROUPINGS).filter(name => layout.groupings[name]));
    fill(byId('row-order'), ORDERS, Object.keys(ORDERS));
    const kinds = [...model.times(model.from, model.to).entries()].filter(([, ns]) => ns >= 0.5).map(([kind]) => kind);
    const names = kinds.map(kind => [kind, model.activities[kind].name]);
    fill(byId('row-doing'), {'': 'whatever', ...Object.fromEntries(names)}, ['', ...kinds]);
    this.#listen();
    this.show();
  }

  #listen() {
    const on = (id, kind, run) => byId(id).addEventListener(kind, event => run(event.target.value));
    on('row-heights', 'change', value => this.setHeights(value));
    on('row-groups', 'change', value => this.groupBy(value));
    on('row-order', 'change', value => this.sortBy(value, this.view.from, this.view.to));
    on('row-filter', 'input', value => this.setFilter(value));
    on('row-doing', 'change', value => this.setFilter(this.filter, value));
    on('rows-all', 'click', () => this.showAll());
    byId('rows-panel').addEventListener('beforetoggle', () => this.#placePanel());
  }

  // Below its button, as far as there is room.
  #placePanel() {
    const {left, bottom} = byId('rows-open').getBoundingClientRect(), room = document.documentElement.clientWidth;
    byId('rows-panel').style.left = `${Math.max(8, Math.min(left, room - 348))}px`;
    byId('rows-panel').style.top = `${bottom + 4}px`;
  }

  // Writes into the panel how rows are shown.
  show() {
    const {layout} = this, out = this.model.rows.filter(({index}) => layout.isTakenOut(index)).length;
    byId('row-heights').value = layout.heights;
    byId('row-groups').value = layout.grouping;
    byId('row-order').value = this.sort.by;
    if (byId('row-filter').value !== this.filter)
      byId('row-filter').value = this.filter;
    byId('fit').setAttribute('aria-pressed', String(layout.isFit));
    byId('row-folds').hidden = layout.groups.length === 0;
    byId('rows-out').textContent = out ? `${plural(out, 'row')} of ${this.model.rows.length} not shown` : '';
    byId('rows-all').hidden = out === 0;
    byId('rows-open').textContent = out ? `Rows (${this.model.rows.length - out})` : 'Rows';
  }

  #done() {
    this.show();
    this.changed();
  }

  setHeights(heights) {
    this.layout.setHeights(heights);
    this.#done();
  }

  toggleFit() {
    this.setHeights(this.layout.isFit ? 'nested' : 'fit');
  }

  groupBy(grouping) {
    this.layout.groupBy(grouping);
    this.#done();
  }

  sortBy(by, from, to) {
    this.sort = {by, from, to};
    this.layout.setOrder(sortRows(this.model, by, from, to));
    this.#done();
  }

  // Shows only rows whose names, kinds or processes have the words, and that do something ('': whatever) now.
  setFilter(text, doing = this.doing) {
    Object.assign(this, {filter: text, doing});
    byId('row-doing').value = doing;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = this.model.rows.filter(row => words.every(word =>
      `${row.name} ${row.kind} ${row.group}`.toLowerCase().includes(word)) && this.#does(row, doing));
    this.layout.setWanted(words.length || doing !== '' ? new Set(rows.map(({index}) => index)) : null);
    this.#done();
  }

  #does(row, kind) {
    const {from, to} = this.view;
    return kind === '' || this.model.times(from, to, [row])[kind] >= LEAST_DOING * (to - from);
  }

  hide(indices) {
    this.layout.hide(indices);
    this.#done();
  }

  // Removes all others.
  keep(indices) {
    const kept = new Set(indices);
    this.hide(this.model.rows.map(({index}) => index).filter(index => !kept.has(index)));
  }

  showAll() {
    this.layout.hidden.clear();
    this.setFilter('', '');
  }
}
