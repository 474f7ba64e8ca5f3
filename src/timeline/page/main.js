// Puts the page together.
import {Address} from './address.js';
import {Bookmarks} from './bookmarks.js';
import {chainOf} from './chains.js';
import {Chart} from './chart.js';
import {counterFacts, distinctCounters, scaleOf} from './counters.js';
import {showPath} from './critical.js';
import {byId, copyText, element, whenQuiet} from './dom.js';
import {bandFacts, groupFacts, rowFacts, sliceFacts, sliceTitle} from './facts.js';
import {Detail} from './detail.js';
import {listenToExport} from './export.js';
import {Findings, peakOf, sliceOfProblem} from './findings.js';
import {Flame} from './flame.js';
import {duration} from './format.js';
import {Instances, rowsWith} from './instances.js';
import {listenToKeys} from './keyboard.js';
import {Lanes} from './lanes.js';
import {Layout, RULER} from './layout.js';
import {Legend} from './legend.js';
import {lockOf} from './locks.js';
import {Marking} from './marking.js';
import {Minimap} from './minimap.js';
import {Model} from './model.js';
import {Notes} from './notes.js';
import {Numbers} from './numbers.js';
import {Overlay} from './overlay.js';
import {Palette} from './palette.js';
import {Pointer} from './pointer.js';
import {RowsPanel} from './rows_panel.js';
import {Search} from './search.js';
import {makeSelector} from './selection.js';
import {applyState, readState} from './state.js';
import {Source} from './source.js';
import {listenToSplitter} from './splitter.js';
import {Statistics, topRegions} from './statistics.js';
import {Theme} from './theme.js';
import {Tooltip, factList} from './tooltip.js';
import {Traffic} from './traffic.js';
import {View} from './view.js';

const QUIET_MS = 120;

