import {drawn, find} from './dom.js';

const WIDTH = 1000, HEIGHT = 340, LEFT = 56, RIGHT = 150, TOP = 16, BOTTOM = 34, STEPS = 80;

/** Both axes are logarithmic, so that what is ideal is straight. */
function scales(part, isBeyond) {
  const threads = part.steps.map((step) => step.threads);
  const first = threads[0], last = threads.at(-1) * (isBeyond ? 2 : 1);
  const least = Math.min(1, ...part.steps.map((step) => step.speedup));
  const most = Math.max(last / first, ...part.steps.map((step) => step.speedup));
  const across = (n) => LEFT + Math.log(n / first) / Math.log(Math.max(last / first, 1.01)) * (WIDTH - LEFT - RIGHT);
  const down = (value) => HEIGHT - BOTTOM
    - Math.log(Math.max(value, least / 2) / least) / Math.log(Math.max(most / least, 1.01)) * (HEIGHT - TOP - BOTTOM);
  return {first, last, least, most, across, down};
}

function time(fit, n) {
  return fit.one_thread_s * (1 + fit.serial * (n - 1) + fit.coherence * n * (n - 1)) / n;
}

/** Against the median of the first step, as all speed-ups are; in weak scaling of work that grows. */
function speedupOf(fit, reference, isWeak) {
  return (n) => (isWeak ? reference.wall_s / reference.threads : reference.wall_s) / time(fit, n);
}

function between(from, to) {
  return Array.from({length: STEPS + 1}, (_, i) => from * (to / from) ** (i / STEPS));
}

function line(svg, kind, numbers, value, {across, down}) {
  const points = numbers.map((n) => `${across(n).toFixed(1)},${down(value(n)).toFixed(1)}`);
  svg.append(drawn('polyline', {class: kind, points: points.join(' ')}));
}

function axes(svg, part, scale) {
  for (const step of part.steps) {
    const x = scale.across(step.threads);
    svg.append(drawn('line', {class: 'axis', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
    svg.append(drawn('text', {x, y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle'}, String(step.threads)));
  }
  svg.append(drawn('text', {x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, 'text-anchor': 'middle'}, 'threads'));
  for (let value = 2 ** Math.floor(Math.log2(scale.least)); value <= scale.most * 1.001; value *= 2) {
    const y = scale.down(value);
    svg.append(drawn('line', {class: 'axis', x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y}));
    svg.append(drawn('text', {x: LEFT - 8, y: y + 4, 'text-anchor': 'end'}, `${value}x`));
  }
}

/** After the numbers that were run the law is broken, with the interval of its predictions. */
function drawLaw(svg, fit, part, isWeak, scale) {
  const reference = part.steps[0], last = part.steps.at(-1).threads, value = speedupOf(fit, reference, isWeak);
  line(svg, 'law', between(scale.first, last), value, scale);
  line(svg, 'law-beyond', between(last, scale.last), value, scale);
  const predicted = fit.predicted.filter(({threads}) => threads >= last && threads <= scale.last);
  const edge = (sign) => predicted.map(({threads, wall_s: wall, interval_s: interval}) => {
    const growth = isWeak ? threads / reference.threads : 1;
    const speedup = growth * reference.wall_s / Math.max(wall + sign * interval, wall / 9);
    return `${scale.across(threads)},${scale.down(speedup)}`;
  });
  if (predicted.length > 1)
    svg.append(drawn('polygon', {class: 'interval', points: [...edge(1), ...edge(-1).reverse()].join(' ')}));
}

function drawSteps(svg, part, isWeak, scale) {
  const [reference] = part.steps;
  for (const step of part.steps) {
    const x = scale.across(step.threads), growth = isWeak ? step.threads / reference.threads : 1;
    const at = (seconds) => scale.down(growth * reference.wall_s / seconds);
    if (step.most_s > step.least_s)
      svg.append(drawn('line', {class: 'spread', x1: x, x2: x, y1: at(step.most_s), y2: at(step.least_s)}));
  }
  line(svg, 'wall', part.steps.map((step) => step.threads),
    (n) => part.steps.find((step) => step.threads === n).speedup, scale);
  for (const step of part.steps)
    svg.append(drawn('circle', {class: step.has_too_many_threads ? 'is-crowded' : 'point-wall',
      cx: scale.across(step.threads), cy: scale.down(step.speedup), r: 4}));
}

function label(svg, row, kind, text) {
  const x = WIDTH - RIGHT + 14, y = TOP + 10 + 20 * row;
  svg.append(drawn('line', {class: kind, x1: x, x2: x + 24, y1: y, y2: y}));
  svg.append(drawn('text', {x: x + 30, y: y + 4}, text));
}

function drawLaws(svg, part, isWeak, scale) {
  let row = 2;
  for (const fit of part.fits.filter(({refused}) => refused === null)) {
    const isBest = fit.law === part.best_law, value = speedupOf(fit, part.steps[0], isWeak);
    if (isBest)
      drawLaw(svg, fit, part, isWeak, scale);
    else
      line(svg, 'other-law', between(scale.first, scale.last), value, scale);
    label(svg, row++, isBest ? 'law' : 'other-law', fit.law === 'Amdahl' ? "Amdahl's law" : 'universal law');
  }
}

/** The speed-up, what would be ideal, and the laws. choose is called with a step's position. */
export function drawCurve(part, isWeak, chosen, choose) {
  const scale = scales(part, part.fits.some(({refused}) => refused === null));
  const svg = drawn('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true'});
  axes(svg, part, scale);
  const x = scale.across(part.steps[chosen].threads);
  svg.append(drawn('line', {class: 'mark', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
  line(svg, 'ideal', [scale.first, scale.last], (n) => n / scale.first, scale);
  drawLaws(svg, part, isWeak, scale);
  drawSteps(svg, part, isWeak, scale);
  label(svg, 0, 'wall', 'measured');
  label(svg, 1, 'ideal', 'ideal');
  svg.addEventListener('click', (event) => {
    const box = svg.getBoundingClientRect(), at = (event.clientX - box.left) * WIDTH / box.width;
    const distances = part.steps.map((step) => Math.abs(scale.across(step.threads) - at));
    choose(distances.indexOf(Math.min(...distances)));
  });
  find('chart').replaceChildren(svg);
}
