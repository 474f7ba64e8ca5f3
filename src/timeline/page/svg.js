// A drawing context that writes SVG: as much of a canvas's as the picture and what lies over it use. Bands, which are
// pixels, become images.
import {element} from './dom.js';

const INHERITED = ['fillStyle', 'strokeStyle', 'globalAlpha', 'lineWidth', 'font', 'textAlign', 'textBaseline', 'dash'];
const ANCHORS = {left: 'start', center: 'middle', right: 'end'};

function escape(text) {
  return String(text).replace(/[&<>"]/g, letter => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[letter])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd');
}

function short(value) {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

function asText(name, attributes, inner = '') {
  const parts = Object.entries(attributes).filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escape(short(value))}"`);
  return `<${name}${parts.join('')}>${inner}</${name}>`;
}

// A path that a canvas and an SvgContext can stroke.
export class Path extends Path2D {
  d = '';

  moveTo(x, y) {
    super.moveTo(x, y);
    this.d += `M${short(x)} ${short(y)}`;
  }

  lineTo(x, y) {
    super.lineTo(x, y);
    this.d += `L${short(x)} ${short(y)}`;
  }
}

export class SvgContext {
  // `measurer`: a canvas's context; `colourOf`: of a fill that is no colour, a pattern; `scale`: device pixels.
  constructor(measurer, colourOf, scale) {
    Object.assign(this, {measurer, colourOf, scale, parts: [], saved: [], open: 0, clips: 0, d: '', fillStyle: '#000',
      strokeStyle: '#000', globalAlpha: 1, lineWidth: 1, font: measurer.font, textAlign: 'left', textBaseline: 'middle',
      dash: []});
  }

  setTransform() {}

  clearRect() {}

  save() {
    this.saved.push([this.open, INHERITED.map(name => [name, this[name]])]);
  }

  restore() {
    const [open, state] = this.saved.pop();
    this.end(this.open - open);
    Object.assign(this, Object.fromEntries(state));
  }

  // What follows is in a group, until it ends.
  begin(attributes) {
    this.parts.push(asText('g', attributes).replace('</g>', ''));
    this.open++;
  }

  end(groups = 1) {
    this.parts.push('</g>'.repeat(groups));
    this.open -= groups;
  }

  clip() {
    const id = `clip-${this.clips++}`;
    this.parts.push(asText('clipPath', {id}, asText('path', {d: this.d})));
    this.begin({'clip-path': `url(#${id})`});
  }

  beginPath() {
    this.d = '';
  }

  #add(kind, ...values) {
    this.d += `${kind}${values.map(short).join(' ')}`;
  }

  moveTo(x, y) {
    this.#add('M', x, y);
  }

  lineTo(x, y) {
    this.#add('L', x, y);
  }

  bezierCurveTo(...values) {
    this.#add('C', ...values);
  }

  closePath() {
    this.d += 'Z';
  }

  rect(x, y, width, height) {
    this.d += `M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}Z`;
  }

  // Circles alone.
  arc(x, y, radius) {
    this.d += `M${short(x - radius)} ${short(y)}a${radius} ${radius} 0 1 0 ${2 * radius} 0` +
      `a${radius} ${radius} 0 1 0 ${-2 * radius} 0`;
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  #fillOf() {
    const alpha = this.globalAlpha < 1 ? this.globalAlpha : null, {fillStyle} = this;
    return {fill: typeof fillStyle === 'string' ? fillStyle : this.colourOf(fillStyle), 'fill-opacity': alpha};
  }

  #strokeOf() {
    return {fill: 'none', stroke: this.strokeStyle, 'stroke-width': this.lineWidth,
      'stroke-opacity': this.globalAlpha < 1 ? this.globalAlpha : null,
      'stroke-dasharray': this.dash.length ? this.dash.join(' ') : null};
  }

  fill() {
    this.parts.push(asText('path', {d: this.d, ...this.#fillOf()}));
  }

  stroke({d} = this) {
    this.parts.push(asText('path', {d, ...this.#strokeOf()}));
  }

  fillRect(x, y, width, height) {
    if (width > 0 && height > 0)
      this.parts.push(asText('rect', {x, y, width, height, ...this.#fillOf()}));
  }

  strokeRect(x, y, width, height) {
    this.parts.push(asText('rect', {x, y, width, height, ...this.#strokeOf()}));
  }

  measureText(text) {
    this.measurer.font = this.font;
    return this.measurer.measureText(text);
  }

  fillText(text, x, y) {
    this.parts.push(asText('text', {x, y, ...this.#fillOf(), 'text-anchor': ANCHORS[this.textAlign],
      'dominant-baseline': 'central', style: `font: ${this.font}; white-space: pre`}, escape(text)));
  }

  // In device pixels.
  putImageData(image, x, y) {
    const {width, height} = image, canvas = element('canvas', {width, height});
    canvas.getContext('2d').putImageData(image, 0, 0);
    this.parts.push(asText('image', {x: x / this.scale, y: y / this.scale, width: width / this.scale,
      height: height / this.scale, href: canvas.toDataURL(), preserveAspectRatio: 'none',
      style: 'image-rendering: pixelated'}));
  }

  asText(width, height) {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" ` +
      `height="${height}" viewBox="0 0 ${width} ${height}">\n${this.parts.join('\n')}\n</svg>\n`;
  }
}
