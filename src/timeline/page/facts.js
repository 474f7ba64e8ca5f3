// What is known of a slice or of a moment of a row, as pairs of a name and a text.
import {pathAt} from './critical.js';
import {dependenceFacts} from './dependences.js';
import {launchFacts} from './launches.js';
import {count, duration, instant, percent, plural} from './format.js';
import {lockFacts} from './locks.js';
import {messagesIn} from './messages.js';
import {CONDITIONS} from './tables.js';

const MAX_PIECES = 6;

function source(region) {
  if (!region.file)
    return null;
  return region.line ? `${region.file}:${region.line}` : region.file;
}

function attributeText(model, [index, value]) {
  const {name, type} = model.about.attributes[index];
  if (type === 'text')
    return [name, model.about.texts[value]];
  if (type === 'line')
    return [name, model.about.lines[value] ?? `line ${value}`];
  if (type === 'signed')
    return [name, BigInt.asIntN(64, value).toString()];
  if (type === 'real')
    return [name, String(new Float64Array(new BigUint64Array([value]).buffer)[0])];
  return [name, /address/.test(name) ? `0x${value.toString(16)}` : value.toString()];
}

function taskFacts(model, task) {
  const run = task.pieces.reduce((sum, piece) => sum + piece.end - piece.begin, 0), first = task.pieces[0];
  const facts = [
    ['task', `${task.generation} of creating thread ${task.thread}`],
    ['created', `${instant(task.created, 1)} on ${model.rows[task.row].name}`],
  ];
  if (first) {
    facts.push(['creation to start', duration(first.begin - task.created)]);
    facts.push(['ran', `${duration(run)} in ${plural(task.pieces.length, 'piece')}`]);
    const rows = [...new Set(task.pieces.slice(0, MAX_PIECES).map(piece => model.rows[piece.row].name))];
    facts.push(['ran on', rows.join(', ') + (task.pieces.length > MAX_PIECES ? ', …' : '')]);
  }
  if (!task.isComplete)
    facts.push(['ending', 'never completed']);
  return facts;
}

function mergedFacts(model, slice) {
  const length = slice.end - slice.begin;
  return [
    ['represents', `${plural(slice.merged, 'region')}, each shorter than ` +
      `${duration(model.about.resolution.slices)}, open for ${percent(slice.busy, length)} of the time`],
    ['longest', `${slice.region.name}, ${duration(slice.longest)}`],
  ];
}

// What a call of MPI has sent and received.
function messageFacts(model, {row, begin, end}, isShort) {
  const {sent, received} = messagesIn(model, row, begin, end), facts = [];
  const add = (name, messages, peer) => {
    for (const message of messages.slice(0, isShort ? 2 : MAX_PIECES))
      facts.push([name, `${plural(message.bytes, 'byte')}, ${model.rows[message[peer]].group}, tag ${message.tag}, ` +
        `${duration(message.end - message.begin)} under way`]);
    if (messages.length > (isShort ? 2 : MAX_PIECES))
      facts.push([name, `${messages.length} messages in all`]);
  };
  add('sent to', sent, 'to');
  add('received from', received, 'from');
  return facts;
}

// The short form is for the tooltip.
export function sliceFacts(model, slice, isShort) {
  const {region} = slice, length = slice.end - slice.begin;
  const facts = [['thread', model.rows[slice.row].name], ['activity', slice.activity.name],
    ['duration', length > 0 ? duration(length) : 'a point in time'], ['begin', instant(slice.begin, 1)]];
  if (slice.merged > 1)
    facts.push(...mergedFacts(model, slice));
  if (source(region))
    facts.push(['source', source(region)]);
  if (region.description)
    facts.push(['in', region.description]);
  for (const attribute of slice.attributes)
    facts.push(attributeText(model, attribute));
  if (slice.activity.name === 'MPI' && model.hasMessages)
    facts.push(...messageFacts(model, slice, isShort));
  if (slice.task)
    facts.push(...taskFacts(model, slice.task).slice(0, isShort ? 3 : undefined));
  facts.push(...launchFacts(model, slice));
  if (isShort)
    return facts;
  if (slice.task)
    facts.push(...dependenceFacts(model, slice.task));
  facts.push(...lockFacts(model, slice));
  facts.push(['end', instant(slice.end, 1)]);
  if (slice.around.length)
    facts.push(['nested in', slice.around.map(({region: {short}}) => short).join(' › ')]);
  facts.push(['in the entire trace', `${plural(region.count, 'time')}, ${duration(region.total)} in all, ` +
    `${duration(region.total / Math.max(1, region.count))} each`]);
  return facts;
}

export function sliceTitle(slice) {
  return slice.merged > 1 ? `${count(slice.merged)} short regions` : slice.region.name;
}

// What a row's thread was in at a time: without a processor, paused.
function conditionFacts(row, time, slack) {
  const facts = [];
  for (const track of [row.running, row.gaps]) {
    const {begin, end, kind, merged, busy} = track.at(time, slack) ?? {};
    if (merged > 1)
      facts.push([CONDITIONS[kind].name, `${plural(merged, 'time')}, ${duration(busy)} of ${duration(end - begin)}`]);
    else if (merged)
      facts.push([CONDITIONS[kind].name, `${duration(end - begin)}: ${CONDITIONS[kind].meaning}`]);
  }
  return facts;
}

// What a row did around a moment; `mix` is null where nothing is known.
export function bandFacts(model, index, {mix, time, slack, isPathOn}) {
  const row = model.rows[index], facts = [['thread', row.name]], parts = [];
  if (mix) {
    const length = mix.end - mix.begin;
    parts.push(...[...mix.parts].map((ns, kind) => ({ns, kind})).filter(({ns}) => ns > 0));
    parts.sort((one, other) => other.ns - one.ns);
    facts.push(['duration', duration(length)], ['begin', instant(mix.begin, 1)]);
    for (const {ns, kind} of parts.length > 1 ? parts : [])
      facts.push([model.activities[kind].name, percent(ns, length)]);
  }
  const conditions = conditionFacts(row, time, slack), critical = isPathOn ? pathAt(model, index, time) : null;
  if (critical)
    facts.push(['critical path', critical]);
  const title = parts.length > 1 ? 'several activities' : parts.length ? model.activities[parts[0].kind].name
    : conditions[0]?.[0] ?? '';
  return {title, facts: [...facts, ...conditions]};
}

// What the threads of a process did around a moment, by the times of all of them.
export function groupFacts(model, {name, rows}, from, to) {
  const sums = [...model.times(from, to, rows)], all = sums.reduce((sum, ns) => sum + ns, 0);
  const parts = sums.map((ns, kind) => ({ns, kind})).filter(({ns}) => ns > 0).sort((one, other) => other.ns - one.ns);
  return {title: name, facts: [['rows', String(rows.length)],
    ...parts.map(({ns, kind}) => [model.activities[kind].name, percent(ns, all)])]};
}

// What a row is.
export function rowFacts(model, row) {
  const {name, kind, group, properties} = model.rows[row];
  return {title: name, facts: [['kind', kind], ['of', group], ...properties]};
}
