// The interval that was marked: what can be done with it.
import {byId, copyText} from './dom.js';
import {Range} from './range.js';

export class Marking {
  // `changed` is reported another range.
  constructor({model, overlay, view, numbers, rowsPanel}, changed) {
    Object.assign(this, {model, overlay, view, numbers, rowsPanel, changed, isTool: false});
    const on = (id, run) => byId(id).addEventListener('click', run);
    on('range-zoom', () => this.zoom());
    on('range-keep', () => this.rowsPanel.keep(this.range.rows));
    on('range-hide', () => this.rowsPanel.hide(this.range.rows));
    on('range-copy', () => copyText(this.numbers.asText(this.range), byId('range-copy')));
    on('range-clear', () => this.set(null));
  }

  get range() {
    return this.overlay.range;
  }

  // A range, or null.
  set(range) {
    this.overlay.range = range;
    byId('range-buttons').hidden = !range;
    for (const id of ['range-keep', 'range-hide'])
      byId(id).hidden = !range?.rows;
    this.changed();
  }

  mark(from, to, rows) {
    if (rows === null || rows.length > 0)
      this.set(new Range(Math.max(from, this.view.start), Math.min(to, this.view.stop), rows));
  }

  // Marks what is visible, or a slice in its row.
  markVisible(slice) {
    if (slice)
      this.mark(slice.begin, slice.end, [slice.row]);
    else
      this.mark(this.view.from, this.view.to, null);
  }

  zoom() {
    if (this.range)
      this.view.show(this.range.from, this.range.to);
  }

  // Whether dragging marks rather than moves.
  toggleTool() {
    this.isTool = !this.isTool;
    byId('mark').setAttribute('aria-pressed', String(this.isTool));
    byId('overlay').classList.toggle('marking', this.isTool);
  }
}
