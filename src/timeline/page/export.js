// What is seen as files: a picture, and the regions of the visible or marked interval as a table.
import {byId} from './dom.js';
import {nameOf, save} from './files.js';
import {SvgContext} from './svg.js';

const PAD = 8, HEAD = 22, LINE = 18; // pixels

// In CSV (RFC 4180).
function quote(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// The regions that reach into an interval of some rows, row by row and depth by depth. What the page has merged is a
// line that counts.
export function asCsv(model, {from, to}, rows) {
  const lines = [['process', 'thread', 'depth', 'region', 'file', 'line', 'activity', 'begin_ns', 'end_ns', 'count']];
  for (const {group, name, slices} of rows)
    for (const [depth, track] of slices.entries()) {
      const {begin, end, region, activity, merged, count} = track.finest;
      for (let i = track.firstFrom(from); i < count && begin[i] <= to; i++) {
        const {name: own, file, line} = model.regions[region[i]];
        lines.push([group, name, depth, own, file, line, model.activities[activity[i]].name, Math.round(begin[i]),
          Math.round(end[i]), merged[i]]);
      }
    }
  return `${lines.map(line => line.map(quote).join(',')).join('\r\n')}\r\n`;
}

// Where the activities that are seen are named, below the picture; `bottom`: of all.
function placeLegend({model, chart, view}) {
  const sums = model.times(view.from, view.to), kinds = [...sums.keys()].filter(kind => sums[kind] >= 0.5);
  let x = PAD, y = HEAD + chart.height + LINE / 2;
  const marks = kinds.map(kind => {
    const {name} = model.activities[kind], room = chart.measure(name) + 3 * PAD + LINE;
    if (x + room > chart.width && x > PAD)
      [x, y] = [PAD, y + LINE];
    x += room;
    return {kind, name, x: x - room, y};
  });
  return {marks, bottom: y + LINE};
}

// The title above the picture, and the legend.
function drawAround(context, {chart, palette: {colours, paints}}, text, marks) {
  context.font = chart.context.font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colours.text;
  context.fillText(chart.fit(text, chart.width - 2 * PAD), PAD, HEAD / 2);
  for (const {kind, name, x, y} of marks) {
    context.fillStyle = paints[kind].css;
    context.fillRect(x, y - 6, 12, 12);
    context.fillStyle = colours.text;
    context.fillText(name, x + LINE, y);
  }
}

// The picture as a canvas of the same number of pixels.
export function asPicture(page, text) {
  const {chart, overlay, palette: {colours}} = page, {width, scale} = chart, {marks, bottom} = placeLegend(page);
  const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(bottom * scale));
  const context = canvas.getContext('2d');
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(chart.canvas, 0, Math.round(HEAD * scale));
  context.drawImage(overlay.canvas, 0, Math.round(HEAD * scale));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  drawAround(context, page, text, marks);
  return canvas;
}

// The same as SVG: drawn once more, in another context.
export function asSvg(page, text) {
  const {chart, overlay, palette} = page, {width, height, scale} = chart, {marks, bottom} = placeLegend(page);
  const colourOf = fill => palette.paints.find(paint => paint.fill === fill)?.css ?? palette.colours.dim;
  const context = new SvgContext(chart.context, colourOf, scale), own = [chart.context, overlay.context];
  context.fillStyle = palette.colours.ground;
  context.fillRect(0, 0, width, bottom);
  drawAround(context, page, text, marks);
  context.begin({transform: `translate(0 ${HEAD})`});
  context.save();
  context.rect(0, 0, width, height);
  context.clip();
  chart.context = overlay.context = context;
  try {
    chart.draw(palette);
    overlay.draw(palette);
  } finally {
    [chart.context, overlay.context] = own;
  }
  context.restore();
  context.end();
  return context.asText(width, bottom);
}

// The buttons. `page`: what asPicture needs; `describe` gives a title, `scope` {interval, rows}.
export function listenToExport(page, {describe, scope}) {
  const name = ending => `${nameOf(page.model)}.${ending}`;
  byId('export-png').addEventListener('click', async () =>
    save(await asPicture(page, describe()).convertToBlob({type: 'image/png'}), name('png')));
  byId('export-svg').addEventListener('click', () =>
    save(new Blob([asSvg(page, describe())], {type: 'image/svg+xml'}), name('svg')));
  byId('export-csv').addEventListener('click', () => {
    const {interval, rows} = scope();
    save(new Blob([asCsv(page.model, interval, rows)], {type: 'text/csv'}), name('csv'));
  });
}
