// The numbers beside the picture: of the visible interval, or of the one that was marked, then beside those of all
// the rest.
import {showCounters} from './counters.js';
import {byId} from './dom.js';
import {count, difference, duration, number, percent} from './format.js';
import {Devices} from './launches.js';
import {samplesAsText, showSamples} from './samples.js';
import {Sides} from './sides.js';
import {makeRest, regionsBy, topRegions} from './statistics.js';
import {CONDITIONS} from './tables.js';
import {Threads} from './threads.js';
import {showTransfers} from './transfers.js';

function sum(values) {
  return values.reduce((all, ns) => all + ns, 0);
}

export class Numbers {
  // `pick` gets a region whose name is clicked, `goToRow` of a row; `changed` is called where others are requested.
  constructor(model, {legend, statistics, chart, redraw, changed}, pick, goToRow) {
    const mark = rows => {
      const isSame = chart.outliers.size === rows.size && [...rows].every(row => chart.outliers.has(row));
      chart.outliers = rows;
      if (!isSame)
        redraw();
    };
    Object.assign(this, {model, legend, statistics, sides: new Sides(model, pick),
      threads: new Threads(model, goToRow, mark), devices: new Devices(model, goToRow)});
    byId('regions-apart').hidden = model.rows.length < 2;
    byId('regions-by').addEventListener('change', () => changed());
  }

  update(view, range) {
    if (range)
      this.#showRange(range);
    else
      this.#showVisible(view);
    const interval = range ?? view, rows = range?.rowsOf(this.model) ?? this.model.rows;
    this.sides.update(interval, rows);
    this.threads.update(interval, rows);
    this.devices.update(interval, rows);
    showCounters(this.model, interval, rows);
    showTransfers(this.model, interval, rows);
    showSamples(this.model, interval, rows, Boolean(range));
    this.#showConditions(interval, rows);
    document.body.classList.toggle('compares', Boolean(range));
    byId('rest-column').hidden = !range;
    byId('regions-title').textContent = range ? 'Regions in the selection' : 'Regions in it';
  }

  // "Without a processor: preempted 2.00 ms (1.0 %), ...", where the archive shows.
  #showConditions({from, to}, rows) {
    const {model} = this, total = (to - from) * rows.length, texts = [];
    if (model.hasConditions)
      for (const [kind, ns] of model.conditionTimes(from, to, rows).entries())
        if (ns >= 0.5)
          texts.push(`${CONDITIONS[kind].name} ${duration(ns)} (${percent(ns, total)})`);
    byId('conditions').textContent = texts.length ? `Of all threads' time: ${texts.join(', ')}.` : '';
  }

  // The activities of each run that is compared.
  #runs({from, to}, rows) {
    return this.model.sides.map((_, side) => this.model.times(from, to, rows.filter(row => row.side === side)));
  }

  #regions(interval, rows) {
    return regionsBy(this.model, interval, rows, byId('regions-by').value);
  }

  #showVisible(view) {
    const {model} = this, sums = model.times(view.from, view.to);
    this.legend.update(sums, null, this.#runs(view, model.rows));
    this.statistics.update(this.#regions(view, model.rows), sum(sums));
  }

  #measure(range) {
    const {model} = this, rows = range.rowsOf(model), sums = model.times(range.from, range.to, rows);
    const rest = model.times(model.from, model.to).map((ns, kind) => Math.max(0, ns - sums[kind]));
    const lines = topRegions(model, range, rows, Infinity);
    return {sums, rest, lines, total: sum(sums), restTotal: sum(rest), restOf: makeRest(model, lines)};
  }

  #showRange(range) {
    const {sums, rest, lines, total, restTotal, restOf} = this.#measure(range);
    this.legend.update(sums, rest, this.#runs(range, range.rowsOf(this.model)));
    if (byId('regions-by').value === 'all')
      this.statistics.update(lines, total, {of: restOf, total: restTotal});
    else
      this.statistics.update(this.#regions(range, range.rowsOf(this.model)), total);
  }

  // The same as a text, in columns for people and spreadsheets: tabs are between.
  asText(range) {
    const {model} = this, {sums, rest, lines, total, restTotal, restOf} = this.#measure(range);
    const {times, rows} = range.describe(model);
    const text = [`${model.about.title}: ${times} (${duration(range.length)}), ${rows}`, '',
      ['activity', 'time', 'share', 'points more than in the rest'].join('\t')];
    for (const [kind, ns] of sums.entries())
      if (ns >= 0.5)
        text.push([model.activities[kind].name, duration(ns), percent(ns, total),
          difference(ns, total, rest[kind], restTotal)].join('\t'));
    text.push('', ['region', 'count', 'own time', 'share', 'points more than in the rest'].join('\t'));
    for (const {region, ns, count: many} of lines)
      text.push([region?.name ?? 'merged short regions', count(many), duration(ns), percent(ns, total),
        difference(ns, total, restOf(region), restTotal)].join('\t'));
    text.push(...this.sides.asText(range, range.rowsOf(model)));
    text.push(...samplesAsText(model, {from: range.from, to: range.to, rows: range.rowsOf(model)}));
    for (const counter of model.counters) {
      const summary = range.rows && !range.rows.includes(counter.row) ? null : counter.summary(range.from, range.to);
      if (summary)
        text.push([`${counter.name}, ${model.rows[counter.row].name}`,
          `from ${number(summary.least)} to ${number(summary.most, counter.unit)}`,
          `mean ${number(summary.mean, counter.unit)}`].join('\t'));
    }
    return `${text.join('\n').replaceAll('\u00a0', ' ')}\n`;
  }
}
