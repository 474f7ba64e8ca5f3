// The tree of regions by call path: each construct below the one that it was encountered in, with its time.
import {lowerBound} from './bytes.js';
import {Node} from './flame_tree.js';

const FINEST_NS_PER_VIEW = 20000;

function childOf(parent, inside, kinds) {
  if (!parent.children.has(inside))
    parent.children.set(inside, new Node(inside, parent, kinds));
  return parent.children.get(inside);
}

// The nodes of one depth's slices in an interval, by their positions; `nodeAbove` gives that of the slice around one,
// or null where that is left out.
function addDepth(slices, {from, to, others, kinds, hidden}, nodeAbove) {
  const first = lowerBound(slices.end, from, 0, slices.count), nodes = new Map();
  for (let i = first; i < slices.count && slices.begin[i] <= to; i++) {
    const above = nodeAbove(slices, i);
    const length = slices.end[i] - slices.begin[i], kind = slices.activity[i];
    const visible = Math.min(slices.end[i], to) - Math.max(slices.begin[i], from);
    if (!above || hidden.has(kind))
      continue;
    const node = childOf(above, slices.merged[i] > 1 ? others : slices.region[i], kinds);
    const ns = length > 0 ? Math.max(0, visible) * Math.min(1, slices.busy[i] / length) : 0;
    node.total += ns;
    node.self += ns;
    node.kinds[kind] += ns;
    node.count = (node.count ?? 0) + slices.merged[i];
    above.self -= ns;
    nodes.set(i, node);
  }
  return nodes;
}

// Of an interval of rows, below the instances of a region alone if one is given. Returns the root, which represents
// none; times are of all rows together.
export function makeRegionTree(model, {from, to, rows, region = null}, hidden = new Set()) {
  const kinds = model.activities.length, root = new Node(-1, null, kinds), others = model.regions.length;
  for (const row of rows) {
    let outer = null, outerNodes = null;
    for (const track of row.slices) {
      const slices = track.level((to - from) / FINEST_NS_PER_VIEW), above = outer, aboveNodes = outerNodes;
      let at = 0;
      const nodeAbove = ({begin, region: regions}, i) => {
        const start = !region || regions[i] === region.index ? root : null;
        if (!above)
          return start;
        while (at + 1 < above.count && above.begin[at + 1] <= begin[i])
          at++;
        const isInside = above.count > 0 && above.begin[at] <= begin[i] && above.end[at] >= begin[i];
        return (isInside && aboveNodes.get(at)) || start;
      };
      outerNodes = addDepth(slices, {from, to, others, kinds, hidden}, nodeAbove);
      outer = slices;
    }
  }
  for (const child of root.children.values()) {
    root.total += child.total;
    for (let kind = 0; kind < kinds; kind++)
      root.kinds[kind] += child.kinds[kind];
  }
  return root;
}
