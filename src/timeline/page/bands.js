// Activities over time as columns of pixels, each filled in proportion to what happened in it.
import {spread} from './activity_track.js';

const LOW = 6;                  // device pixels: below, shares are rounded by dither, which keeps them right on average
const TILE = 8;                 // pixels of a pattern, both ways
const STEP = 0.618033988749895; // of the dither, from column to column
const ALL = 1 - 1e-6;           // of a column, as far as 32 bits tell

export class Bands {
  constructor(kinds) {
    this.kinds = kinds;
    this.#resize(1, 1);
  }

  // Times and bits are all zero between two lines.
  #resize(width, height) {
    if (this.image?.width === width && this.image?.height === height)
      return;
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.times = new Float32Array(width * this.kinds);
    this.present = new Uint16Array(width);
  }

  // Draws the activities of `tracks` from one time to another at (x, y), all in device pixels. A column is full when
  // something is known of all the tracks for its whole time.
  draw(context, tracks, interval, {x, y, width, height}, palette, hidden) {
    this.#resize(width, height);
    this.#fill(tracks, interval, 0, height, palette, hidden);
    context.putImageData(this.image, x, y);
  }

  // The same for many lines {tracks, y, height} in one box.
  drawLines(context, lines, interval, {x, y, width, height}, palette, hidden) {
    this.#resize(width, height);
    this.pixels.fill(palette.ground);
    for (const line of lines)
      this.#fill(line.tracks, interval, line.y, line.height, palette, hidden);
    context.putImageData(this.image, x, y);
  }

  #fill(tracks, {from, to}, top, height, palette, hidden) {
    const {image: {width}, times, present} = this, full = (to - from) / width * tracks.length;
    for (const track of tracks)
      spread(track, from, to, width, times, present);
    for (let column = 0, next; column < width; column = next) {
      const bits = present[column], kind = 31 - Math.clz32(bits), base = kind * width;
      next = column + 1;
      if (bits !== 1 << kind || times[base + column] < full * ALL) {
        this.#fillColumn(column, full, top, height, palette, hidden);
        continue;
      }
      while (next < width && present[next] === bits && times[base + next] >= full * ALL)
        next++;
      times.fill(0, base + column, base + next);
      this.#fillPlain(column, next, kind, top, height, palette, hidden);
    }
    present.fill(0);
  }

  // Columns that one activity fills. The patterns of lines that are lower than them go on from line to line.
  #fillPlain(from, to, kind, top, height, palette, hidden) {
    const {pixels, image: {width}} = this, {tile, isPlain, packed} = palette.paints[kind];
    const first = height < TILE ? 0 : top;
    for (let y = top; y < top + height; y++) {
      const row = y * width;
      if (isPlain || hidden.has(kind))
        pixels.fill(hidden.has(kind) ? palette.ground : packed, row + from, row + to);
      else
        for (let column = from, line = (y - first & 7) * 8; column < to; column++)
          pixels[row + column] = tile[line + (column & 7)];
    }
  }

  // From the bottom up: the activities in the order of the legend.
  #fillColumn(column, full, top, height, palette, hidden) {
    const {pixels, times, image: {width}} = this, dither = height < LOW ? column * STEP % 1 : 0.5;
    const first = height < TILE ? top : 0;
    let done = 0, y = height;
    for (let left = this.present[column]; left > 0; left &= left - 1) {
      const kind = 31 - Math.clz32(left & -left), at = kind * width + column;
      done += times[at];
      times[at] = 0;
      const above = Math.max(0, Math.floor(height * (1 - done / full) + dither + 1e-6));
      const {tile} = palette.paints[kind], isHidden = hidden.has(kind);
      for (; y > above; y--)
        pixels[(top + y - 1) * width + column] = isHidden ? palette.ground
          : tile[(first + y - 1 & 7) * 8 + (column & 7)];
    }
    for (; y > 0; y--)
      pixels[(top + y - 1) * width + column] = palette.ground;
  }
}
