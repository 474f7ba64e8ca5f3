// What is under the pointer.
import {element} from './dom.js';

export function factList(facts) {
  const list = element('dl', {});
  for (const [name, text] of facts)
    list.append(element('dt', {}, name), element('dd', {}, String(text)));
  return list;
}

export class Tooltip {
  constructor(box) {
    this.box = box;
  }

  show(x, y, title, facts) {
    const {box} = this;
    box.replaceChildren(element('strong', {}, title), factList(facts));
    box.hidden = false;
    const room = document.documentElement, left = x + 16 + box.offsetWidth > room.clientWidth;
    const above = y + 16 + box.offsetHeight > room.clientHeight;
    box.style.left = `${Math.max(0, left ? x - 12 - box.offsetWidth : x + 16)}px`;
    box.style.top = `${Math.max(0, above ? y - 12 - box.offsetHeight : y + 16)}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}
