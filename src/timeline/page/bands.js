// Activities over time as columns of pixels, each filled in proportion to what happened in it.
import {spread} from './activity_track.js';

export class Bands {
  constructor(kinds) {
    this.kinds = kinds;
    this.times = new Float64Array(0);
  }

  #columns(columns) {
    if (this.times.length < columns * this.kinds)
      this.times = new Float64Array(columns * this.kinds);
    return this.times;
  }

  #resize(width, height) {
    if (this.image?.width !== width || this.image?.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
  }

  // Draws the activities of `tracks` from one time to another at (x, y), all in device pixels. A column is full when
  // something is known of all the tracks for its whole time.
  draw(context, tracks, {from, to}, {x, y, width, height}, palette, hidden) {
    const {kinds} = this, sums = this.#columns(width);
    sums.fill(0, 0, width * kinds);
    for (const track of tracks)
      spread(track, from, to, width, sums);
    this.#resize(width, height);
    const full = (to - from) / width * tracks.length;
    for (let column = 0; column < width; column++)
      this.#fillColumn(column, sums.subarray(column * kinds, (column + 1) * kinds), full, palette, hidden);
    context.putImageData(this.image, x, y);
  }

  // From the bottom up: the activities in the order of the legend.
  #fillColumn(column, sums, full, palette, hidden) {
    const {width, height} = this.image, {pixels} = this;
    let done = 0, y = height;
    for (let kind = 0; kind < this.kinds; kind++) {
      if (!(sums[kind] > 0))
        continue;
      done += sums[kind];
      const top = Math.max(0, Math.round(height * (1 - done / full)));
      const {tile} = palette.paints[kind], isHidden = hidden.has(kind);
      for (; y > top; y--)
        pixels[(y - 1) * width + column] = isHidden ? palette.ground : tile[(y - 1 & 7) * 8 + (column & 7)];
    }
    for (; y > 0; y--)
      pixels[(y - 1) * width + column] = palette.ground;
  }
}
