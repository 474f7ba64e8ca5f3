// What the page states about itself: title, visible interval, what is not shown.
import {byId} from './dom.js';
import {count, duration, instant, plural} from './format.js';
import {MAX_OPERATIONS} from './messages.js';
import {factList} from './tooltip.js';

export class Notes {
  constructor(model, chart, overlay) {
    Object.assign(this, {model, chart, overlay});
  }

  describe() {
    const {about} = this.model;
    document.title = `${about.title} – stave timeline`;
    byId('title').textContent = about.title;
    byId('summary').textContent = [plural(about.rows.length, 'row'), plural(about.events, 'event'),
      duration(this.model.to - this.model.from)].join(', ');
    byId('about-facts').replaceChildren(factList(about.facts));
    byId('messages').hidden = !this.model.hasMessages;
    byId('messages').setAttribute('aria-pressed', String(this.model.hasMessages));
    byId('values').hidden = this.model.counters.length + this.model.transfers.length === 0;
    byId('dependences').hidden = about.dependences.stored === 0;
    byId('path').hidden = about.path.sections.every(([, length]) => length === 0);
    byId('warning').hidden = about.warnings.length === 0;
    byId('warning').textContent = about.warnings.join(' ');
  }

  // "run, 1.2 ms – 3.4 ms": the title of a picture.
  describeView() {
    const {view, plotWidth} = this.chart, step = view.length / plotWidth;
    return `${this.model.about.title}, ${instant(view.from, step)} – ${instant(view.to, step)}`;
  }

  // Of what the numbers are: of an interval that was marked, or of what is visible.
  showInterval(range) {
    const {view} = this.chart, step = view.length / this.chart.plotWidth;
    byId('legend-title').firstChild.textContent = range ? 'Selection ' : 'Visible interval ';
    byId('interval').textContent = range ? range.describe(this.model).times
      : `${instant(view.from, step)} – ${instant(view.to, step)}`;
    byId('length').textContent = duration(range ? range.length : view.length);
    byId('range-rows').textContent = range ? range.describe(this.model).rows : '';
    this.#showResolution();
  }

  // States that there is more to see than the page has, where something merged has become wide enough to notice.
  #showResolution() {
    const {resolution} = this.model.about, {view, plotWidth} = this.chart, perPixel = view.length / plotWidth;
    const isCoarse = this.chart.hasMerged && Math.max(resolution.slices, resolution.activities) > 3 * perPixel;
    const {isServed, hasFailed} = this.detail;
    byId('coarse').hidden = !isCoarse || isServed && !hasFailed;
    if (byId('coarse').hidden)
      return;
    if (isServed) {
      byId('coarse-text').textContent = 'This page has no more detail: its server has ended. To start it again:';
      byId('command').textContent = `stave timeline --serve ${this.model.about.archive}`;
      return;
    }
    byId('coarse-text').textContent = 'This page keeps regions shorter than ' +
      `${duration(resolution.slices)} and activities shorter than ${duration(resolution.activities)} merged. ` +
      '`stave timeline --serve` shows all of it; for more of this interval:';
    byId('command').textContent = this.model.command(view.from, view.to);
  }

  showLeftOut() {
    const {areArrowsOn, arrows} = this.overlay, {stored, all} = this.model.about.tasks, notes = [];
    if (areArrowsOn)
      this.#noteBundles(notes, arrows, 'arrow');
    if (areArrowsOn && stored < all && !this.detail.hasAllItems)
      notes.push(`The page has ${count(stored)} of ${plural(all, 'task')}: the shortest are left out.`);
    this.#noteDependences(notes);
    this.#noteMessages(notes);
    byId('arrows-note').textContent = notes.join(' ');
  }

  #noteBundles(notes, {bundled, lines}, what) {
    if (bundled)
      notes.push(`${plural(bundled, what)} in ${plural(lines.length, 'bundle')}, the wider the more.`);
  }

  #noteDependences(notes) {
    const {areDependencesOn, dependences} = this.overlay, {stored, all} = this.model.about.dependences;
    if (areDependencesOn)
      this.#noteBundles(notes, dependences, 'dependence');
    if (areDependencesOn && stored < all)
      notes.push(`The page has ${count(stored)} of ${plural(all, 'dependence')}, evenly chosen.`);
  }

  #noteMessages(notes) {
    const {areOn, leftOut, bundles} = this.overlay.messages, {stored, all, storedOperations, allOperations} =
      this.model.about.messages;
    if (areOn)
      this.#noteBundles(notes, bundles, 'message');
    if (areOn && leftOut > 0)
      notes.push(`At most ${MAX_OPERATIONS} collective operations are shown, ${count(leftOut)} of this interval are ` +
        'not: zoom in.');
    if (areOn && stored + storedOperations < all + allOperations && !this.detail.hasAllItems)
      notes.push(`The page has ${count(stored)} of ${plural(all, 'message')} and ${count(storedOperations)} of ` +
        `${plural(allOperations, 'collective operation')}: the shortest are left out.`);
  }
}
