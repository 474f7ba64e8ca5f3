import {drawn, find} from './dom.js';
import {losses} from './factors.js';
import {share} from './words.js';

const WIDTH = 1000, HEIGHT = 280, LEFT = 56, RIGHT = 150, TOP = 16, BOTTOM = 34;

function down(part) {
  return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

function bar(svg, x, width, from, to, colour, title) {
  const rect = drawn('rect', {x, width, y: down(to), height: Math.max(0, down(from) - down(to)), fill: colour});
  rect.append(drawn('title', {}, title));
  svg.append(rect);
}

function drawStep(svg, step, factors, x, width, isChosen) {
  const {left, taken} = losses(step, factors);
  let top = left;
  bar(svg, x, width, 0, left, 'var(--f0)', `efficiency ${share(left)}`);
  for (const {factor, share: lost} of taken.reverse()) {
    bar(svg, x, width, top, top + lost, `var(--f${factor.colour})`, `${factor.name}: ${share(lost)} lost`);
    top += lost;
  }
  svg.append(drawn('text', {x: x + width / 2, y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle'},
    `${step.threads}${step.has_too_many_threads ? '*' : ''}`));
  if (isChosen)
    svg.append(drawn('rect', {class: 'mark', x: x - 3, width: width + 6, y: TOP - 3, height: HEIGHT - TOP - BOTTOM + 6,
      fill: 'none'}));
}

function legend(svg, factors) {
  const rows = [{name: 'left', colour: 0}, ...factors.filter(({of}) => !of)];
  rows.forEach(({name, colour}, i) => {
    const y = TOP + 20 * i;
    svg.append(drawn('rect', {x: WIDTH - RIGHT + 14, y, width: 12, height: 12, fill: `var(--f${colour})`}));
    svg.append(drawn('text', {x: WIDTH - RIGHT + 32, y: y + 11}, name));
  });
}

/** A column for each number of threads. */
export function drawStacks(part, factors, chosen) {
  const svg = drawn('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true'});
  const room = (WIDTH - LEFT - RIGHT) / part.steps.length, width = Math.min(70, 0.6 * room);
  for (const value of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(drawn('line', {class: 'axis', x1: LEFT, x2: WIDTH - RIGHT, y1: down(value), y2: down(value)}));
    svg.append(drawn('text', {x: LEFT - 8, y: down(value) + 4, 'text-anchor': 'end'}, `${100 * value} %`));
  }
  part.steps.forEach((step, i) =>
    drawStep(svg, step, factors, LEFT + room * (i + 0.5) - width / 2, width, i === chosen));
  legend(svg, factors);
  find('stacks').replaceChildren(svg);
}
