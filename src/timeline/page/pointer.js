// The mouse, a pen or fingers over the picture: wheel, drag, click and what is under the pointer.
import {Fingers} from './fingers.js';
import {RULER} from './layout.js';

const CLICK_PIXELS = 4, TAP_PIXELS = 10; // a drag that moves less is a click
const ZOOM_PER_PIXEL = 1.0022;

export class Pointer {
  constructor(canvas, chart, actions) {
    Object.assign(this, {canvas, chart, actions, drag: null, fingers: new Fingers(chart)});
    canvas.addEventListener('wheel', event => this.#onWheel(event), {passive: false});
    canvas.addEventListener('pointerdown', event => this.#onDown(event));
    canvas.addEventListener('pointermove', event => this.#onMove(event));
    canvas.addEventListener('pointerup', event => this.#onUp(event));
    canvas.addEventListener('pointercancel', event => this.#onCancel(event));
    canvas.addEventListener('pointerleave', event => event.pointerType === 'touch' || this.actions.hover(null));
    canvas.addEventListener('contextmenu', event => event.pointerType === 'touch' && event.preventDefault());
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
    const {view} = this.chart;
    if (event.pointerType === 'touch' && this.#isSecond(event))
      return;
    this.drag = {x: event.offsetX, y: event.offsetY, from: view.from, top: view.top, does: this.#meaning(event),
      hasMoved: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  // What lay under a finger goes away with the next one. Two fingers no longer drag.
  #isSecond(event) {
    const {offsetX, offsetY, clientX, clientY} = event;
    this.actions.hover(null);
    this.fingers.down(event, () => this.#hold({offsetX, offsetY, clientX, clientY}));
    if (this.fingers.count > 1)
      this.#end();
    return this.fingers.count > 1;
  }

  // A finger that rests is a pointer that hovers, and no click.
  #hold(place) {
    this.#end();
    this.#hover(place);
  }

  // What dragging does: marks an interval of all rows or of some, zooms to one, or moves the picture.
  #meaning({shiftKey, ctrlKey, metaKey, offsetY}) {
    if (offsetY < RULER)
      return 'mark';
    if (shiftKey)
      return 'zoom';
    return ctrlKey || metaKey || this.actions.marks() ? 'mark rows' : 'pan';
  }

  #onMove(event) {
    const {drag, actions} = this, isTouch = event.pointerType === 'touch';
    if (isTouch && this.fingers.move(event))
      return;
    if (!drag) {
      if (!isTouch)
        this.#hover(event);
      return;
    }
    drag.hasMoved ||=
      Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) >= (isTouch ? TAP_PIXELS : CLICK_PIXELS);
    if (!drag.hasMoved)
      return;
    this.fingers.rest();
    actions.hover(null);
    if (drag.does === 'pan')
      this.#pan(event);
    else if (drag.does === 'zoom')
      actions.choose(this.#choice(event.offsetX));
    else
      actions.mark(...this.#choice(event.offsetX), this.#rows(event.offsetY));
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

  // The rows crossed; null: all.
  #rows(y) {
    const {drag, chart} = this, {layout} = chart;
    return drag.does === 'mark' ? null
      : layout.between(chart.heightAt(Math.min(drag.y, y)), chart.heightAt(Math.max(drag.y, y)) + 0.01);
  }

  #onUp(event) {
    const {drag, actions} = this;
    this.fingers.up(event);
    if (!drag)
      return;
    if (!drag.hasMoved)
      actions.click(event.offsetX, event.offsetY);
    else if (drag.does === 'zoom')
      this.chart.view.show(...this.#choice(event.offsetX));
    this.#end();
  }

  #onCancel(event) {
    this.fingers.up(event);
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
