// The mouse over the picture: wheel, drag, click and what is under the pointer.
import {RULER} from './layout.js';

const CLICK_PIXELS = 4; // a drag that moves less is a click
const ZOOM_PER_PIXEL = 1.0022;

export class Pointer {
  constructor(canvas, chart, actions) {
    Object.assign(this, {canvas, chart, actions, drag: null});
    canvas.addEventListener('wheel', event => this.#onWheel(event), {passive: false});
    canvas.addEventListener('pointerdown', event => this.#onDown(event));
    canvas.addEventListener('pointermove', event => this.#onMove(event));
    canvas.addEventListener('pointerup', event => this.#onUp(event));
    canvas.addEventListener('pointercancel', () => this.#end());
    canvas.addEventListener('pointerleave', () => this.actions.hover(null));
    canvas.addEventListener('dblclick', event => this.#onDoubleClick(event));
  }

  #onWheel(event) {
    event.preventDefault();
    const {view} = this.chart, unit = event.deltaMode === 1 ? 16 : 1;
    const [right, down] = [event.deltaX * unit, event.deltaY * unit];
    if (event.altKey || (event.offsetX < this.chart.gutter && !event.ctrlKey))
      view.scrollTo(view.top + down);
    else if (event.shiftKey || Math.abs(right) > Math.abs(down))
      view.panBy((right || down) * view.length / this.chart.plotWidth);
    else
      view.zoom(ZOOM_PER_PIXEL ** down, this.chart.time(event.offsetX));
    this.#hover(event);
  }

  #hover({offsetX, offsetY, clientX, clientY}) {
    this.actions.hover({x: offsetX, y: offsetY, clientX, clientY});
  }

  #onDown(event) {
    if (event.button !== 0)
      return;
    const {view} = this.chart, isChoice = event.shiftKey || event.offsetY < RULER;
    this.drag = {x: event.offsetX, y: event.offsetY, from: view.from, top: view.top, isChoice, hasMoved: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  #onMove(event) {
    const {drag, actions} = this;
    if (!drag) {
      this.#hover(event);
      return;
    }
    drag.hasMoved ||= Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) >= CLICK_PIXELS;
    if (!drag.hasMoved)
      return;
    actions.hover(null);
    if (drag.isChoice)
      actions.choose(this.#choice(event.offsetX));
    else
      this.#pan(event);
  }

  #pan(event) {
    const {drag, chart: {view, plotWidth}} = this;
    view.panBy(drag.from - (event.offsetX - drag.x) * view.length / plotWidth - view.from);
    view.scrollTo(drag.top - (event.offsetY - drag.y));
    this.canvas.classList.add('dragging');
  }

  #choice(x) {
    const times = [this.drag.x, Math.max(x, this.chart.gutter)].map(at => this.chart.time(at));
    return [Math.min(...times), Math.max(...times)];
  }

  #onUp(event) {
    const {drag, actions} = this;
    if (!drag)
      return;
    if (!drag.hasMoved)
      actions.click(event.offsetX, event.offsetY);
    else if (drag.isChoice)
      this.chart.view.show(...this.#choice(event.offsetX));
    this.#end();
  }

  #end() {
    this.drag = null;
    this.actions.choose(null);
    this.canvas.classList.remove('dragging');
  }

  #onDoubleClick(event) {
    const slice = this.chart.sliceAt(event.offsetX, event.offsetY);
    if (slice)
      this.chart.view.zoomTo(slice);
  }
}
