// The activities with their colours and the duration of each in the visible interval; a click hides or shows one.
import {element, swatch} from './dom.js';
import {difference, duration, percent} from './format.js';
import {LETTERS} from './groups.js';

export class Legend {
  constructor(box, model, hidden, changed) {
    Object.assign(this, {box, model, hidden, changed});
    this.isEver = model.times(model.from, model.to).map(ns => ns >= 0.5);
    this.lines = model.activities.map((activity, kind) => this.#makeLine(activity, kind));
  }

  #makeLine(activity, kind) {
    const mark = element('span', {className: 'mark'}), time = element('span', {className: 'time'});
    const share = element('span', {className: 'share'}), change = element('span', {className: 'change'});
    const bar = element('span', {className: 'bar'});
    const button = element('button', {type: 'button', className: 'activity', title: activity.meaning,
      ariaPressed: 'true'}, mark, element('span', {className: 'name'}, activity.name), time, share, change, bar);
    button.addEventListener('click', () => this.toggle(kind));
    this.box.append(element('li', {hidden: !this.isEver[kind]}, button)); // what the trace does not have at all
    return {button, mark, time, share, change, bar};
  }

  toggle(kind) {
    if (!this.hidden.delete(kind))
      this.hidden.add(kind);
    this.lines[kind].button.setAttribute('aria-pressed', String(!this.hidden.has(kind)));
    this.changed();
  }

  // Hides these and shows the others.
  setHidden(kinds) {
    this.hidden.clear();
    for (const kind of kinds)
      this.hidden.add(kind);
    for (const [kind, {button}] of this.lines.entries())
      button.setAttribute('aria-pressed', String(!this.hidden.has(kind)));
  }

  paint(palette) {
    for (const [kind, line] of this.lines.entries()) {
      line.mark.replaceChildren(swatch(palette.paints[kind]));
      line.bar.style.backgroundColor = palette.paints[kind].css;
    }
  }

  // `rest`: the sums to compare shares with, or null; `runs`: those of each run that is compared, which are not added.
  update(sums, rest = null, runs = []) {
    const restTotal = rest?.reduce((sum, ns) => sum + ns, 0);
    const total = sums.reduce((sum, ns) => sum + ns, 0), most = Math.max(...sums, 1);
    for (const [kind, line] of this.lines.entries()) {
      const ns = Math.max(0, sums[kind]), isPresent = ns >= 0.5;
      line.time.textContent = !isPresent ? '–' : runs.length === 0 ? duration(ns)
        : runs.map((run, side) => `${LETTERS[side]} ${duration(Math.max(0, run[kind]))}`).join('  ');
      line.share.textContent = isPresent && runs.length === 0 ? percent(ns, total) : '';
      line.change.textContent = rest && (isPresent || rest[kind] >= 0.5)
        ? difference(ns, total, rest[kind], restTotal) : '';
      line.bar.style.width = `${ns / most * 100}%`;
      line.button.classList.toggle('absent', !isPresent);
    }
  }
}
