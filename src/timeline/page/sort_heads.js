// Heads of a table by whose click it is sorted.

export class SortHeads {
  // `compare`: functions by a column's data-by, which put first what is shown first; names rise, numbers fall. `by`:
  // the one at first, which need not be a column. `changed` is called after a click.
  constructor(body, compare, by, changed) {
    Object.assign(this, {compare, by, isTurned: false});
    this.heads = [...body.parentElement.querySelectorAll('th[data-by]')];
    for (const head of this.heads)
      head.firstElementChild.addEventListener('click', () => {
        this.#choose(head.dataset.by);
        changed();
      });
    this.#mark();
  }

  // The same column once more: in the reverse order.
  #choose(by) {
    this.isTurned = by === this.by && !this.isTurned;
    this.by = by;
    this.#mark();
  }

  #mark() {
    for (const head of this.heads) {
      const isFalling = (head.dataset.by !== 'name') !== this.isTurned;
      head.setAttribute('aria-sort', head.dataset.by !== this.by ? 'none' : isFalling ? 'descending' : 'ascending');
    }
  }

  sorted(lines) {
    const compare = this.compare[this.by];
    return [...lines].sort((one, other) => this.isTurned ? compare(other, one) : compare(one, other));
  }
}
