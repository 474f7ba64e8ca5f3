// Activities over time as columns of pixels, each filled in proportion to what happened in it.
import {spread} from './activity_track.js';

const LOW = 6;                  // device pixels: below, shares are rounded by dither, which keeps them right on average
const TILE = 8;                 // pixels of a pattern, both ways
const STEP = 0.618033988749895; // of the dither, from column to column
const ALL = 1 - 1e-6;           // of a column, as far as 32 bits show

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
    this.dither = Float64Array.from({length: width}, (_, column) => column * STEP % 1);
  }

  // What the activities are drawn with, by number: a tile of pixels each, and of those that are plain the pixel.
  #prepare({ground, paints}, hidden) {
    const empty = new Uint32Array(TILE * TILE).fill(ground);
    this.ground = ground;
    this.tiles = paints.map(({tile}, kind) => hidden.has(kind) ? empty : tile);
    this.plain = paints.map(({isPlain}, kind) => isPlain || hidden.has(kind));
  }

  // Draws the activities of `tracks` from one time to another at (x, y), all in device pixels. A column is full when
  // something is known of all the tracks for its entire time.
  draw(context, tracks, interval, {x, y, width, height}, palette, hidden) {
    this.#resize(width, height);
    this.#prepare(palette, hidden);
    this.#fill(tracks, interval, 0, height);
    context.putImageData(this.image, x, y);
  }

  // The same for many lines {tracks, y, height} in one box.
  drawLines(context, lines, interval, {x, y, width, height}, palette, hidden) {
    this.#resize(width, height);
    this.#prepare(palette, hidden);
    this.pixels.fill(palette.ground);
    for (const line of lines)
      this.#fill(line.tracks, interval, line.y, line.height);
    context.putImageData(this.image, x, y);
  }

  #fill(tracks, {from, to}, top, height) {
    const {image: {width}, times, present} = this, total = (to - from) / width * tracks.length, full = total * ALL;
    for (const track of tracks)
      spread(track, from, to, width, times, present);
    const isPlain = (column, bits, base) => bits === 1 << 31 - Math.clz32(bits) && times[base + column] >= full;
    for (let column = 0, next; column < width; column = next) {
      const bits = present[column], kind = 31 - Math.clz32(bits), base = kind * width;
      next = column + 1;
      if (isPlain(column, bits, base)) {
        while (next < width && present[next] === bits && times[base + next] >= full)
          next++;
        times.fill(0, base + column, base + next);
        this.#fillPlain(column, next, kind, top, height);
      } else {
        while (next < width && !isPlain(next, present[next], (31 - Math.clz32(present[next])) * width))
          next++;
        this.#fillMixed(column, next, total, top, height);
      }
    }
    present.fill(0);
  }

  // Columns that one activity fills. The patterns of lines that are lower than them go on from line to line.
  #fillPlain(from, to, kind, top, height) {
    const {pixels, image: {width}} = this, tile = this.tiles[kind], first = height < TILE ? 0 : top;
    for (let y = top; y < top + height; y++) {
      const row = y * width, line = (y - first & 7) * TILE;
      if (this.plain[kind])
        pixels.fill(tile[0], row + from, row + to);
      else
        for (let column = from; column < to; column++)
          pixels[row + column] = tile[line + (column & 7)];
    }
  }

  // From the bottom up: the activities in the order of the legend, the ground where nothing is known. This is where
  // the time of a frame of many rows goes.
  #fillMixed(from, to, total, top, height) {
    const {pixels, times, present, tiles, ground, dither, image: {width}} = this;
    const first = height < TILE ? top : 0, scale = height / total, isLow = height < LOW;
    for (let column = from; column < to; column++) {
      const up = height + (isLow ? dither[column] : 0.5) + 1e-6, across = column & 7;
      let done = 0, y = height;
      for (let left = present[column]; left > 0; left &= left - 1) {
        const kind = 31 - Math.clz32(left & -left), at = kind * width + column, tile = tiles[kind];
        done += times[at];
        times[at] = 0;
        for (const above = Math.max(0, Math.floor(up - done * scale)); y > above; y--)
          pixels[(top + y - 1) * width + column] = tile[(first + y - 1 & 7) * TILE + across];
      }
      for (; y > 0; y--)
        pixels[(top + y - 1) * width + column] = ground;
    }
  }
}
