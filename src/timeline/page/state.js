// The page's state as the address has it: only what is not as at first.
import {packInterval, packNumbers, unpackInterval, unpackNumbers} from './address.js';
import {byId} from './dom.js';
import {HEIGHTS} from './layout.js';
import {Range} from './range.js';
import {ORDERS} from './row_sort.js';

function indicesOf(items, has) {
  return [...items.keys()].filter(index => has(items[index]));
}

// What of the layout is other than at first.
function readRows({layout, rowsPanel: {sort, filter}, model}, add) {
  const all = sort.from === model.from && sort.to === model.to;
  add('rows', layout.heights, layout.heightsAtFirst);
  add('by', layout.grouping, model.firstGrouping);
  add('sort', all ? sort.by : `${sort.by}@${packInterval(sort.from, sort.to)}`, all ? 'number' : undefined);
  add('filter', filter, '');
  add('hide', packNumbers(layout.hidden), '');
  add('pin', packNumbers(layout.pinned), '');
  add('open', packNumbers(indicesOf(layout.rows, ({isOpen}) => isOpen)), packNumbers(layout.openAtFirst));
  add('turned', packNumbers(indicesOf(layout.groups, ({group, isFolded}) =>
    isFolded !== layout.isFoldedAtFirst(group))), '');
}

export function readState(page) {
  const {view, overlay, legend, search, instances, theme, bookmarks} = page, state = [];
  const add = (name, value, first) => value !== first && state.push([name, value]);
  const entire = packInterval(view.start, view.stop);
  add('at', packInterval(view.from, view.to), entire);
  readRows(page, add);
  add('top', String(Math.round(view.top)), '0');
  add('off', packNumbers(legend.hidden), '');
  add('tasks', overlay.areArrowsOn ? '1' : '0', '0');
  add('depends', overlay.areDependencesOn ? '1' : '0', '0');
  add('path', overlay.isPathOn ? '1' : '0', '0');
  add('messages', overlay.messages.areOn ? '1' : '0', overlay.messages.areOnAtFirst ? '1' : '0');
  add('counters', page.layout.hasCounters ? '1' : '0', page.layout.hasCountersAtFirst ? '1' : '0');
  add('radar', byId('radar').value, '');
  add('doing', page.rowsPanel.doing, '');
  add('locks', page.lanes.isOn ? '1' : '0', page.lanes.isOnAtFirst ? '1' : '0');
  add('flame', page.flame.isOn ? page.flame.isOther ? 'regions' : '1' : '0', '0');
  add('find', search.input.value.trim(), '');
  add('region', instances.region ? String(instances.region.index) : '', '');
  if (overlay.selected)
    add('selected', [overlay.selected.row, overlay.selected.depth, Math.round(overlay.selected.begin)].join('.'));
  if (overlay.range)
    add('range', packInterval(overlay.range.from, overlay.range.to));
  if (overlay.range?.rows)
    add('among', packNumbers(overlay.range.rows));
  add('theme', theme.chosen ?? '', '');
  for (const text of bookmarks.pack())
    state.push(['mark', text]);
  return state;
}

function applyRows({layout, rowsPanel, model}, state) {
  const rows = layout.rows.length, [by, interval] = (state.get('sort') ?? 'number').split('@');
  const grouping = state.get('by') ?? model.firstGrouping, at = unpackInterval(interval);
  layout.heights = HEIGHTS.includes(state.get('rows')) ? state.get('rows') : layout.heightsAtFirst;
  layout.groupBy(layout.groupings[grouping] ? grouping : 'none');
  for (const index of unpackNumbers(state.get('turned'), layout.groups.length))
    layout.toggleGroup(index);
  layout.hidden = new Set(unpackNumbers(state.get('hide'), rows));
  layout.pinned = new Set(unpackNumbers(state.get('pin'), rows));
  const open = new Set(state.has('open') ? unpackNumbers(state.get('open'), rows) : layout.openAtFirst);
  for (const place of layout.rows)
    place.isOpen = open.has(place.row.index);
  rowsPanel.filter = state.get('filter') ?? '';
  rowsPanel.sortBy(ORDERS[by] ? by : 'number', at?.[0] ?? model.from, at?.[1] ?? model.to);
  rowsPanel.setFilter(rowsPanel.filter, state.get('doing') ?? '');
}

// The slice that begins there in a row at a depth, or null.
function sliceOf(model, text) {
  const [row, depth, begin] = (text ?? '').split('.').map(Number), track = model.rows[row]?.slices[depth];
  const i = track ? track.find(begin, 1) : -1;
  return i < 0 ? null : model.slice(row, depth, i);
}

function rangeOf(model, state) {
  const interval = unpackInterval(state.get('range'));
  const rows = state.has('among') ? unpackNumbers(state.get('among'), model.rows.length) : null;
  return interval && (!rows || rows.length) ? new Range(...interval, rows) : null;
}

export function applyState(page, state) {
  const {view, overlay, legend, search, model, marking, theme, bookmarks} = page;
  bookmarks.unpack(state.getAll('mark'));
  if (['dark', 'light'].includes(state.get('theme')) && state.get('theme') !== theme.chosen)
    theme.choose(state.get('theme'));
  legend.setHidden(unpackNumbers(state.get('off'), model.activities.length));
  applyRows(page, state);
  search.find(state.get('find') ?? '');
  page.setArrows(state.get('tasks') === '1');
  page.setDependences(state.get('depends') === '1');
  page.setPath(state.get('path') === '1');
  page.setMessages(state.has('messages') ? state.get('messages') === '1' : overlay.messages.areOnAtFirst);
  page.setCounters(state.has('counters') ? state.get('counters') === '1' : page.layout.hasCountersAtFirst);
  page.setRadar(state.get('radar') ?? '');
  page.lanes.show(state.has('locks') ? state.get('locks') === '1' : page.lanes.isOnAtFirst);
  page.flame.source = state.get('flame') === 'regions' || !model.hasSamples ? 'regions' : 'samples';
  page.flame.show(['1', 'regions'].includes(state.get('flame')));
  view.show(...unpackInterval(state.get('at')) ?? [view.start, view.stop]);
  marking.set(rangeOf(model, state));
  page.select(sliceOf(model, state.get('selected')));
  page.showInstances(state.has('region') ? model.regions[+state.get('region')] ?? null : null);
  view.scrollTo(Number(state.get('top')) || 0);
}
