// In the order in which they multiply; parts of another factor come after it and are no factors themselves.
const FACTORS = [
  {key: 'presence', name: 'presence', colour: 8},
  {key: 'mpi', name: 'MPI', colour: 6},
  {key: 'mpi_load_balance', name: 'MPI load balance', of: 'mpi'},
  {key: 'mpi_serialisation', name: 'MPI serialisation', of: 'mpi'},
  {key: 'mpi_transfer', name: 'MPI transfer', of: 'mpi'},
  {key: 'mpi_start_end', name: 'MPI start and end', of: 'mpi'},
  {key: 'device', name: 'devices', colour: 5},
  {key: 'serial', name: 'serial parts', colour: 1},
  {key: 'load_balance', name: 'load balance', colour: 3},
  {key: 'serialisation', name: 'serialisation', colour: 2},
  {key: 'runtime', name: 'runtime', colour: 4},
  {key: 'computation', name: 'computation', colour: 7},
  {key: 'instructions', name: 'instructions', of: 'computation'},
  {key: 'ipc', name: 'IPC', of: 'computation'},
  {key: 'frequency', name: 'frequency', of: 'computation'},
];

export function nameOf(key) {
  return FACTORS.find((factor) => factor.key === key)?.name ?? key;
}

/** Those that any step has. */
export function known(part) {
  return FACTORS.filter(({key}) => part.steps.some(({factors}) => (factors[key] ?? null) !== null));
}

/** Each factor's share of the time of a step's threads, one after the other, and the rest. */
export function losses(step, factors) {
  let left = 1;
  const taken = factors.filter(({of}) => !of).map((factor) => {
    const before = left;
    left *= Math.min(1, step.factors[factor.key] ?? 1);
    return {factor, share: before - left};
  });
  return {left, taken};
}
