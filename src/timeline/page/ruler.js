// The time axis.
import {instant} from './format.js';

const LABEL_GAP = 110; // pixels between two labels

// Steps of 1, 2 or 5 times a power of ten.
export function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return power * [1, 2, 5, 10].find(factor => factor * power >= rough);
}

export function ticks(view, width) {
  const step = niceStep(view.length / Math.max(1, width / LABEL_GAP)), found = [];
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step)
    found.push({x: (time - view.from) / view.length * width, label: instant(time, step)});
  return found;
}
