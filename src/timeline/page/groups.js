// Rows by what they belong to: each way of grouping has a name, and groups {name, rows, index}.

const MANY = 32; // processes: of more, groups are nodes at first, where there are several

export const LETTERS = 'ABCDEFGH'; // of the runs that are compared

// Neighbours with the same key are one group. Threads that the runtime has for itself are one beside those.
function byKey(rows, key, name, ownName) {
  const groups = [];
  let last, isOwn;
  for (const row of rows) {
    if (groups.length === 0 || row.isOfRuntime !== isOwn || !isOwn && key(row) !== last)
      groups.push({name: row.isOfRuntime ? ownName(row) : name(row), rows: [], index: groups.length,
        isOwn: row.isOfRuntime});
    last = key(row);
    isOwn = row.isOfRuntime;
    groups.at(-1).rows.push(row);
  }
  return groups;
}

// What no other grouping has: those threads, whose rows few need to see.
function ownThreads(rows) {
  const own = rows.filter(({isOfRuntime}) => isOfRuntime);
  return own.length > 1 ? [{name: `${own.length} threads of the runtime's`, rows: own, index: 0, isOwn: true}] : [];
}

// A thread with those of the nested teams that it has started: they are below it.
function byTeam(rows) {
  let outer = null;
  const outermost = new Map();
  for (const row of rows) {
    if (row.level === 0)
      outer = row;
    outermost.set(row, outer ?? row);
  }
  return byKey(rows, row => outermost.get(row), row => `Teams of ${outermost.get(row).name}`,
    () => "Threads of the runtime's");
}

// The ways in which these rows can be grouped: 'side' (the runs that are compared), 'process' (processes and devices),
// 'node', 'team', 'all', and always 'none', in which only threads of the runtime's own are a group.
export function makeGroupings(rows, sides) {
  const groupings = {none: ownThreads(rows)};
  const processes = byKey(rows, row => row.process, row => row.group, row => `${row.group}: threads of the runtime's`);
  const count = processes.filter(({isOwn}) => !isOwn).length;
  if (sides.length > 0)
    groupings.side = sides.map((name, index) => ({name: `${LETTERS[index]}: ${name}`, index,
      rows: rows.filter(row => row.side === index)}));
  if (count > 1)
    groupings.process = processes;
  const nodes = [...Map.groupBy(rows, ({node}) => node).entries()];
  if (nodes.length > 1 && count > nodes.length)
    groupings.node = nodes.map(([name, own], index) => ({name, rows: own, index}));
  if (rows.some(row => row.level > 0))
    groupings.team = byTeam(rows);
  if (rows.length > 1)
    groupings.all = [{name: 'All rows', rows, index: 0}];
  return groupings;
}

// Where several runs or processes have threads there is something to group from the beginning.
export function firstGrouping(rows, sides) {
  if (sides.length > 0)
    return 'side';
  const threads = rows.filter(({kind}) => kind === 'thread');
  const [processes, nodes] = ['process', 'node'].map(name => new Set(threads.map(row => row[name])).size);
  return processes > MANY && nodes > 1 && nodes < processes ? 'node' : processes > 1 ? 'process' : 'none';
}

// A row's name below the line of its group, which states the rest.
export function nameInGroup({name, bareName, sideName}, grouping) {
  const begin = `${sideName}: `;
  return grouping === 'process' ? bareName : grouping === 'side' && name.startsWith(begin) ? name.slice(begin.length)
    : name;
}
