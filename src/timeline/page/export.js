// What is seen as files: a picture, and the regions of the visible or marked interval as a table.
import {byId} from './dom.js';
import {nameOf, save} from './files.js';

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

// The picture with its title above and the legend of what is seen below, as a canvas of the same number of pixels.
export function asPicture({model, chart, overlay, palette, view}, text) {
  const {width, height, scale} = chart, {colours, paints} = palette;
  const sums = model.times(view.from, view.to), kinds = [...sums.keys()].filter(kind => sums[kind] >= 0.5);
  const canvas = new OffscreenCanvas(1, 1), context = canvas.getContext('2d');
  const place = () => {
    let x = PAD, y = HEAD + height + LINE / 2;
    return kinds.map(kind => {
      const {name} = model.activities[kind], room = context.measureText(name).width + 3 * PAD + LINE;
      if (x + room > width && x > PAD)
        [x, y] = [PAD, y + LINE];
      x += room;
      return {kind, name, x: x - room, y};
    });
  };
  context.font = chart.context.font;
  const marks = place();
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(((marks.at(-1)?.y ?? HEAD + height) + LINE) * scale);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(chart.canvas, 0, Math.round(HEAD * scale));
  context.drawImage(overlay.canvas, 0, Math.round(HEAD * scale));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = chart.context.font;
  context.textBaseline = 'middle';
  context.fillStyle = colours.text;
  context.fillText(chart.fit(text, width - 2 * PAD), PAD, HEAD / 2);
  for (const {kind, name, x, y} of marks) {
    context.fillStyle = paints[kind].css;
    context.fillRect(x, y - 6, 12, 12);
    context.fillStyle = colours.text;
    context.fillText(name, x + LINE, y);
  }
  return canvas;
}

// The buttons. `page`: what asPicture needs; `describe` gives a title, `scope` {interval, rows}.
export function listenToExport(page, {describe, scope}) {
  const name = ending => `${nameOf(page.model)}.${ending}`;
  byId('export-png').addEventListener('click', async () =>
    save(await asPicture(page, describe()).convertToBlob({type: 'image/png'}), name('png')));
  byId('export-csv').addEventListener('click', () => {
    const {interval, rows} = scope();
    save(new Blob([asCsv(page.model, interval, rows)], {type: 'text/csv'}), name('csv'));
  });
}
