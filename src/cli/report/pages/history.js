import {draw} from './chart.js';
import {element, find} from './dom.js';
import {Sorting} from './sorting.js';
import {describe} from './statistics.js';
import {change, date, share, time} from './words.js';

const {runs} = JSON.parse(find('data').textContent);
const COLUMNS_MAX = 20;
const FACTORS = [['parallel', 'parallel efficiency'], ['serial', 'serial efficiency'], ['thread', 'thread efficiency'],
  ['load_balance', 'load balance'], ['serialisation', 'serialisation'], ['runtime', 'runtime']];
const sorting = new Sorting('last', (row, key) => row[key] ?? -Infinity, drawRegions);
let chosen = runs.length - 1;

function heading(text) {
  return element('th', {scope: 'col'}, text);
}

/* Longer is worse for times, less for efficiencies; a change within the spread of the others is no verdict. */
function verdict(numbers, values, isTime) {
  const others = values.slice(0, -1).filter((value) => value !== null);
  if (numbers.last === null || others.length < 3 || Math.abs(numbers.change) < 0.0005)
    return '';
  if (numbers.last > Math.max(...others))
    return isTime ? 'worse' : 'better';
  return numbers.last < Math.min(...others) ? (isTime ? 'better' : 'worse') : '';
}

function numbersRow(name, values, isTime) {
  const numbers = describe(values), write = isTime ? time : share;
  return element('tr', {}, element('th', {scope: 'row'}, name), element('td', {}, write(values[chosen])),
    element('td', {}, write(numbers.last)), element('td', {}, write(numbers.before)),
    element('td', {class: verdict(numbers, values, isTime)}, change(numbers.change)),
    element('td', {}, `${write(numbers.least)} … ${write(numbers.most)}`));
}

function drawMeasures() {
  const rows = [numbersRow('wall time', runs.map((run) => run.wall_s), true),
    numbersRow('serial', runs.map((run) => run.serial_s), true)];
  for (const [key, name] of FACTORS)
    rows.push(numbersRow(name, runs.map((run) => run.efficiency[key]), false));
  const columns = ['', 'chosen', 'last', 'median before', 'change', 'least … most'];
  find('measures').replaceChildren(element('thead', {}, element('tr', {}, ...columns.map(heading))),
    element('tbody', {}, ...rows));
}

function findingsByRow() {
  const rows = new Map();
  runs.forEach((run, i) => run.findings.forEach((finding) => {
    const name = finding.region ? `${finding.cause}: ${finding.region}` : finding.cause;
    if (!rows.has(name))
      rows.set(name, {name, what: finding.what, shares: runs.map(() => 0)});
    rows.get(name).shares[i] += run.wall_s ? finding.gain_s / run.wall_s : 0;
  }));
  const weight = (row) => row.shares.at(-1) * 1e3 + Math.max(...row.shares);
  return [...rows.values()].sort((a, b) => weight(b) - weight(a));
}

function drawFindings() {
  const first = Math.max(0, runs.length - COLUMNS_MAX), shown = runs.map((_, i) => i).slice(first);
  const head = element('tr', {}, heading('cause and place'),
    ...shown.map((i) => element('th', {scope: 'col', title: `${runs[i].name} ${date(runs[i])}`}, String(i + 1))));
  const rows = findingsByRow().map((row) => element('tr', {}, element('th', {scope: 'row', title: row.what}, row.name),
    ...shown.map((i) => {
      const cell = element('td', i === chosen ? {class: 'is-chosen'} : {}, row.shares[i] ? share(row.shares[i]) : '');
      cell.style.background = `rgb(var(--heat) / ${Math.min(0.6, 2 * row.shares[i])})`;
      return cell;
    })));
  const none = element('tr', {}, element('td', {}, 'none in any run'));
  find('findings').replaceChildren(element('thead', {}, head), element('tbody', {}, ...(rows.length ? rows : [none])));
}

function regionsByRow() {
  const rows = new Map();
  runs.forEach((run, i) => run.regions.forEach((region) => {
    if (!rows.has(region.name))
      rows.set(region.name, {name: region.name, values: runs.map(() => null)});
    const {values} = rows.get(region.name);
    values[i] = (values[i] ?? 0) + region.s;
  }));
  return [...rows.values()].map((row) => ({...row, ...describe(row.values)}));
}

function drawRegions() {
  const rows = sorting.sorted(regionsByRow());
  const head = element('tr', {}, sorting.head('name', 'region'), heading('chosen'), sorting.head('last', 'last'),
    sorting.head('before', 'median before'), sorting.head('change', 'change'), sorting.head('most', 'least … most'));
  find('regions').replaceChildren(element('thead', {}, head),
    element('tbody', {}, ...rows.map((row) => numbersRow(row.name, row.values, true))));
}

function choose(index) {
  const run = runs[chosen = Math.max(0, Math.min(runs.length - 1, index))];
  draw(runs, chosen, choose);
  const lost = run.lost_events ? `; ${run.lost_events} events were lost` : '';
  find('chosen').textContent = `Run ${chosen + 1} of ${runs.length}: ${run.name} ${date(run)}: ${time(run.wall_s)}, ` +
    `${run.threads} threads, parallel efficiency ${share(run.efficiency.parallel)}${lost}`;
  drawMeasures();
  drawFindings();
  drawRegions();
}

find('chart').addEventListener('keydown', (event) => {
  const goal = {ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: runs.length - 1}[event.key];
  if (goal === undefined)
    return;
  event.preventDefault();
  choose(goal);
});
find('title').textContent = `${runs.length} run${runs.length === 1 ? '' : 's'}`;
find('summary').textContent = `${date(runs[0])}${date(runs[0]) ? ' to ' : ''}${date(runs.at(-1))}`;
choose(chosen);
