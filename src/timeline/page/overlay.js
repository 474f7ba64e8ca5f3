// What lies over the picture: the pointer, what is selected, the interval being chosen, arrows of tasks.
import {Bundles, widthOf} from './bundles.js';
import {FONT} from './chart.js';
import {drawPaths} from './critical.js';
import {dependencesOf, visibleDependences} from './dependences.js';
import {RULER} from './layout.js';
import {launchesOf, markedWith, visibleLaunches} from './launches.js';
import {drawLock} from './locks.js';
import {Messages} from './messages.js';

const MAX_SELECTED = 400;

// Many are thinner.
function alphaOf({lines}) {
  return Math.min(0.85, Math.max(0.3, 30 / lines.length));
}

export class Overlay {
  constructor(canvas, chart) {
    Object.assign(this, {canvas, chart});
    this.context = canvas.getContext('2d');
    this.pointer = null;   // x, or null
    this.hovered = null;   // slice
    this.selected = null;  // slice
    this.choice = null;    // [from, to]
    this.lock = null;      // that of what is selected
    this.range = null;     // what was marked
    this.bookmarks = null;
    this.messages = new Messages(chart);
    this.areArrowsOn = false;
    this.areDependencesOn = false;
    this.isPathOn = false;
    this.arrows = new Bundles(chart);
    this.dependences = new Bundles(chart);
    this.launches = new Bundles(chart);
  }

  resize(width, height, scale) {
    Object.assign(this, {width, height, scale});
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
  }

  draw(palette) {
    const {context, scale, chart} = this;
    this.colours = palette.colours;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    context.font = FONT;
    context.save();
    context.beginPath();
    context.rect(chart.gutter, 0, this.width - chart.gutter, this.height);
    context.clip();
    this.bookmarks?.draw(context, this.colours);
    this.range?.draw(context, chart, this.colours);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(chart.gutter, RULER, this.width - chart.gutter, this.height - RULER);
    context.clip();
    this.#drawChoice();
    this.#drawPointer();
    this.messages.draw(context, this.colours, (row, depth) => this.#barTop(row, depth));
    if (this.isPathOn)
      drawPaths(context, chart, this.colours, (row, depth) => this.#barTop(row, depth));
    this.#drawDependences();
    this.#drawArrows();
    this.#drawLaunches();
    if (this.lock)
      drawLock(context, chart, this.lock, this.colours, (row, depth) => this.#barTop(row, depth));
    this.#outline(this.hovered, 1);
    this.#outline(this.selected, 2.5);
    context.restore();
  }

  #drawPointer() {
    if (this.pointer === null)
      return;
    this.context.fillStyle = this.colours.dim;
    this.context.globalAlpha = 0.6;
    this.context.fillRect(Math.round(this.pointer), RULER, 1, this.height - RULER);
    this.context.globalAlpha = 1;
  }

  #drawChoice() {
    if (!this.choice)
      return;
    const [from, to] = this.choice.map(time => this.chart.x(time));
    this.context.fillStyle = this.colours.select;
    this.context.globalAlpha = 0.18;
    this.context.fillRect(from, RULER, to - from, this.height - RULER);
    this.context.globalAlpha = 1;
  }

  #outline(slice, width) {
    if (!slice || this.chart.layout.rows[slice.row].isHidden)
      return;
    const {chart, context} = this, left = chart.x(slice.begin), right = Math.max(chart.x(slice.end), left + 2);
    const y = this.#barTop(slice.row, slice.depth), place = chart.layout.rows[slice.row];
    context.strokeStyle = this.colours.select;
    context.lineWidth = width;
    context.strokeRect(left - 0.5, y, right - left + 1,
      place.bars > 0 ? chart.layout.bar - 1 : Math.max(2, chart.layout.bandOf(place)));
  }

