// The flame view: in which functions the samples of what is looked at were taken, below those that called them; or the
// time of regions, each below the one around it.
import {FONT} from './chart.js';
import {byId} from './dom.js';
import {follow, makeFlameTree, wayTo} from './flame_tree.js';
import {fit} from './fit.js';
import {count, duration, percent, plural} from './format.js';
import {makeRegionTree} from './region_tree.js';
import {countSamples} from './samples.js';

const BAR = 18, NARROWEST = 0.5, LABEL_FROM = 20, PADDING = 4; // pixels
const MAX_LINES = 4;

export class Flame {
  // `scope`: what is looked at, {from, to, rows, region, name}; `changed` is reported when it is opened or closed.
  constructor(model, {scope, tooltip, hidden, changed}) {
    Object.assign(this, {model, scope, tooltip, hidden, changed, isOn: false, way: [], boxes: []});
    this.panel = byId('flame-panel');
    this.canvas = byId('flame');
    this.context = this.canvas.getContext('2d', {alpha: false});
    this.canvas.addEventListener('pointermove', event => this.#hover(event));
    this.canvas.addEventListener('pointerleave', () => this.#leave());
    this.canvas.addEventListener('click', event => this.#focus(this.#at(event)));
    this.canvas.addEventListener('keydown', event => this.#onKey(event));
    this.source = model.hasSamples ? 'samples' : 'regions';
    byId('flame-source').hidden = !model.hasSamples;
    byId('flame-source').addEventListener('change', ({target: {value}}) => this.choose(value));
    byId('flame-up').addEventListener('click', () => this.#focus(null));
    byId('flame-close').addEventListener('click', () => this.show(false));
    new ResizeObserver(() => this.isOn && this.draw()).observe(byId('flame-room'));
  }

  // Of samples or of regions.
  choose(source) {
    this.source = source === 'samples' && this.model.hasSamples ? source : 'regions';
    byId('flame-source').value = this.source;
    this.way = [];
    this.selected = null;
    this.update();
    this.changed();
  }

  get areSamples() {
    return this.source === 'samples';
  }

  // Of regions though there are samples.
  get isOther() {
    return this.model.hasSamples && !this.areSamples;
  }

  // What a node is of: {name, short, file, line}.
  #insideOf({inside}) {
    const known = this.areSamples ? this.model.functions[inside] : this.model.regions[inside];
    return known ?? {name: 'merged short regions', short: 'merged', file: '', line: 0};
  }

  #amount(value) {
    return this.areSamples ? count(value) : duration(value);
  }

  show(isOn) {
    this.isOn = isOn;
    this.panel.hidden = !this.isOn;
    byId('flames').setAttribute('aria-pressed', String(this.isOn));
    if (this.isOn)
      this.update();
    this.changed();
  }

  paint(palette) {
    this.palette = palette;
    if (this.isOn)
      this.draw();
  }

  // Counts the samples of what is looked at anew.
  update() {
    if (!this.isOn)
      return;
    const scope = this.scope(), way = this.selected && wayTo(this.selected);
    this.root = this.areSamples ? makeFlameTree(this.model, countSamples(this.model, scope, this.hidden))
      : makeRegionTree(this.model, scope, this.hidden);
    byId('flame-title').textContent = this.areSamples ? `${plural(this.root.total, 'sample')} of ${scope.name}`
      : `Regions by call path, ${duration(this.root.total)} of ${scope.name}, all rows together`;
    const again = way && follow(this.root, way);
    this.selected = again?.depth === way?.length ? again : null;
    this.draw();
  }

  draw() {
    const {canvas, context, root} = this, room = byId('flame-room'), scale = window.devicePixelRatio || 1;
    const focus = follow(root, this.way), width = room.clientWidth;
    this.boxes = [];
    this.#place(focus, 0, width, focus.depth);
    for (let above = focus.parent; above; above = above.parent)
      if (above.parent)
        this.boxes.push({node: above, x: 0, y: (above.depth - 1) * BAR, width, isAround: true});
    const height = Math.max(room.clientHeight, ...this.boxes.map(({y}) => y + BAR));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.palette.colours.ground;
    context.fillRect(0, 0, width, height);
    context.font = FONT;
    context.textBaseline = 'middle';
    for (const box of this.boxes)
      this.#drawBox(box);
    byId('flame-up').hidden = focus === root;
  }

  #place(node, x, width, depth) {
    if (width < NARROWEST)
      return;
    if (node.parent)
      this.boxes.push({node, x, y: (depth - 1) * BAR, width, isAround: false});
    let left = x;
    for (const child of node.sorted) {
      const share = width * child.total / node.total;
      this.#place(child, left, share, depth + 1);
      left += share;
    }
  }

  #drawBox(box) {
    const {node, x, y, width, isAround} = box, {context} = this, paint = this.palette.paints[node.activity];
    context.globalAlpha = isAround ? 0.45 : 1;
    context.fillStyle = paint.css;
    context.fillRect(x, y, Math.max(width - 0.5, 0.5), BAR - 1);
    context.globalAlpha = 1;
    const room = width - 2 * PADDING, {short} = this.#insideOf(node);
    const label = width >= LABEL_FROM ? fit(short, room, letter => context.measureText(letter).width) : '';
    context.fillStyle = isAround ? this.palette.colours.text : paint.text;
    context.fillText(label, x + PADDING, y + BAR / 2);
    if (node === this.selected) {
      context.strokeStyle = this.palette.colours.mark;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(width - 2.5, 1), BAR - 3);
    }
  }

