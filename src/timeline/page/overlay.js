// What lies over the picture: the pointer, what is selected, the interval being chosen, arrows of tasks.
import {FONT} from './chart.js';
import {drawPaths} from './critical.js';
import {dependencesOf, visibleDependences} from './dependences.js';
import {RULER} from './layout.js';
import {drawLock} from './locks.js';
import {Messages} from './messages.js';

export const MAX_ARROWS = 400;

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
    this.arrowsLeftOut = 0;
    this.dependencesLeftOut = 0;
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
    const tasks = new Set(this.areArrowsOn ? this.#visibleTasks() : []);
    this.#drawTasks(tasks, 1, Math.min(0.85, Math.max(0.3, 30 / tasks.size))); // many are thinner
    if (this.selected)
      this.#drawTasks(this.#selectedTasks(), 2, 1);
    this.context.globalAlpha = 1;
  }

  // All that are visible, and those of the task selected.
  #drawDependences() {
    const {context, chart: {model, view}} = this, all = {shown: [], leftOut: 0};
    if (this.areDependencesOn)
      Object.assign(all, visibleDependences(model, view, MAX_ARROWS));
    this.dependencesLeftOut = all.leftOut;
    context.strokeStyle = context.fillStyle = this.colours.dependence;
    context.setLineDash([]);
    context.lineWidth = 1.3;
    context.globalAlpha = Math.min(0.85, Math.max(0.3, 30 / all.shown.length));
    for (const {from, to} of all.shown)
      this.#drawArrow(from, to);
    context.globalAlpha = 1;
    context.lineWidth = 2;
    if (this.selected?.task) {
      const {before, after} = dependencesOf(model, this.selected.task);
      for (const {from, to} of [...before, ...after].slice(0, MAX_ARROWS))
        this.#drawArrow(from, to);
    }
  }

  #selectedTasks() {
    const {row, begin, end, task, region} = this.selected;
    if (task && !/create task/.test(region.name))
      return [task];
    const created = this.chart.model.tasksCreatedIn(row, begin, end);
    return created.length ? created.slice(0, MAX_ARROWS) : task ? [task] : [];
  }

  #visibleTasks() {
    const {view, model} = this.chart, visible = [];
    this.arrowsLeftOut = 0;
    for (const task of model.tasks) {
      if (!task.pieces.length || task.created > view.to || task.pieces[0].begin < view.from)
        continue;
      if (visible.length < MAX_ARROWS)
        visible.push(task);
      else
        this.arrowsLeftOut++;
    }
    return visible;
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

  #drawArrow(from, to) {
    const {context, chart} = this;
    if (chart.layout.isTakenOut(from.row) || chart.layout.isTakenOut(to.row))
      return;
    const [x0, y0, x1, y1] = [chart.x(from.time), this.#height(from), chart.x(to.time), this.#height(to)];
    const bend = Math.min(60, Math.max(12, Math.abs(x1 - x0) / 3)), lift = from.row === to.row ? 14 : 0;
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
