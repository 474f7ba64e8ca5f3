// Puts the page together.
import {Chart} from './chart.js';
import {byId, element, whenQuiet} from './dom.js';
import {bandFacts, groupFacts, rowFacts, sliceFacts, sliceTitle} from './facts.js';
import {count, duration, instant, plural} from './format.js';
import {listenToKeys} from './keyboard.js';
import {Layout, RULER} from './layout.js';
import {Legend} from './legend.js';
import {MOST_MESSAGES, MOST_OPERATIONS} from './messages.js';
import {Minimap} from './minimap.js';
import {Model} from './model.js';
import {MOST_ARROWS, Overlay} from './overlay.js';
import {Palette} from './palette.js';
import {Pointer} from './pointer.js';
import {Search} from './search.js';
import {makeSelector} from './selection.js';
import {Statistics} from './statistics.js';
import {Theme} from './theme.js';
import {Tooltip, factList} from './tooltip.js';
import {View} from './view.js';

const QUIET_MS = 120;

class Page {
  constructor(model) {
    this.model = model;
    this.view = new View(model.from, model.to);
    this.layout = new Layout(model.rows, model.groups);
    this.chart = new Chart(byId('chart'), model, this.view, this.layout);
    this.overlay = new Overlay(byId('overlay'), this.chart);
    this.minimap = new Minimap(byId('minimap'), model, this.view);
    this.tooltip = new Tooltip(byId('tooltip'));
    this.theme = new Theme();
    this.legend = new Legend(byId('legend'), model, this.chart.hidden, () => this.redraw());
    this.search = new Search({input: byId('search'), list: byId('results'), status: byId('found')}, model,
      {found: regions => this.#showMatches(regions), go: this.#destinations()});
    this.statistics = new Statistics(byId('regions'), model, region => this.search.pick(region));
    this.updateNumbers = whenQuiet(() => this.#updateNumbers(), QUIET_MS);
    this.#describe();
    this.#listen();
    this.#changeColours();
    this.#resize();
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
      this.chart.draw(this.palette);
      this.minimap.draw(this.palette, this.chart.hidden);
      this.#showInterval();
      this.updateNumbers();
    }
    this.overlay.draw(this.palette);
    this.#showArrowsLeftOut();
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
    this.redraw();
  }

  // -- texts --

  #describe() {
    const {about} = this.model;
    document.title = `${about.title} – stave timeline`;
    byId('title').textContent = about.title;
    byId('summary').textContent = [plural(about.rows.length, 'row'), plural(about.events, 'event'),
      duration(this.model.to - this.model.from)].join(', ');
    byId('about-facts').replaceChildren(factList(about.facts));
    byId('messages').hidden = !this.model.hasMessages;
    byId('messages').setAttribute('aria-pressed', String(this.model.hasMessages));
    byId('processes').hidden = this.model.groups.length === 0;
    byId('warning').hidden = about.warnings.length === 0;
    byId('warning').textContent = about.warnings.join(' ');
  }

  #showInterval() {
    const {view} = this, step = view.length / this.chart.plotWidth;
    byId('interval').textContent = `${instant(view.from, step)} – ${instant(view.to, step)}`;
    byId('length').textContent = duration(view.length);
    this.#showResolution();
  }

