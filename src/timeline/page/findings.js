// What stave report and stave check found: how the run ended if not in order, broken rules, then each finding with what
// it could save and how sure that is; and the way to where it was, or costs most.
import {byId, element} from './dom.js';
import {duration, percent} from './format.js';

const NS_PER_S = 1e9;

function gainOf({gain_s: gain, uncertainty_s: uncertainty, gain_share: share}) {
  const spread = uncertainty === null ? '' : ` ± ${duration(uncertainty * NS_PER_S)}`;
  return `${duration(gain * NS_PER_S)}${spread} (${percent(share, 1)})`;
}

// Where it was or costs most, as {from, to}, where the report has that: few instances that make up most of it, the
// longest serial part.
export function peakOf({interval_s: interval}) {
  return interval && {from: interval[0] * NS_PER_S, to: interval[1] * NS_PER_S};
}

// "A -> B" would be cut after the dash at the end of a line.
function withArrows(text) {
  return text.replaceAll('->', '→');
}

// What is shown of either kind: head and note in a line each, below them texts.
function asItem({kind, what, note, texts, place, rows, from_s: from, to_s: to}) {
  return {isProblem: true, head: kind, what: withArrows(what), note, place, rows, interval_s: [from, to],
    texts: texts.map(text => [withArrows(text)])};
}

// The region of a serial part is the one before it.
function findingAsItem(finding) {
  const {cause, what, advice, evidence, confidence, reason, interval_s: interval} = finding;
  const place = cause === 'serial part' ? null : finding.place;
  return {head: `up to ${gainOf(finding)}`, what, note: `confidence: ${confidence}`, place, rows: null,
    interval_s: interval, texts: [[element('b', {}, 'To do: '), advice], [evidence], [`Confidence: ${reason}`]]};
}

// The slice of the problem's region, else the deepest, that was open in its row then, or null.
export function sliceOfProblem(model, {place, rows, interval_s: [at]}) {
  const row = rows?.[0], time = Math.round(at * NS_PER_S);
  if (row === undefined)
    return null;
  let found = null;
  for (const [depth, track] of model.rows[row].slices.entries()) {
    const i = track.find(time, 1);
    if (i >= 0 && (track.finest.region[i] === place || found?.region.index !== place))
      found = model.slice(row, depth, i);
  }
  return found;
}

export class Findings {
  // `report`: as the page has it, or null; `chosen` is called with a finding that is to be shown, or null.
  constructor(report, chosen) {
    const {problems = [], findings = []} = report ?? {};
    Object.assign(this, {list: [...problems.map(asItem), ...findings.map(findingAsItem)], chosen, current: -1});
    byId('findings-section').hidden = !report;
    if (!report)
      return;
    byId('findings-title').textContent = this.list.length ? `Findings (${this.list.length})` : 'Findings';
    byId('findings-facts').replaceChildren(...this.#remarks(report).map(text => element('p', {}, text)));
    byId('findings').replaceChildren(...this.list.map((finding, index) => this.#makeItem(finding, index)));
  }

  #remarks({wall_s: wall, efficiency, remarks, nothing}) {
    const known = efficiency === null ? '' : `, parallel efficiency ${percent(efficiency, 1)}`;
    return [`Wall time ${duration(wall * NS_PER_S)}${known}.`, ...remarks, ...nothing ? [nothing] : []];
  }

  #makeItem({isProblem, head, what, note, texts}, index) {
    const button = element('button', {type: 'button', className: isProblem ? 'finding problem' : 'finding',
      ariaExpanded: 'false'}, element('span', {className: 'gain'}, head), element('span', {}, what),
      note && element('small', {}, note));
    button.addEventListener('click', () => this.choose(index === this.current ? -1 : index));
    const more = element('div', {className: 'evidence', hidden: true},
      ...texts.map(parts => element('p', {}, ...parts)));
    return element('li', {}, button, more);
  }

  // -1: none of them.
  choose(index) {
    this.current = index;
    for (const [i, item] of [...byId('findings').children].entries()) {
      item.firstChild.setAttribute('aria-expanded', String(i === index));
      item.lastChild.hidden = i !== index;
    }
    byId('findings').children[index]?.scrollIntoView({block: 'nearest'});
    this.chosen(this.list[index] ?? null);
  }

  // The next one, or the one before; after the last one the first.
  step(direction) {
    const {length} = this.list;
    if (length)
      this.choose(this.current < 0 ? direction > 0 ? 0 : length - 1 : (this.current + direction + length) % length);
  }
}
