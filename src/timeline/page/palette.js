// Colours and patterns of activities. A pattern makes those distinct that some people see alike.

const TILE = 8;

// Whether a pixel of an 8 by 8 tile belongs to the pattern.
const PATTERNS = {
  plain: () => false,
  rising: (x, y) => (x + y) % TILE < 2,
  falling: (x, y) => (x - y + TILE) % TILE < 2,
  crossed: (x, y) => (x + y) % TILE < 1 || (x - y + TILE) % TILE < 1,
  dotted: (x, y) => x % 4 < 2 && y % 4 < 2,
  upright: (x) => x % 4 < 1,
  level: (x, y) => y % 4 < 1,
};

function parse(colour) {
  return [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16));
}

function pack([red, green, blue]) {
  return (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
}

function blend(colour, other, share) {
  return colour.map((part, i) => Math.round(part * (1 - share) + other[i] * share));
}

function isBright([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
}

function makeTile(pattern, colour, ink) {
  const tile = new Uint32Array(TILE * TILE);
  for (let y = 0; y < TILE; y++)
    for (let x = 0; x < TILE; x++)
      tile[y * TILE + x] = pack(PATTERNS[pattern](x, y) ? ink : colour);
  return tile;
}

function makeCanvasPattern(context, tile) {
  const canvas = new OffscreenCanvas(TILE, TILE), image = new ImageData(TILE, TILE);
  new Uint32Array(image.data.buffer).set(tile);
  canvas.getContext('2d').putImageData(image, 0, 0);
  return context.createPattern(canvas, 'repeat');
}

// What a bar of an activity looks like.
function makePaint(context, activity, isDark) {
  const colour = parse(isDark ? activity.dark : activity.light);
  const ink = blend(colour, isBright(colour) ? [0, 0, 0] : [255, 255, 255], 0.35);
  const tile = makeTile(activity.pattern, colour, ink);
  return {
    css: `rgb(${colour})`,
    edge: `rgb(${blend(colour, isDark ? [255, 255, 255] : [0, 0, 0], 0.35)})`,
    text: isBright(colour) ? '#000' : '#fff',
    isPlain: activity.pattern === 'plain',
    packed: pack(colour),
    tile,
    fill: activity.pattern === 'plain' ? `rgb(${colour})` : makeCanvasPattern(context, tile),
  };
}

export class Palette {
  constructor(activities, isDark) {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    this.isDark = isDark;
    this.paints = activities.map(activity => makePaint(context, activity, isDark));
    this.ground = pack(parse(isDark ? '#15181c' : '#ffffff'));
    this.colours = isDark
      ? {ground: '#15181c', stripe: '#1a1e23', text: '#e6e8ea', dim: '#9aa3ac', line: '#2d333a', mark: '#ffffff',
        select: '#ffd54a', arrow: '#ff8fb0', operation: '#b79cf2', flag: '#ff8fb0',
        counter: '#7db8f0', preempted: '#ff4d6d', blocked: '#9aa3ac', stalled: '#ffd54a', lock: '#ffffff',
        dependence: '#8fe388', critical: '#ffd400', edge: '#000000',
        get: '#6cc4ff', put: '#ffa94d'}
      : {ground: '#ffffff', stripe: '#f7f8fa', text: '#16191d', dim: '#5c6670', line: '#dde1e6', mark: '#000000',
        select: '#111111', arrow: '#b3124b', operation: '#5c3d99', flag: '#c2185b',
        counter: '#0b5cad', preempted: '#d4002a', blocked: '#16191d', stalled: '#b3124b', lock: '#111111',
        dependence: '#00788a', critical: '#ffd400', edge: '#000000',
        get: '#0b5cad', put: '#a34700'};
  }
}