class Page {
  constructor(model) {
    this.model = model;
    this.updateNumbers = whenQuiet(() => this.#updateNumbers(), QUIET_MS);
    this.view = new View(model.from, model.to);
    this.layout = new Layout(model.rows, model.groupings, model.firstGrouping);
    this.chart = new Chart(byId('chart'), model, this.view, this.layout);
    this.overlay = new Overlay(byId('overlay'), this.chart);
    this.minimap = new Minimap(byId('minimap'), model, this.view);
    this.tooltip = new Tooltip(byId('tooltip'));
    this.theme = new Theme();
    this.legend = new Legend(byId('legend'), model, this.chart.hidden, () => this.redraw());
    this.notes = new Notes(model, this.chart, this.overlay);
    this.search = new Search({input: byId('search'), list: byId('results'), status: byId('found')}, model,
      {found: (regions, least) => this.#showMatches(regions, least), go: this.#destinations()});
    this.statistics = new Statistics(byId('regions'), model, region => this.showInstances(region));
    this.numbers = new Numbers(model, {...this, redraw: () => this.redraw(), changed: () => this.updateNumbers()},
      region => this.showInstances(region), row => this.#goToRow(row));
    this.instances = new Instances(model, {go: ({row, depth, i, begin}) =>
      this.#goTo(model.sliceBeginning(row, depth, begin) ?? model.slice(row, depth, i)),
      closed: () => this.#changeInstances()});
    this.flame = new Flame(model, {scope: () => this.#flameScope(), tooltip: this.tooltip,
      hidden: this.chart.hidden, changed: () => this.updateNumbers()});
    this.lanes = new Lanes(model, this.chart, {tooltip: this.tooltip, pick: lock => this.#showLock(lock),
      changed: () => this.updateNumbers(), isAll: () => Boolean(this.detail?.hasAllItems)});
    this.traffic = new Traffic(model, {tooltip: this.tooltip, only: pair => this.#showMessagesOf(pair)});
    this.source = new Source(model, () => topRegions(model, this.#scope().interval, this.#scope().rows, Infinity));
    this.rowsPanel = new RowsPanel(model, this.layout, this.view, () => this.#resize());
    this.marking = new Marking(this, () => this.#changeRange());
    this.findings = new Findings(model.about.report, finding => this.#showFinding(finding));
    this.bookmarks = this.overlay.bookmarks = new Bookmarks(this.chart, {go: (from, to) => this.view.show(from, to),
      changed: () => this.redraw()});
    this.address = new Address({read: () => readState(this), apply: state => applyState(this, state)});
    this.detail = this.notes.detail = new Detail(this, () => this.#showDetail());
    this.notes.describe();
    this.#listen();
    this.#changeColours();
    this.#resize();
    this.lanes.show(this.lanes.isOnAtFirst);
    this.address.begin();
  }

  // -- drawing --

  redraw() {
    this.isStale = true;
    this.redrawOverlay();
  }

  redrawOverlay() {
    this.frame ??= requestAnimationFrame(() => this.#drawFrame());
  }

  #drawFrame() {
    this.frame = null;
    if (this.isStale) {
      this.isStale = false;
      this.#drawPictures();
      this.notes.showInterval(this.overlay.range);
      this.updateNumbers();
    } else
      this.overlay.draw(this.palette);
    this.notes.showLeftOut();
    this.detail.update();
  }

  #drawPictures() {
    this.chart.draw(this.palette);
    this.minimap.draw(this.palette, this.chart.hidden);
    this.lanes.draw(this.palette);
    this.overlay.draw(this.palette);
  }

  // A canvas is empty after its size is set: drawn before the browser shows it, what the page states of it in a frame.
  #followStage() {
    this.#resize();
    this.#drawPictures();
  }

  // Tracks have other items now.
  #showDetail() {
    const {overlay: {selected}, model} = this;
    this.overlay.hovered = null;
    if (this.overlay.lock)
      this.overlay.lock = model.locks.find(({id}) => id === this.overlay.lock.id) ?? null;
    if (selected)
      this.overlay.selected = model.sliceBeginning(selected.row, selected.depth, selected.begin) ?? selected;
    this.redraw();
  }

  #resize() {
    const {clientWidth, clientHeight} = byId('stage'), scale = window.devicePixelRatio || 1;
    this.chart.resize(clientWidth, clientHeight, scale);
    this.overlay.resize(clientWidth, clientHeight, scale);
    this.minimap.resize(byId('minimap').clientWidth, byId('minimap').clientHeight, scale);
    this.redraw();
  }

  #changeColours() {
    this.palette = new Palette(this.model.activities, this.theme.isDark);
    this.legend.paint(this.palette);
    this.flame.paint(this.palette);
    this.traffic.draw(this.palette);
    this.redraw();
  }

  // -- numbers --

  #updateNumbers() {
    this.numbers.update(this.view, this.overlay.range);
    this.flame.update();
    this.lanes.choose(this.view);
    this.source.update();
    this.traffic.update(this.overlay.range ?? this.view, this.overlay.range?.rowsOf(this.model) ?? this.model.rows);
    showPath(this.model, this.overlay.range ?? this.view, this.overlay.isPathOn);
    this.address.update();
  }

  // What numbers are of: the marked interval and rows, else what is visible of rows that are not removed.
  #scope() {
    const {model, view, layout, overlay: {range}} = this;
    return {interval: range ?? view, rows: range?.rowsOf(model) ?? model.rows.filter(({index}) =>
      !layout.isTakenOut(index))};
  }

  // What the flame view is of: the instances of the region listed, the region selected, what is marked or visible.
  #flameScope() {
    const {model, view, overlay: {selected, range}, instances: {region}} = this, {from, to} = range ?? view;
    const rows = range?.rowsOf(model) ?? model.rows, where = range ? 'the selection' : 'the visible interval';
    if (region)
      return {from, to, rows, region, name: `${region.short} in ${where}`};
    if (!selected || range)
      return {from, to, rows, name: where};
    const row = model.rows[selected.row];
    return {from: selected.begin, to: selected.end, rows: [row], name: `${sliceTitle(selected)}, ${row.name}`};
  }

  // Does now what waits until things have been quiet: numbers and address.
  settle() {
    if (this.frame)
      this.#drawFrame();
    this.#updateNumbers();
  }

  #showMatches(regions, least = 0) {
    Object.assign(this.chart, {matches: regions, least});
    this.redraw();
  }

  // -- what is under the pointer, what is selected --

  #hover(point) {
    this.point = point;
    this.overlay.pointer = point?.x ?? null;
    this.overlay.hovered = point && this.chart.sliceAt(point.x, point.y);
    this.redrawOverlay();
    const facts = point && this.#factsAt(point);
    if (facts && facts.title)
      this.tooltip.show(point.clientX, point.clientY, facts.title, facts.facts);
    else
      this.tooltip.hide();
  }

  // What was under the pointer is somewhere else now.
  #leaveWhatMoved() {
    this.#hover(null);
    this.redraw();
  }

  #factsAt({x, y}) {
    const place = this.chart.place(y), slice = this.overlay.hovered, inGroup = this.chart.groupAt(y);
    const time = this.chart.time(x);
    if (inGroup)
      return this.#factsOfGroup(inGroup.group, x);
    if (slice)
      return {title: sliceTitle(slice), facts: sliceFacts(this.model, slice, true)};
    if (place && x < this.chart.gutter)
      return rowFacts(this.model, place.row);
    const slack = 2 * this.view.length / this.chart.plotWidth, {isPathOn} = this.overlay;
    if (place?.counter?.facts)
      return place.counter.facts(this.model, time, slack, place.share);
    if (place?.counter)
      return counterFacts(this.model, place.counter, time, this.view);
    const row = place && place.depth === -1 && this.model.rows[place.row], mix = row && row.activity.at(time);
    return row ? bandFacts(this.model, place.row, {mix, time, slack, isPathOn}) : null;
  }

  // Over the names: of the visible interval; elsewhere of some pixels.
  #factsOfGroup(group, x) {
    const {chart, view} = this, at = chart.time(x), width = 4 * view.length / chart.plotWidth;
    return x < chart.gutter ? groupFacts(this.model, group, view.from, view.to)
      : groupFacts(this.model, group, Math.max(view.start, at - width), Math.min(view.stop, at + width));
  }

  #click(x, y) {
    const place = this.chart.place(y), inGroup = this.chart.groupAt(y);
    if (inGroup) {
      this.layout.toggleGroup(inGroup.group.index);
      this.#resize();
    } else if (place && x < this.chart.gutter)
      this.#toggleRow(place.row);
    else
      this.select(this.chart.sliceAt(x, y));
  }

