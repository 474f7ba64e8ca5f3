import {element, find} from './dom.js';

/** Which column a table is sorted by. `valueOf(row, key)`: what a row has there. A click on a head calls `draw`. */
export class Sorting {
  constructor(key, valueOf, draw) {
    Object.assign(this, {key, valueOf, draw, isDown: key !== 'name'});
  }

  head(key, text) {
    const button = element('button', {type: 'button', id: `sort-${key}`}, text);
    button.addEventListener('click', () => this.#choose(key));
    const order = this.key === key ? {'aria-sort': this.isDown ? 'descending' : 'ascending'} : {};
    return element('th', {scope: 'col', ...order}, button);
  }

  // The same column once more: in the reverse order. What had the focus is drawn anew.
  #choose(key) {
    this.isDown = this.key === key ? !this.isDown : key !== 'name';
    this.key = key;
    this.draw();
    find(`sort-${key}`).focus();
  }

  sorted(rows) {
    const compare = (a, b) => {
      const [one, other] = [this.valueOf(a, this.key), this.valueOf(b, this.key)];
      return this.key === 'name' ? one.localeCompare(other) : (one > other) - (one < other);
    };
    return [...rows].sort((a, b) => (this.isDown ? -1 : 1) * compare(a, b));
  }
}
