import {drawCurve} from './curve.js';
import {element, find} from './dom.js';
import {known, nameOf} from './factors.js';
import {Sorting} from './sorting.js';
import {drawStacks} from './stacks.js';
import {share, time} from './words.js';

const {runs, parts, notes, is_weak: isWeak} = JSON.parse(find('data').textContent);
const [program] = parts;
const COLUMNS = [['lost_s', 'lost'], ['share', 'of wall'], ['speedup', 'speed-up'], ['efficiency', 'efficiency'],
  ['scales_to', 'scales to']];
const sorting = new Sorting('lost_s', valueOf, drawParts);
let part = program, chosen = program.steps.length - 1;

function heading(text) {
  return element('th', {scope: 'col'}, text);
}

function label({kind, name}) {
  if (kind === 'run')
    return 'the run';
  return kind === 'serial' ? 'outside of parallel regions' : name.replace(/^!\$omp /, '');
}

function threadsOf(step) {
  const processes = step.processes > 1 ? ` (${step.processes} processes)` : '';
  return `${step.threads}${step.has_too_many_threads ? '*' : ''}${processes}`;
}

function withError(value, error, digits) {
  return `${value.toFixed(digits)} ± ${error.toFixed(digits)}`;
}

function lawRow(fit) {
  const name = fit.law === 'Amdahl' ? "Amdahl's law" : 'universal law';
  if (fit.refused !== null)
    return element('tr', {}, element('th', {scope: 'row'}, name),
      element('td', {colspan: '5'}, `refused: ${fit.refused}`));
  const far = fit.predicted.slice(-2);
  return element('tr', {}, element('th', {scope: 'row'}, name),
    element('td', {}, withError(fit.serial, fit.serial_error, 4)),
    element('td', {}, fit.law === 'Amdahl' ? '' : withError(fit.coherence, fit.coherence_error, 6)),
    element('td', {}, fit.useful_threads === null ? 'any' : fit.useful_threads.toFixed(0)),
    ...far.map((one) => element('td', {}, `${time(one.wall_s)} ± ${time(one.interval_s)}`)));
}

function drawLawTable() {
  const far = part.steps.at(-1).threads;
  const head = ['law', 'serial share', 'coherence', 'threads of use', `wall with ${2 * far}`, `with ${4 * far}`];
  find('laws').replaceChildren(element('thead', {}, element('tr', {}, ...head.map(heading))),
    element('tbody', {}, ...part.fits.map(lawRow)));
}

function factorRow(factor) {
  return element('tr', {}, element('th', {scope: 'row', class: factor.of ? 'part-of' : ''}, factor.name),
    ...part.steps.map((step, i) => {
      const value = step.factors[factor.key] ?? null;
      const cell = element('td', i === chosen ? {class: 'is-chosen'} : {}, share(value));
      cell.style.background = `rgb(var(--heat) / ${Math.max(0, Math.min(0.6, 1 - (value ?? 1)))})`;
      return cell;
    }));
}

function drawFactors() {
  const factors = known(part);
  drawStacks(part, factors, chosen);
  find('factors').replaceChildren(
    element('thead', {}, element('tr', {}, heading('threads'), ...part.steps.map((step) => heading(threadsOf(step))))),
    element('tbody', {}, ...[...factors, {key: 'product', name: 'product'}].map(factorRow)));
}

function valueOf(one, key) {
  const last = one.steps.at(-1);
  if (key === 'share')
    return one.lost_s / program.steps.at(-1).wall_s;
  if (key === 'scales_to')
    return one.scales_to ?? Infinity;
  return key === 'name' ? label(one) : key === 'lost_s' ? one.lost_s : last[key];
}

function partRow(one) {
  const button = element('button', {type: 'button', class: 'part'}, label(one));
  button.addEventListener('click', () => show(one));
  const by = one.factor === null ? '' : `${nameOf(one.factor)} −${(100 * one.factor_loss).toFixed(0)} %`;
  const last = one.steps.at(-1);
  return element('tr', one === part ? {class: 'is-chosen'} : {}, element('th', {scope: 'row'}, button),
    element('td', {}, time(one.lost_s)), element('td', {}, share(valueOf(one, 'share'))),
    element('td', {}, last.speedup.toFixed(2)), element('td', {}, share(last.efficiency)),
    element('td', {}, one.scales_to === null ? 'all' : String(one.scales_to)), element('td', {}, by),
    element('td', {}, time(one.steps[0].wall_s)), element('td', {}, time(last.wall_s)));
}

function drawParts() {
  const rows = [program, ...sorting.sorted(parts.slice(1).filter(({steps}) => steps.length))];
  const head = element('tr', {}, sorting.head('name', 'part'), ...COLUMNS.map(([key, text]) => sorting.head(key, text)),
    heading('by'), heading('wall with fewest'), heading('with most'));
  find('parts').replaceChildren(element('thead', {}, head), element('tbody', {}, ...rows.map(partRow)));
}

function choose(index) {
  chosen = Math.max(0, Math.min(part.steps.length - 1, index));
  const step = part.steps[chosen];
  drawCurve(part, isWeak, chosen, choose);
  find('chosen').textContent = `${threadsOf(step)} threads: ${time(step.wall_s)} (${time(step.least_s)} … ` +
    `${time(step.most_s)} in ${step.runs} run${step.runs === 1 ? '' : 's'}), speed-up ${step.speedup.toFixed(2)}, ` +
    `efficiency ${share(step.efficiency)}`;
  drawFactors();
}

function show(one) {
  part = one;
  find('chosen-part').textContent = label(part);
  find('because').textContent = [part.because, part.threads_of_use].filter(Boolean).join(' ');
  drawLawTable();
  drawParts();
  choose(part.steps.length - 1);
}

find('chart').addEventListener('keydown', (event) => {
  const goal = {ArrowLeft: chosen - 1, ArrowRight: chosen + 1, Home: 0, End: part.steps.length - 1}[event.key];
  if (goal === undefined)
    return;
  event.preventDefault();
  choose(goal);
});
find('title').textContent = `${isWeak ? 'Weak' : 'Strong'} scaling, ${runs.length} run${runs.length === 1 ? '' : 's'}`;
find('summary').textContent = `${program.steps.map(threadsOf).join(', ')} threads`;
find('notes').replaceChildren(...notes.map((note) => element('li', {}, note)));
show(program);