  #toggleRow(row) {
    this.layout.toggle(row);
    this.#resize();
  }

  select(slice) {
    this.overlay.selected = slice;
    this.overlay.lock = lockOf(this.model, slice)?.lock ?? null;
    byId('details').hidden = !slice;
    if (slice) {
      byId('details-title').textContent = sliceTitle(slice);
      byId('details-facts').replaceChildren(factList(sliceFacts(this.model, slice, false)));
      byId('details-chain').replaceChildren(...chainOf(this.model, slice).map(step => this.#makeStep(step)));
      byId('spoken').textContent = `${sliceTitle(slice)}, ${duration(slice.end - slice.begin)}, ` +
        `${this.model.rows[slice.row].name}`;
    }
    this.search.last = slice;
    this.#changeOverlay();
  }

  // A step of a chain of waits, by a click on which its row and time come into view.
  #makeStep({row, time, text}) {
    const button = element('button', {type: 'button', className: 'link'}, text);
    button.addEventListener('click', () => {
      this.#revealRow(row);
      this.view.panTo(time, time);
    });
    return element('li', {}, button);
  }

  // Draws the life of a lock over the rows; null: of none.
  #showLock(lock) {
    this.select(null);
    this.overlay.lock = lock;
  }

  // What lies over the picture has changed, and so the address.
  #changeOverlay() {
    this.redrawOverlay();
    this.updateNumbers();
  }

  // -- instances of a region, an interval that was marked --

  // Lists a region's instances, of the marked interval if there is one; null: no longer.
  showInstances(region) {
    const {model, overlay: {range}} = this;
    this.instances.show(region, range
      ? {from: range.from, to: range.to, rows: range.rowsOf(model), name: 'the selection'}
      : {from: model.from, to: model.to, rows: model.rows, name: 'the entire trace'});
    this.#changeInstances();
  }

  #changeInstances() {
    const {region} = this.instances;
    this.#showMatches(region ? new Set([region.index]) : this.search.matches, region ? 0 : this.search.least);
    this.updateNumbers();
  }

  // Lists the instances of a finding's region, goes to where it costs most and marks that: the interval that the report
  // names, else the longest instance. null: no longer.
  #showFinding(finding) {
    const region = finding?.place === null || !finding ? null : this.model.regions[finding.place];
    this.marking.set(null);
    this.select(null);
    this.showInstances(region);
    const longest = region && this.instances.longest;
    const at = finding && (peakOf(finding) ?? (longest && {from: longest.begin, to: longest.begin + longest.ns}));
    if (!at)
      return this.view.showAll();
    const slice = finding.isProblem && at.from === at.to ? sliceOfProblem(this.model, finding) : null;
    if (!slice)
      return this.#markFinding(at, finding.rows ?? (region ? rowsWith(this.model, region, at) : []));
    this.view.showAround(slice.begin, slice.end);
    return this.#goTo(slice);
  }

  #markFinding(at, rows) {
    this.view.showAround(at.from, at.to);
    this.marking.mark(at.from, at.to, rows.length && rows.length < this.model.rows.length ? rows : null);
    if (rows.length)
      this.#revealRow(this.instances.longest?.row ?? rows[0]); // the longest of those that are marked
  }

  // Goes to the next instance of the region whose instances are listed, or to the next one that the search has found.
  #step(direction) {
    const {region} = this.instances;
    this.search.step(direction, region ? new Set([region.index]) : undefined);
  }

  #changeRange() {
    this.notes.showInterval(this.overlay.range);
    if (this.instances.region)
      this.showInstances(this.instances.region);
    this.#changeOverlay();
  }

  // Selects a slice and brings it into view; `keepsScale`: also where it is too short to be seen well.
  #goTo(slice, keepsScale = false) {
    this.#revealRow(slice.row, slice.depth);
    if (keepsScale)
      this.view.panTo(slice.begin, slice.end);
    else
      this.view.reveal(slice.begin, slice.end);
    this.select(slice);
  }

  #revealRow(row, depth = 0) {
    if (this.layout.unfold(row)) {
      this.rowsPanel.filter = this.layout.requested ? this.rowsPanel.filter : '';
      this.rowsPanel.show();
      this.#resize();
    }
    const place = this.layout.rows[row], {view, chart} = this;
    if (depth >= place.bars && !this.layout.isFit)
      this.#toggleRow(row);
    const y = this.layout.barTop(row, depth), room = chart.height - RULER, {pinnedHeight} = this.layout;
    if (!(pinnedHeight && this.layout.isPinned(place)) && (y < view.top + pinnedHeight || y + 40 > view.top + room))
      view.scrollTo(y - Math.max(pinnedHeight, room / 3));
  }

  // Opens a row and brings it into view.
  #goToRow(row) {
    if (!this.layout.rows[row].isOpen)
      this.#toggleRow(row);
    this.#revealRow(row);
  }

  #destinations() {
    return {
      slice: ({row, depth, i}) => this.#goTo(this.model.slice(row, depth, i), true),
      row: ({index}) => this.#revealRow(index),
      task: task => this.#goToTask(task),
    };
  }

  #goToTask(task) {
    const piece = task.pieces[0] ?? {row: task.row, begin: task.created, end: task.created};
    this.#revealRow(piece.row);
    this.view.showAround(Math.min(task.created, piece.begin), piece.end);
    for (const [depth, track] of this.model.rows[piece.row].slices.entries()) {
      const i = track.find((piece.begin + piece.end) / 2, 0);
      if (i >= 0 && track.finest.begin[i] === piece.begin)
        return this.#goTo(this.model.slice(piece.row, depth, i));
    }
    return this.redraw();
  }

  // -- actions --

  setArrows(areOn) {
    this.overlay.areArrowsOn = areOn;
    byId('arrows').setAttribute('aria-pressed', String(areOn));
    this.#changeOverlay();
  }

  setDependences(areOn) {
    this.overlay.areDependencesOn = areOn;
    byId('dependences').setAttribute('aria-pressed', String(areOn));
    this.#changeOverlay();
  }

  setPath(isOn) {
    this.overlay.isPathOn = isOn;
    byId('path').setAttribute('aria-pressed', String(isOn));
    this.#changeOverlay();
  }

  setMessages(areOn) {
    this.overlay.messages.areOn = areOn;
    byId('messages').setAttribute('aria-pressed', String(areOn));
    this.#changeOverlay();
  }

  // Those from one process to another alone; null: all.
  #showMessagesOf(pair) {
    this.overlay.messages.pair = pair;
    this.setMessages(true);
  }

  setCounters(areOn) {
    this.layout.hasCounters = areOn;
    byId('values').setAttribute('aria-pressed', String(areOn));
    this.#resize();
  }

  // The counter of this number of those that there are colours the bands; none: activities do.
  setRadar(number) {
    const counter = distinctCounters(this.model)[number] ?? null;
    this.chart.radar = counter?.alike[0] ?? null;
    byId('radar').value = counter ? number : '';
    byId('radar-scale').textContent = counter ? `${scaleOf(counter)}: the more, the stronger` : '';
    this.redraw();
    this.updateNumbers();
  }

  #listenToRadar() {
    const names = distinctCounters(this.model).map(({name}, number) => element('option', {value: number}, name));
    byId('radar').replaceChildren(element('option', {value: ''}, 'by activity'), ...names);
    byId('radar').addEventListener('change', ({target: {value}}) => this.setRadar(value));
    byId('radar').parentElement.hidden = names.length === 0;
  }

  // Groups as one line each, or their rows; without any but the runtime's own threads, all rows as one.
  #toggleGroups() {
    if (this.layout.groups.every(({group}) => group.isOwn) && this.layout.groupings.all)
      this.rowsPanel.groupBy('all');
    this.layout.foldAll(!this.layout.groups.every(({isFolded}) => isFolded));
    this.#resize();
  }

  #toggleFolds() {
    this.layout.setAll(!this.layout.isAllOpen);
    this.#resize();
  }

  // The row under the pointer, else that of what is selected.
  #hideRow() {
    const place = this.point && this.chart.place(this.point.y), row = place?.row ?? this.overlay.selected?.row;
    if (row !== undefined)
      this.rowsPanel.hide(this.layout.rows[row].shares.map(({index}) => index));
  }

  // The same row stays at the top, or no longer.
  #pinRow() {
    const place = this.point && this.chart.place(this.point.y), row = place?.row ?? this.overlay.selected?.row;
    if (row === undefined)
      return;
    this.layout.togglePinned(row);
    this.#resize();
  }

  #addBookmark() {
    const {from, to} = this.overlay.range ?? this.overlay.selected ?? this.view;
    const {begin, end} = this.overlay.range ? {} : this.overlay.selected ?? {};
    this.bookmarks.add(begin ?? from, end ?? to);
  }

  #copyLink() {
    this.settle();
    copyText(location.href, byId('link'));
  }

  #listen() {
    const actions = this.#actions();
    this.view.addEventListener('change', () => this.#leaveWhatMoved());
    this.theme.addEventListener('change', () => this.#changeColours());
    new ResizeObserver(() => this.#followStage()).observe(byId('stage'));
    this.pointer = new Pointer(byId('overlay'), this.chart, {
      hover: point => this.#hover(point),
      click: (x, y) => this.#click(x, y),
      marks: () => this.marking.isTool,
      mark: (from, to, rows) => this.marking.mark(from, to, rows),
      choose: interval => {
        this.overlay.choice = interval;
        this.redrawOverlay();
      },
    });
    listenToKeys(byId('overlay'), actions);
    this.#listenToButtons(actions);
    listenToSplitter();
    this.#listenToRadar();
    listenToExport(this, {describe: () => this.notes.describeView(), scope: () => this.#scope()});
  }

  #actions() {
    const {view, search, theme, model, overlay, marking, instances} = this, selected = () => overlay.selected;
    return {
      view, search,
      step: direction => this.#step(direction),
      stepFinding: direction => this.findings.step(direction),
      select: makeSelector(model, view, selected, slice => this.#goTo(slice)),
      zoomToSelection: () => selected() ? view.zoomTo(selected()) : marking.zoom(),
      unselect: () => selected() ? this.select(null) : overlay.range ? marking.set(null) : instances.close(),
      toggleArrows: () => this.setArrows(!overlay.areArrowsOn),
      toggleDependences: () => this.setDependences(!overlay.areDependencesOn),
      togglePath: () => this.setPath(!overlay.isPathOn),
      toggleMessages: () => this.setMessages(!overlay.messages.areOn),
      toggleCounters: () => this.setCounters(!this.layout.hasCounters),
      toggleLocks: () => this.lanes.show(!this.lanes.isOn),
      toggleFlame: () => this.flame.show(!this.flame.isOn),
      toggleGroups: () => this.#toggleGroups(),
      toggleTheme: () => theme.toggle(),
      toggleFolds: () => this.#toggleFolds(),
      toggleFit: () => this.rowsPanel.toggleFit(),
      hideRow: () => this.#hideRow(),
      pinRow: () => this.#pinRow(),
      showAllRows: () => this.rowsPanel.showAll(),
      toggleMarking: () => marking.toggleTool(),
      markVisible: () => marking.markVisible(selected()),
      listInstances: () => selected() && this.showInstances(selected().region),
      goToLongest: () => instances.goToLongest(),
      addBookmark: () => this.#addBookmark(),
      copyLink: () => this.#copyLink(),
      showHelp: () => byId('help').showModal(),
    };
  }

  #listenToButtons(actions) {
    const {view} = actions;
    const buttons = {
      'zoom-in': () => view.zoom(0.5),
      'zoom-out': () => view.zoom(2),
      'zoom-all': () => view.showAll(),
      arrows: actions.toggleArrows,
      dependences: actions.toggleDependences,
      path: actions.togglePath,
      messages: actions.toggleMessages,
      values: actions.toggleCounters,
      flames: actions.toggleFlame,
      locks: actions.toggleLocks,
      fit: actions.toggleFit,
      mark: actions.toggleMarking,
      bookmark: actions.addBookmark,
      link: actions.copyLink,
      theme: actions.toggleTheme,
      'help-open': actions.showHelp,
      'about-open': () => byId('about').showModal(),
      'row-levels': actions.toggleFolds,
      'row-folds': actions.toggleGroups,
      'details-zoom': () => view.zoomTo(this.overlay.selected),
      'details-instances': actions.listInstances,
      'details-source': () => this.source.show(this.overlay.selected?.region),
      'region-source': () => this.source.show(this.instances.region),
      'details-close': () => this.select(null),
      'region-longest': actions.goToLongest,
      'region-next': () => this.#step(1),
      'region-previous': () => this.#step(-1),
      'region-close': () => this.instances.close(),
      'command-copy': () => copyText(byId('command').textContent, byId('command-copy')),
    };
    for (const [id, run] of Object.entries(buttons))
      byId(id).addEventListener('click', run);
  }
}

function start() {
  const about = JSON.parse(byId('about-data').textContent);
  try {
    window.stave = new Page(new Model(about, byId('event-data').textContent));
    byId('event-data').remove();
  } catch (error) {
    document.body.prepend(element('p', {className: 'failure', role: 'alert'}, `This page cannot be shown: ${error}`));
    throw error;
  }
}

start();