  #barTop(row, depth) {
    const {layout} = this.chart, place = layout.rows[row];
    return this.chart.top(place) + layout.barTop(row, depth) - place.y;
  }

  // The height at which an arrow begins or ends: the middle of the bar there.
  #height({row, time}) {
    const {layout, model} = this.chart, place = layout.rows[row];
    return this.#barTop(row, model.depthAt(row, time)) + (place.bars > 0 ? layout.bar : layout.bandOf(place)) / 2;
  }

  #drawArrows() {
    if (this.areArrowsOn)
      this.#drawVisibleTasks();
    if (this.selected)
      this.#drawTasks(this.#selectedTasks(), 2, 1);
    this.context.globalAlpha = 1;
  }

  // Each with its pieces; where they are many, bundles from creations to first pieces.
  #drawVisibleTasks() {
    const {context, arrows, chart: {model}} = this;
    arrows.of(model.tasks, () => this.#visibleTasks().map(({row, created, pieces: [first]}) =>
      this.#lineOf({row, time: created}, {row: first.row, time: first.begin})).filter(Boolean));
    if (arrows.bundled)
      this.#drawBundles(arrows, this.colours.arrow);
    else
      this.#drawTasks(this.#visibleTasks(), 1, alphaOf(arrows));
    context.globalAlpha = 1;
  }

  #drawBundles(bundles, colour) {
    const {context} = this;
    context.strokeStyle = context.fillStyle = colour;
    context.setLineDash([]);
    context.globalAlpha = alphaOf(bundles);
    for (const line of bundles.lines) {
      context.lineWidth = widthOf(line);
      this.#drawLine(line, false);
    }
    context.globalAlpha = 1;
    bundles.drawNumbers(context, this.colours);
  }

  // All that are visible, and those of the task selected.
  #drawDependences() {
    const {context, dependences, chart: {model, view}} = this;
    if (this.areDependencesOn)
      this.#drawBundles(dependences.of(model.dependences, () => visibleDependences(model, view).map(({from, to}) =>
        this.#lineOf(from, to)).filter(Boolean)), this.colours.dependence);
    context.strokeStyle = context.fillStyle = this.colours.dependence;
    context.setLineDash([]);
    context.lineWidth = 2;
    if (this.selected?.task) {
      const {before, after} = dependencesOf(model, this.selected.task);
      for (const {from, to} of [...before, ...after].slice(0, MAX_SELECTED))
        this.#drawArrow(from, to);
    }
  }

  // From calls to what they submit; what is waited for and who waits are outlined with what is selected.
  #drawLaunches() {
    const {context, launches, chart: {model, view}, selected} = this;
    if (this.areArrowsOn)
      this.#drawBundles(launches.of(model.launches, () => visibleLaunches(model, view).map(({from, to}) =>
        this.#lineOf(from, to)).filter(Boolean)), this.colours.arrow);
    context.strokeStyle = context.fillStyle = this.colours.arrow;
    context.setLineDash([]);
    context.lineWidth = 2;
    for (const {from, to} of selected ? launchesOf(model, selected).slice(0, MAX_SELECTED) : [])
      this.#drawArrow(from, to);
    for (const slice of selected ? markedWith(model, selected).slice(0, MAX_SELECTED) : [])
      this.#outline(slice, 2);
  }

  #selectedTasks() {
    const {row, begin, end, task, region} = this.selected;
    if (task && !/create task/.test(region.name))
      return [task];
    const created = this.chart.model.tasksCreatedIn(row, begin, end);
    return created.length ? created.slice(0, MAX_SELECTED) : task ? [task] : [];
  }

  #visibleTasks() {
    const {view, model} = this.chart;
    return model.tasks.filter(({created, pieces}) => pieces.length && created <= view.to &&
      pieces[0].begin >= view.from);
  }

  #drawTasks(tasks, width, alpha) {
    const {context} = this;
    context.strokeStyle = context.fillStyle = this.colours.arrow;
    context.lineWidth = width;
    context.globalAlpha = alpha;
    for (const task of tasks)
      this.#drawTask(task);
    context.setLineDash([]);
  }

  // A line from the creation to the first piece, broken lines from piece to piece.
  #drawTask(task) {
    let from = {row: task.row, time: task.created};
    this.context.setLineDash([]);
    for (const piece of task.pieces) {
      this.#drawArrow(from, {row: piece.row, time: piece.begin});
      from = {row: piece.row, time: piece.end};
      this.context.setLineDash([5, 4]);
    }
  }

  // In pixels; null: one of the rows is removed.
  #lineOf(from, to) {
    const {chart} = this;
    return chart.layout.isTakenOut(from.row) || chart.layout.isTakenOut(to.row) ? null
      : {x0: chart.x(from.time), y0: this.#height(from), x1: chart.x(to.time), y1: this.#height(to)};
  }

  #drawArrow(from, to) {
    const line = this.#lineOf(from, to);
    if (line)
      this.#drawLine(line, from.row === to.row);
  }

  #drawLine({x0, y0, x1, y1}, isInRow) {
    const {context} = this;
    const bend = Math.min(60, Math.max(12, Math.abs(x1 - x0) / 3)), lift = isInRow ? 14 : 0;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0 - lift, x1 - bend, y1 - lift, x1, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1 + 1, y1);
    context.lineTo(x1 - 6, y1 - 4);
    context.lineTo(x1 - 6, y1 + 4);
    context.fill();
    context.beginPath();
    context.arc(x0, y0, 2.5, 0, 7);
    context.fill();
  }
}
