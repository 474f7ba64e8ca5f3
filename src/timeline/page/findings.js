// What the report found: each finding with what it could save and how sure that is, and the way to where it costs most.
import {byId, element} from './dom.js';
import {duration, percent} from './format.js';

const NS_PER_S = 1e9;

function gainOf({gain_s: gain, uncertainty_s: uncertainty, gain_share: share}) {
  const spread = uncertainty === null ? '' : ` ± ${duration(uncertainty * NS_PER_S)}`;
  return `${duration(gain * NS_PER_S)}${spread} (${percent(share, 1)})`;
}

// Where it costs most, as {from, to}, where the report has that: few instances that make up most of it.
export function peakOf({instances}) {
  return instances && {from: instances.begin_s * NS_PER_S, to: instances.end_s * NS_PER_S};
}

export class Findings {
  // `report`: as the page has it, or null; `chosen` is called with a finding that is to be shown, or null.
  constructor(report, chosen) {
    Object.assign(this, {list: report?.findings ?? [], chosen, current: -1});
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

  #makeItem(finding, index) {
    const button = element('button', {type: 'button', className: 'finding', ariaExpanded: 'false'},
      element('span', {className: 'gain'}, `up to ${gainOf(finding)}`), element('span', {}, finding.what),
      element('small', {}, `confidence: ${finding.confidence}`));
    button.addEventListener('click', () => this.choose(index === this.current ? -1 : index));
    const more = element('div', {className: 'evidence', hidden: true},
      element('p', {}, element('b', {}, 'To do: '), finding.advice), element('p', {}, finding.evidence),
      element('p', {}, `Confidence: ${finding.reason}`));
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
