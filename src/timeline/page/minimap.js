// The entire trace in one strip, with the visible interval in it.
import {Bands} from './bands.js';

const GRIP = 6; // pixels beside an edge in which it can be taken

export class Minimap {
  constructor(canvas, model, view) {
    Object.assign(this, {canvas, model, view});
    this.context = canvas.getContext('2d', {alpha: false});
    this.bands = new Bands(model.activities.length);
    this.#clear();
    this.#listen();
  }

  resize(width, height, scale) {
    Object.assign(this, {width, height, scale});
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.drawn = null;
    this.#clear();
  }

  #clear() {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.fillStyle = getComputedStyle(document.body).backgroundColor; // it would be black
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  // The strip changes only with size, colours and legend: it is kept as a picture.
  #drawAll(palette, hidden) {
    const {width, height} = this.canvas, picture = new OffscreenCanvas(width, height);
    const tracks = this.model.rows.filter(row => row.kind !== 'metrics').map(row => row.activity);
    this.bands.draw(picture.getContext('2d'), tracks, {from: this.view.start, to: this.view.stop},
      {x: 0, y: 0, width, height}, palette, hidden);
    return picture;
  }

  draw(palette, hidden) {
    const {context, scale, view} = this, key = [palette.isDark, ...hidden].join();
    if (this.key !== key)
      this.drawn = null;
    this.key = key;
    this.drawn ??= this.#drawAll(palette, hidden);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.drawn, 0, 0);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const left = this.#x(view.from), right = Math.max(this.#x(view.to), left + 2);
    context.fillStyle = palette.colours.ground;
    context.globalAlpha = 0.7;
    context.fillRect(0, 0, left, this.height);
    context.fillRect(right, 0, this.width - right, this.height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.colours.select;
    context.lineWidth = 2;
    context.strokeRect(left + 1, 1, Math.max(1, right - left - 2), this.height - 2);
  }

  #x(time) {
    return (time - this.view.start) / (this.view.stop - this.view.start) * this.width;
  }

  #time(x) {
    return this.view.start + x / this.width * (this.view.stop - this.view.start);
  }

  #listen() {
    this.canvas.addEventListener('pointerdown', event => {
      this.canvas.setPointerCapture(event.pointerId);
      this.drag = this.#takeAt(event.offsetX);
    });
    this.canvas.addEventListener('pointermove', event => this.drag?.(this.#time(event.offsetX)));
    this.canvas.addEventListener('pointerup', () => this.drag = null);
    this.canvas.addEventListener('pointercancel', () => this.drag = null);
  }

  // What moving the pointer from there does: moves an edge, or the interval.
  #takeAt(x) {
    const {view} = this, left = this.#x(view.from), right = this.#x(view.to);
    if (right - left > 4 * GRIP && Math.abs(x - left) < GRIP)
      return time => view.show(Math.min(time, view.to), view.to);
    if (right - left > 4 * GRIP && Math.abs(x - right) < GRIP)
      return time => view.show(view.from, Math.max(time, view.from));
    if (x < left || x > right)
      view.panBy(this.#time(x) - (view.from + view.to) / 2);
    const offset = this.#time(x) - view.from;
    return time => view.panBy(time - offset - view.from);
  }
}
