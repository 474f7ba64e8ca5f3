// Messages of MPI as lines from rank to rank, collective operations as bands across the rows of their ranks.
import {Bundles, widthOf} from './bundles.js';
import {lowerBound} from './bytes.js';
import {readMessage, readOperation, readPart} from './tables.js';

export const MAX_OPERATIONS = 100;

// In the order of their sends. `isServed`: of an answer, in which each has its time since the beginning.
export function decodeMessages(reader, count, isServed = false) {
  const messages = [];
  for (let i = 0, begin = 0; i < count; i++) {
    const {since, length, from, to, bytes: size, tag} = readMessage(reader);
    begin = (isServed ? 0 : begin) + since;
    messages.push({begin, end: begin + length, from, to, bytes: size, tag});
  }
  return messages;
}

// In the order of the first rank's begin; parts from top to bottom.
export function decodeOperations(reader, count, isServed = false) {
  const operations = [];
  for (let i = 0, begin = 0; i < count; i++) {
    const {since: sinceLast, region, parts} = readOperation(reader);
    begin = (isServed ? 0 : begin) + sinceLast;
    const operation = {begin, end: begin, region, parts: []};
    for (let left = parts; left > 0; left--) {
      const {row, since, length} = readPart(reader), from = begin + since, to = from + length;
      operation.parts.push({row, begin: from, end: to});
      operation.end = Math.max(operation.end, to);
    }
    operation.parts.sort((one, other) => one.row - other.row);
    operations.push(operation);
  }
  return operations;
}

// Those of an interval; of more than `most` each so many-th.
function visible(items, {from, to}, most) {
  const found = items.filter(item => item.begin <= to && item.end >= from);
  const step = Math.ceil(found.length / most);
  return {shown: step > 1 ? found.filter((_, i) => i % step === 0) : found, all: found.length};
}

export class Messages {
  constructor(chart) {
    this.chart = chart;
    this.areOn = this.areOnAtFirst = chart.model.hasMessages;
    this.leftOut = 0;
    this.bundles = new Bundles(chart);
    this.pair = null; // processes whose messages are drawn alone
  }

  // Messages that may be drawn.
  #chosen() {
    const {pair, chart: {model: {messages, rows}}} = this;
    return pair ? messages.filter(({from, to}) => rows[from].process === pair[0] && rows[to].process === pair[1])
      : messages;
  }

  draw(context, colours, height) {
    this.leftOut = 0;
    if (!this.areOn)
      return;
    const {model, view} = this.chart;
    const operations = visible(this.pair ? [] : model.operations, view, MAX_OPERATIONS);
    this.leftOut = operations.all - operations.shown.length;
    this.height = height;
    this.#drawOperations(context, colours, operations.shown);
    this.#drawMessages(context, colours, this.bundles.of(this.pair ?? model.messages, () => this.#lines()));
  }

  // The row's band: its middle, or an edge.
  #y(row, part) {
    const {layout} = this.chart;
    return this.height(row, -1) + layout.bandOf(layout.rows[row]) * part;
  }

  #drawOperations(context, colours, operations) {
    context.fillStyle = context.strokeStyle = colours.operation;
    for (const operation of operations) {
      const parts = operation.parts.filter(({row}) => !this.chart.layout.isTakenOut(row));
      for (let i = 0; i + 1 < parts.length; i++)
        this.#drawBetween(context, parts[i], parts[i + 1]);
    }
    context.globalAlpha = 1;
  }

  #drawBetween(context, one, next) {
    const {chart} = this, top = this.#y(one.row, 1), bottom = this.#y(next.row, 0);
    context.beginPath();
    context.moveTo(chart.x(one.begin), top);
    context.lineTo(chart.x(one.end), top);
    context.lineTo(chart.x(next.end), bottom);
    context.lineTo(chart.x(next.begin), bottom);
    context.closePath();
    context.globalAlpha = 0.2;
    context.fill();
    context.globalAlpha = 0.7;
    context.lineWidth = 0.7;
    context.stroke();
  }

  // Those that are visible, in pixels.
  #lines() {
    const {chart} = this, {view, layout} = chart;
    return this.#chosen().filter(({begin, end, from, to}) => begin <= view.to && end >= view.from &&
      !layout.isTakenOut(from) && !layout.isTakenOut(to)).map(({begin, end, from, to}) =>
      ({x0: chart.x(begin), y0: this.#y(from, 0.5), x1: chart.x(end), y1: this.#y(to, 0.5)}));
  }

  #drawMessages(context, colours, bundles) {
    context.strokeStyle = context.fillStyle = colours.arrow;
    context.globalAlpha = Math.min(0.9, Math.max(0.4, 60 / bundles.lines.length));
    for (const line of bundles.lines) {
      const {x0, y0, x1, y1} = line;
      context.lineWidth = widthOf(line);
      context.beginPath();
      context.moveTo(x0, y0);
      context.lineTo(x1, y1);
      context.stroke();
      context.beginPath();
      context.arc(x0, y0, 1.5 + context.lineWidth / 2, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
    bundles.drawNumbers(context, colours);
  }
}

// What was sent and received in a row from one time to another, as pairs of a name and a text.
export function messagesIn(model, row, begin, end) {
  const {messages} = model, first = lowerBound(model.sendTimes, begin);
  const sent = [], received = [];
  for (let i = first; i < messages.length && messages[i].begin <= end; i++)
    if (messages[i].from === row)
      sent.push(messages[i]);
  for (const message of model.receivedBy(row))
    if (message.end >= begin && message.end <= end)
      received.push(message);
  return {sent, received};
}
