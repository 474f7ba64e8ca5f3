import {drawn, find} from './dom.js';
import {date, share, time} from './words.js';

const WIDTH = 1000, HEIGHT = 260, LEFT = 70, RIGHT = 60, TOP = 16, BOTTOM = 30;

function across(runs, index) {
  return runs.length < 2 ? WIDTH / 2 : LEFT + index * (WIDTH - LEFT - RIGHT) / (runs.length - 1);
}

function down(part) {
  return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

function line(svg, kind, runs, part) {
  const places = runs.map((run, i) => [across(runs, i), down(part(run))]);
  svg.append(drawn('polyline', {class: kind, points: places.map((place) => place.join(',')).join(' ')}));
  places.forEach(([x, y]) => svg.append(drawn('circle', {class: `point-${kind}`, cx: x, cy: y, r: 3.5})));
}

/** Wall time from 0 on the left axis, parallel efficiency from 0 to 1 on the right one. */
export function draw(runs, chosen, choose) {
  const most = Math.max(...runs.map((run) => run.wall_s)) || 1;
  const svg = drawn('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true'});
  for (const part of [0, 0.5, 1]) {
    svg.append(drawn('line', {class: 'axis', x1: LEFT, x2: WIDTH - RIGHT, y1: down(part), y2: down(part)}));
    svg.append(drawn('text', {x: LEFT - 8, y: down(part) + 4, 'text-anchor': 'end'}, time(part * most)));
    svg.append(drawn('text', {x: WIDTH - RIGHT + 8, y: down(part) + 4}, share(part)));
  }
  const x = across(runs, chosen);
  svg.append(drawn('line', {class: 'mark', x1: x, x2: x, y1: TOP, y2: HEIGHT - BOTTOM}));
  line(svg, 'wall', runs, (run) => run.wall_s / most);
  line(svg, 'efficiency', runs, (run) => run.efficiency.parallel);
  svg.append(drawn('text', {x: LEFT, y: HEIGHT - 8}, date(runs[0]) || 'first'));
  svg.append(drawn('text', {x: WIDTH - RIGHT, y: HEIGHT - 8, 'text-anchor': 'end'}, date(runs.at(-1)) || 'last'));
  svg.append(drawn('text', {x: WIDTH / 2, y: HEIGHT - 8, 'text-anchor': 'middle'},
    '— wall time   - - parallel efficiency'));
  svg.addEventListener('click', (event) => {
    const box = svg.getBoundingClientRect(), at = (event.clientX - box.left) * WIDTH / box.width;
    const distances = runs.map((_, i) => Math.abs(across(runs, i) - at));
    choose(distances.indexOf(Math.min(...distances)));
  });
  find('chart').replaceChildren(svg);
}