  // -- mouse and keys --

  #at({offsetX, offsetY}) {
    return this.boxes.find(({x, y, width}) => offsetX >= x && offsetX < x + width && offsetY >= y &&
      offsetY < y + BAR)?.node ?? null;
  }

  // A node gets the entire width; the one that has it, or null: all of them.
  #focus(node) {
    this.way = node && follow(this.root, this.way) !== node ? wayTo(node) : [];
    this.draw();
  }

  #hover(event) {
    const node = this.#at(event);
    if (node)
      this.tooltip.show(event.clientX, event.clientY, this.#insideOf(node).name, this.facts(node));
    else
      this.tooltip.hide();
  }

  #leave() {
    this.tooltip.hide();
  }

  facts(node) {
    const {name, file, line} = this.#insideOf(node), {total} = this.root, share = ns => percent(ns, total);
    const what = this.areSamples ? 'samples' : 'with all inside';
    const facts = [[what, `${this.#amount(node.total)}, ${share(node.total)}`],
      ['in itself', `${this.#amount(node.self)}, ${share(node.self)}`]];
    if (!this.areSamples)
      facts.push(['instances', `${count(node.count)}, ${duration(node.total / Math.max(1, node.count))} each`]);
    if (file && !name.includes(file))
      facts.push(['source', line ? `${file}:${line}` : file]);
    const lines = [...node.lines].filter(([at]) => at > 0).sort((one, other) => other[1] - one[1]);
    if (lines.length)
      facts.push(['at lines', lines.slice(0, MAX_LINES).map(([at, many]) => `${at} (${count(many)})`).join(', ')]);
    for (const [kind, many] of node.kinds.entries())
      if (many > 0)
        facts.push([this.model.activities[kind].name, percent(many, node.total)]);
    return facts;
  }

  #step(key) {
    const node = this.selected, beside = node?.parent?.sorted ?? [], i = beside.indexOf(node);
    const steps = {ArrowUp: node?.parent?.parent && node.parent, ArrowDown: node?.sorted[0], ArrowLeft: beside[i - 1],
      ArrowRight: beside[i + 1]};
    return node ? steps[key] : follow(this.root, this.way).sorted[0];
  }

  #onKey(event) {
    const {key} = event;
    if (key === 'Escape' && this.way.length === 0)
      this.show(false);
    else if (key === 'Escape' || key === 'Enter')
      this.#focus(key === 'Enter' ? this.selected : null);
    else if (key.startsWith('Arrow'))
      this.#select(this.#step(key));
    else
      return;
    event.preventDefault();
    event.stopPropagation();
  }

  #select(node) {
    if (!node)
      return;
    this.selected = node;
    byId('spoken').textContent = `${this.#insideOf(node).name}, ${this.#amount(node.total)}` +
      `${this.areSamples ? ' samples' : ''}, ${percent(node.total, this.root.total)}`;
    this.draw();
  }
}