  // Says that there is more to see than the page has, where something merged has become wide enough to notice.
  #showResolution() {
    const {resolution} = this.model.about, perPixel = this.view.length / this.chart.plotWidth;
    const isCoarse = this.chart.hasMerged && Math.max(resolution.slices, resolution.activities) > 3 * perPixel;
    byId('coarse').hidden = !isCoarse;
    if (!isCoarse)
      return;
    byId('coarse-text').textContent = 'This page keeps regions shorter than ' +
      `${duration(resolution.slices)} and activities shorter than ${duration(resolution.activities)} merged. ` +
      'For more of this interval:';
    byId('command').textContent = this.model.command(this.view.from, this.view.to);
  }

  #updateNumbers() {
    const {view, model} = this, sums = model.times(view.from, view.to);
    this.legend.update(sums);
    this.statistics.update(view, sums.reduce((sum, ns) => sum + ns, 0));
  }

  #showArrowsLeftOut() {
    const {areArrowsOn, arrowsLeftOut} = this.overlay, {stored, all} = this.model.about.tasks, notes = [];
    if (areArrowsOn && arrowsLeftOut > 0)
      notes.push(`${MOST_ARROWS} of ${count(MOST_ARROWS + arrowsLeftOut)} arrows are shown: zoom in for the others.`);
    if (areArrowsOn && stored < all)
      notes.push(`The page has ${count(stored)} of ${plural(all, 'task')}: the shortest are left out.`);
    this.#noteMessages(notes);
    byId('arrows-note').textContent = notes.join(' ');
  }

  #noteMessages(notes) {
    const {areOn, leftOut} = this.overlay.messages, {stored, all, storedOperations, allOperations} =
      this.model.about.messages;
    if (areOn && leftOut > 0)
      notes.push(`At most ${MOST_MESSAGES} messages and ${MOST_OPERATIONS} collective operations are shown, ` +
        `${count(leftOut)} of this interval are not: zoom in.`);
    if (areOn && stored + storedOperations < all + allOperations)
      notes.push(`The page has ${count(stored)} of ${plural(all, 'message')} and ${count(storedOperations)} of ` +
        `${plural(allOperations, 'collective operation')}: the shortest are left out.`);
  }

  #showMatches(regions) {
    this.chart.matches = regions;
    this.redraw();
  }

  // -- what is under the pointer, what is selected --

  #hover(point) {
    this.overlay.pointer = point?.x ?? null;
    this.overlay.hovered = point && this.chart.sliceAt(point.x, point.y);
    this.redrawOverlay();
    const told = point && this.#tell(point);
    if (told && told.title)
      this.tooltip.show(point.clientX, point.clientY, told.title, told.facts);
    else
      this.tooltip.hide();
  }

  // What was under the pointer is somewhere else now.
  #leaveWhatMoved() {
    this.#hover(null);
    this.redraw();
  }

  #tell({x, y}) {
    const place = this.chart.place(y), slice = this.overlay.hovered, inGroup = this.chart.groupAt(y);
    if (inGroup)
      return this.#tellGroup(inGroup.group, x);
    if (slice)
      return {title: sliceTitle(slice), facts: sliceFacts(this.model, slice, true)};
    if (place && x < this.chart.gutter)
      return rowFacts(this.model, place.row);
    const mix = place && place.depth === -1 && this.model.rows[place.row].activity.at(this.chart.time(x));
    return mix ? bandFacts(this.model, place.row, mix) : null;
  }

  // Over the names: of the visible interval; elsewhere of some pixels.
  #tellGroup(group, x) {
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
    byId('details').hidden = !slice;
    if (slice) {
      byId('details-title').textContent = sliceTitle(slice);
      byId('details-facts').replaceChildren(factList(sliceFacts(this.model, slice, false)));
      byId('spoken').textContent = `${sliceTitle(slice)}, ${duration(slice.end - slice.begin)}, ` +
        `${this.model.rows[slice.row].name}`;
    }
    this.redrawOverlay();
  }

  // Selects a slice and brings it into view.
  #goTo(slice) {
    this.#revealRow(slice.row, slice.depth);
    this.view.reveal(slice.begin, slice.end);
    this.select(slice);
  }

  #revealRow(row, depth = 0) {
    if (this.layout.unfold(row))
      this.#resize();
    const place = this.layout.rows[row], {view, chart} = this;
    if (depth >= place.bars)
      this.#toggleRow(row);
    const y = this.layout.barTop(row, depth), room = chart.height - RULER;
    if (y < view.top || y + 40 > view.top + room)
      view.scrollTo(y - room / 3);
  }

  #destinations() {
    return {
      slice: ({row, depth, i}) => this.#goTo(this.model.slice(row, depth, i)),
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

  #toggleArrows() {
    this.overlay.areArrowsOn = !this.overlay.areArrowsOn;
    byId('arrows').setAttribute('aria-pressed', String(this.overlay.areArrowsOn));
    this.redrawOverlay();
  }

  #toggleMessages() {
    const {messages} = this.overlay;
    messages.areOn = !messages.areOn;
    byId('messages').setAttribute('aria-pressed', String(messages.areOn));
    this.redrawOverlay();
  }

  #toggleProcesses() {
    this.layout.foldAll(!this.layout.groups.every(({isFolded}) => isFolded));
    this.#resize();
  }

  #toggleFolds() {
    this.layout.setAll(!this.layout.isAllOpen);
    this.#resize();
  }

  #listen() {
    const actions = this.#actions();
    this.view.addEventListener('change', () => this.#leaveWhatMoved());
    this.theme.addEventListener('change', () => this.#changeColours());
    new ResizeObserver(() => this.#resize()).observe(byId('stage'));
    new Pointer(byId('overlay'), this.chart, {
      hover: point => this.#hover(point),
      click: (x, y) => this.#click(x, y),
      choose: interval => {
        this.overlay.choice = interval;
        this.redrawOverlay();
      },
    });
    listenToKeys(byId('overlay'), actions);
    this.#listenToButtons(actions);
  }

  #actions() {
    const {view, search, theme, model} = this, selected = () => this.overlay.selected;
    return {
      view, search,
      select: makeSelector(model, view, selected, slice => this.#goTo(slice)),
      zoomToSelection: () => selected() && view.zoomTo(selected()),
      unselect: () => this.select(null),
      toggleArrows: () => this.#toggleArrows(),
      toggleMessages: () => this.#toggleMessages(),
      toggleProcesses: () => this.#toggleProcesses(),
      toggleTheme: () => theme.toggle(),
      toggleFolds: () => this.#toggleFolds(),
      showHelp: () => byId('help').showModal(),
    };
  }

  #listenToButtons({view, toggleArrows, toggleMessages, toggleProcesses, toggleTheme, toggleFolds, showHelp}) {
    const buttons = {
      'zoom-in': () => view.zoom(0.5),
      'zoom-out': () => view.zoom(2),
      'zoom-all': () => view.showAll(),
      arrows: toggleArrows,
      messages: toggleMessages,
      processes: toggleProcesses,
      folds: toggleFolds,
      theme: toggleTheme,
      'help-open': showHelp,
      'about-open': () => byId('about').showModal(),
      'details-zoom': () => view.zoomTo(this.overlay.selected),
      'details-close': () => this.select(null),
      'command-copy': () => this.#copyCommand(),
    };
    for (const [id, run] of Object.entries(buttons))
      byId(id).addEventListener('click', run);
  }

  async #copyCommand() {
    const range = document.createRange();
    range.selectNodeContents(byId('command'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    await navigator.clipboard?.writeText(byId('command').textContent).catch(() => {}); // it is marked in any case
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
