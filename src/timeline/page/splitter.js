// The edge between picture and panel, which can be drawn, or moved by the arrow keys; a double click undoes that.
import {byId} from './dom.js';

const STEP = 40, MIN_WIDTH = 240;

export function listenToSplitter() {
  const edge = byId('splitter'), panel = document.querySelector('aside');
  const setWidth = width => panel.style.flexBasis = `${Math.min(Math.max(width, MIN_WIDTH), innerWidth / 2)}px`;
  edge.addEventListener('pointerdown', event => {
    edge.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  edge.addEventListener('pointermove', event => {
    if (edge.hasPointerCapture(event.pointerId))
      setWidth(innerWidth - event.clientX);
  });
  edge.addEventListener('dblclick', () => panel.style.flexBasis = '');
  edge.addEventListener('keydown', event => {
    const more = {ArrowLeft: STEP, ArrowRight: -STEP}[event.key];
    if (more)
      setWidth(panel.getBoundingClientRect().width + more);
  });
}
