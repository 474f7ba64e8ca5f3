// Lines from row to row: where there are too many to be distinguished, those that begin close together and lead from
// the same rows to the same are one, the wider the more they are.

const FIRST = 16, PER_ROW = 16, WIDEST = 9, NUMBERS = 80; // pixels of a cell in time, part of it in height, of a line
const FEW = 400, NUMBER_HEIGHT = 12;

// Each cell's in the mean of their places, with their number and the cell's width.
function inCells(lines, width) {
  const cells = new Map(), height = width / PER_ROW;
  for (const {x0, y0, x1, y1} of lines) {
    const key = `${Math.floor(x0 / width)} ${Math.floor(y0 / height)} ${Math.floor(y1 / height)}`;
    const cell = cells.get(key) ?? {x0: 0, y0: 0, x1: 0, y1: 0, count: 0};
    cells.set(key, cell);
    for (const [name, value] of Object.entries({x0, y0, x1, y1, count: 1}))
      cell[name] += value;
  }
  return [...cells.values()].map(({x0, y0, x1, y1, count}) =>
    ({x0: x0 / count, y0: y0 / count, x1: x1 / count, y1: y1 / count, count, width}));
}

export function bundle(lines, most = FEW) {
  if (lines.length <= most)
    return lines.map(line => ({...line, count: 1}));
  for (let width = FIRST; ; width *= 2) {
    const bundles = inCells(lines, width);
    if (bundles.length <= most)
      return bundles;
  }
}

// Most of what lies below lines side by side is still to be seen.
export function widthOf({count, width = Infinity}) {
  return Math.min(WIDEST, width / 4, 1 + Math.log2(count));
}

// Lines of a kind for what a chart shows, as long as it shows the same.
export class Bundles {
  constructor(chart) {
    this.chart = chart;
  }

  // `items`: as they are kept; `make` gives the lines of what is visible of them.
  of(items, make) {
    if (this.items !== items || this.drawing !== this.chart.drawings) {
      const lines = make();
      Object.assign(this, {items, drawing: this.chart.drawings, all: lines.length, lines: bundle(lines)});
    }
    return this;
  }

  // How many are not drawn each.
  get bundled() {
    return this.all > this.lines.length ? this.all : 0;
  }

  // The numbers of those that are several, where these are few: the largest first, none over another.
  drawNumbers(context, colours) {
    if (!this.bundled || this.lines.length > NUMBERS)
      return;
    context.textAlign = 'center';
    context.fillStyle = colours.text;
    this.numbers = [];
    for (const {x0, y0, x1, y1, count} of [...this.lines].sort((one, other) => other.count - one.count)) {
      const text = String(count), x = (x0 + x1) / 2, y = (y0 + y1) / 2 - 7;
      const half = context.measureText(text).width / 2 + 2;
      if (count === 1 || this.numbers.some(other => Math.abs(other.y - y) < NUMBER_HEIGHT &&
          Math.abs(other.x - x) < other.half + half))
        continue;
      this.numbers.push({x, y, half});
      context.fillText(text, x, y);
    }
  }
}
