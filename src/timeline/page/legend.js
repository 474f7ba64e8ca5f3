// The activities with their colours and how long each took in the visible interval; a click hides or shows one.
import {element, swatch} from './dom.js';
import {duration, percent} from './format.js';

export class Legend {
  constructor(box, model, hidden, changed) {
    Object.assign(this, {box, model, hidden, changed});
    this.lines = model.activities.map((activity, kind) => this.#makeLine(activity, kind));
  }

  #makeLine(activity, kind) {
    const mark = element('span', {className: 'mark'}), time = element('span', {className: 'time'});
    const share = element('span', {className: 'share'}), bar = element('span', {className: 'bar'});
    const button = element('button', {type: 'button', className: 'activity', title: activity.meaning,
      ariaPressed: 'true'}, mark, element('span', {className: 'name'}, activity.name), time, share, bar);
    button.addEventListener('click', () => this.toggle(kind));
    this.box.append(element('li', {}, button));
    return {button, mark, time, share, bar};
  }

  toggle(kind) {
    if (!this.hidden.delete(kind))
      this.hidden.add(kind);
    this.lines[kind].button.setAttribute('aria-pressed', String(!this.hidden.has(kind)));
    this.changed();
  }

  paint(palette) {
    for (const [kind, line] of this.lines.entries()) {
      line.mark.replaceChildren(swatch(palette.paints[kind]));
      line.bar.style.backgroundColor = palette.paints[kind].css;
    }
  }

  update(sums) {
    const whole = sums.reduce((sum, ns) => sum + ns, 0), most = Math.max(...sums, 1);
    for (const [kind, line] of this.lines.entries()) {
      const ns = Math.max(0, sums[kind]), isPresent = ns >= 0.5;
      line.time.textContent = isPresent ? duration(ns) : '–';
      line.share.textContent = isPresent ? percent(ns, whole) : '';
      line.bar.style.width = `${ns / most * 100}%`;
      line.button.classList.toggle('absent', !isPresent);
    }
  }
}
