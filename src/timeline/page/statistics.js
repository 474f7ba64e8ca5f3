// Which regions the visible interval was spent in: the time of each without that of the regions inside of it.
import {lowerBound} from './bytes.js';
import {element} from './dom.js';
import {headAndTail} from './fit.js';
import {count, duration, percent} from './format.js';

const MOST_REGIONS = 12, FINEST_NS_PER_VIEW = 20000;

// Takes the time of the bars of one depth to their regions, and away from the regions around them.
function addDepth(slices, outer, view, times) {
  let above = 0;
  const first = lowerBound(slices.end, view.from, 0, slices.count);
  for (let i = first; i < slices.count && slices.begin[i] <= view.to; i++) {
    const visible = Math.min(slices.end[i], view.to) - Math.max(slices.begin[i], view.from);
    const length = slices.end[i] - slices.begin[i];
    const busy = length > 0 ? Math.max(0, visible) * Math.min(1, slices.busy[i] / length) : 0;
    const time = times[slices.merged[i] > 1 ? times.length - 1 : slices.region[i]] ??= {ns: 0, count: 0};
    time.ns += busy;
    time.count += slices.merged[i];
    if (!outer)
      continue;
    while (above + 1 < outer.count && outer.begin[above + 1] <= slices.begin[i])
      above++;
    const around = times[outer.merged[above] > 1 ? times.length - 1 : outer.region[above]];
    if (around && outer.begin[above] <= slices.begin[i])
      around.ns -= busy;
  }
}

// Time and count by region; the last entry is for what was merged.
function regionTimes(model, view) {
  const times = new Array(model.regions.length + 1).fill(null);
  for (const row of model.rows) {
    let outer = null;
    for (const track of row.slices) {
      const slices = track.level(view.length / FINEST_NS_PER_VIEW);
      addDepth(slices, outer, view, times);
      outer = slices;
    }
  }
  return times;
}

export function topRegions(model, view) {
  const lines = [];
  for (const [index, time] of regionTimes(model, view).entries())
    if (time && time.ns > 0)
      lines.push({region: model.regions[index] ?? null, ...time});
  lines.sort((one, other) => other.ns - one.ns);
  return lines.slice(0, MOST_REGIONS);
}

export class Statistics {
  constructor(body, model, pick) {
    Object.assign(this, {body, model, pick});
  }

  update(view, whole) {
    this.body.replaceChildren(...topRegions(this.model, view).map(line => this.#makeLine(line, whole)));
  }

  #nameParts(name) {
    const [head, tail] = headAndTail(name);
    return [element('span', {className: 'head'}, head), element('span', {}, tail)];
  }

  #makeLine({region, ns, count: times}, whole) {
    const name = region ? element('button', {type: 'button', className: 'link', title: region.name},
      ...this.#nameParts(region.short))
      : element('span', {}, 'merged short regions');
    if (region)
      name.addEventListener('click', () => this.pick(region));
    return element('tr', {}, element('td', {}, name), element('td', {}, count(times)), element('td', {}, duration(ns)),
      element('td', {}, percent(ns, whole)));
  }
}
