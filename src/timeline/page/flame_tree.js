// The tree of calls that samples were taken in: each function below the one that called it.

export class Node {
  constructor(inside, parent, kinds) {
    Object.assign(this, {inside, parent, total: 0, self: 0, kinds: new Float64Array(kinds), children: new Map(),
      lines: new Map()});
  }

  get depth() {
    return this.parent ? this.parent.depth + 1 : 0;
  }

  // Which activity most of its samples were taken in.
  get activity() {
    return this.kinds.indexOf(Math.max(...this.kinds));
  }

  // What it has called, the most first.
  get sorted() {
    return this.order ??= [...this.children.values()].sort((one, other) => other.total - one.total ||
      one.inside - other.inside);
  }
}

// The node of each context that has samples, below the root's.
function makeNodes(contexts, requested, kinds, root) {
  const nodes = new Array(contexts.length);
  for (let i = 0; i < contexts.length; i++) {
    if (!requested[i])
      continue;
    const inside = contexts.inside[i], above = i && contexts.parent[i] ? nodes[contexts.parent[i]] : root;
    if (!above.children.has(inside))
      above.children.set(inside, new Node(inside, above, kinds));
    nodes[i] = above.children.get(inside);
  }
  return nodes;
}

function markWanted(contexts, counts, kinds) {
  const requested = new Uint8Array(contexts.length);
  for (let i = contexts.length - 1; i >= 0; i--) {
    for (let kind = 0; kind < kinds; kind++)
      requested[i] |= counts[i * kinds + kind] > 0;
    if (requested[i] && contexts.parent[i])
      requested[contexts.parent[i]] = 1; // it has a smaller number
  }
  return requested;
}

// Of counts by context and activity (countSamples). Returns the root, which represents no function.
export function makeFlameTree(model, counts) {
  const {contexts} = model, kinds = model.activities.length, root = new Node(-1, null, kinds);
  const nodes = makeNodes(contexts, markWanted(contexts, counts, kinds), kinds, root);
  for (let i = 0; i < contexts.length; i++) {
    let own = 0;
    for (let kind = 0; nodes[i] && kind < kinds; kind++) {
      const many = counts[i * kinds + kind];
      own += many;
      for (let node = many > 0 ? nodes[i] : null; node; node = node.parent) {
        node.kinds[kind] += many;
        node.total += many;
      }
    }
    if (own > 0) {
      nodes[i].self += own;
      nodes[i].lines.set(contexts.line[i], (nodes[i].lines.get(contexts.line[i]) ?? 0) + own);
    }
  }
  return root;
}

// The functions from the outermost to a node's, and the node at the end of such a way or the last that is there.
export function wayTo(node) {
  return node.parent ? [...wayTo(node.parent), node.inside] : [];
}

export function follow(root, way) {
  let node = root;
  for (const inside of way) {
    if (!node.children.has(inside))
      break;
    node = node.children.get(inside);
  }
  return node;
}
