// Rows of counters below the rows of the threads that have them: a line with its scale; their numbers in an interval.
import {byId, element} from './dom.js';
import {number} from './format.js';
import {COUNTER} from './layout.js';

const INSET = 4; // pixels

// Draws one at a height. Values hold until the next; where several are in a column, it is filled from least to most.
export function drawCounter(chart, counter, y) {
  if (counter.draw) { // transfers draw themselves
    counter.draw(chart, y);
    return;
  }
  const {context, view, gutter, plotWidth, width, palette: {colours}} = chart, [least, most] = counter.bounds;
  const end = Math.min(width, Math.max(gutter, chart.x(counter.endIn(chart.model))));
  const top = y + INSET, room = COUNTER - 2 * INSET;
  const height = value => top + room * (most > least ? 1 - (value - least) / (most - least) : 0.5);
  context.fillStyle = colours.stripe;
  context.fillRect(gutter, y + 1, plotWidth, COUNTER - 2);
  context.fillStyle = context.strokeStyle = colours.counter;
  context.lineWidth = 1.3;
  context.beginPath();
  let last = null, lastColumn = 0;
  counter.columns(view.from, view.to, plotWidth, (column, low, high, value) => {
    const x = gutter + column;
    if (last === null)
      context.moveTo(x, height(low));
    else
      context.lineTo(x, height(last));
    if (high > low) {
      context.lineTo(x, height(low));
      context.lineTo(x, height(high));
    }
    context.lineTo(x, height(value));
    [last, lastColumn] = [value, column];
  });
  if (last !== null)
    context.lineTo(Math.max(end, gutter + lastColumn), height(last));
  context.stroke();
  drawNames(chart, counter, y, [least, most]);
}

// Performance radar: the band of a row in the colour of a counter's value, the more of it the stronger.
export function drawRadar({context, view, gutter, plotWidth, palette: {colours}}, counter, y, height) {
  const [least, most] = counter.bounds;
  let start = null, strength = 0;
  const fill = end => {
    context.globalAlpha = strength;
    if (start !== null)
      context.fillRect(gutter + start, y, end - start, height);
  };
  context.fillStyle = colours.ground;
  context.fillRect(gutter, y, plotWidth, height);
  context.fillStyle = colours.counter;
  counter.columns(view.from, view.to, plotWidth, (column, low, high, value) => {
    fill(column);
    [start, strength] = [column, 0.08 + 0.92 * (most > least ? (value - least) / (most - least) : 1)];
  });
  fill(plotWidth);
  context.globalAlpha = 1;
}

// What counters there are, each once, with its least and most.
export function distinctCounters(model) {
  return [...new Map(model.counters.filter(({draw}) => !draw).map(counter => [counter.alike[0], counter])).values()];
}

// "0 – 12 MB".
export function scaleOf({bounds, unit}) {
  return bounds.map(value => number(value, unit)).join(' – ');
}

function drawNames(chart, {name, unit}, y, [least, most]) {
  const {context, gutter, palette: {colours}} = chart, scale = [number(most), number(least)];
  context.fillStyle = colours.ground;
  context.fillRect(0, y, gutter, COUNTER);
  context.textAlign = 'right';
  context.fillStyle = colours.dim;
  const widest = Math.max(...scale.map(text => chart.measure(text)));
  context.fillText(scale[0], gutter - 5, y + INSET + 4);
  if (most > least)
    context.fillText(scale[1], gutter - 5, y + COUNTER - INSET - 4);
  context.textAlign = 'left';
  context.fillStyle = colours.text;
  context.fillText(chart.fit(name, gutter - 28 - widest), 18, y + INSET + 4);
  context.fillStyle = colours.dim;
  context.fillText(chart.fit(unit, gutter - 28 - widest), 18, y + COUNTER - INSET - 4);
}

// A counter's value at a time, for the tooltip.
export function counterFacts(model, counter, time, view) {
  const value = counter.at(time), summary = counter.summary(view.from, view.to), unit = counter.unit;
  const facts = [['of', model.rows[counter.row].name], ['value', value === null ? 'none yet' : number(value, unit)]];
  if (summary)
    facts.push(['here', `${number(summary.least)} to ${number(summary.most, unit)}, mean ` +
      `${number(summary.mean, unit)}`]);
  if (counter.meaning && counter.meaning !== counter.name)
    facts.push(['meaning', counter.meaning]);
  return {title: counter.name, facts};
}

// The table beside the picture.
export function showCounters(model, {from, to}, rows) {
  const shown = new Set(rows.map(({index}) => index)), lines = [];
  for (const counter of model.counters) {
    const summary = shown.has(counter.row) ? counter.summary(from, to) : null;
    if (summary && lines.length < 40)
      lines.push(makeLine(model, counter, summary));
  }
  byId('counters-section').hidden = lines.length === 0;
  byId('counters').replaceChildren(...lines);
}

function makeLine(model, {name, unit, row}, {least, mean, most, growth}) {
  const title = `${name}${unit && `, ${unit}`}, ${model.rows[row].name}`;
  return element('tr', {title}, element('td', {}, name, element('small', {}, ` ${model.rows[row].name}`)),
    ...[least, mean, most, growth].map(value => element('td', {}, number(value))));
}
