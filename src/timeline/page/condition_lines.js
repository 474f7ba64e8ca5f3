// Over a row: a thin line at the foot of its band where its thread had no processor, and hatching where nothing was
// recorded.

const LINE = 4;         // pixels
const PREEMPTED = 1, PAUSED = 3;

function hatching(context, colours) {
  const canvas = new OffscreenCanvas(8, 8), made = canvas.getContext('2d');
  made.fillStyle = colours.ground;
  made.fillRect(0, 0, 8, 8);
  made.strokeStyle = colours.dim;
  made.lineWidth = 1;
  for (const offset of [-8, 0, 8]) {
    made.beginPath();
    made.moveTo(offset, 8);
    made.lineTo(offset + 8, 0);
    made.stroke();
  }
  return context.createPattern(canvas, 'repeat');
}

// `box`: {y, band, height} of the row.
export function drawConditions(chart, row, {y, band, height}) {
  const {context, view, palette: {colours}, gutter, width} = chart, perPixel = view.length / chart.plotWidth;
  const clip = time => Math.min(Math.max(chart.x(time), gutter), width);
  if (row.running.count) {
    row.running.pieces(view.from, view.to, perPixel, (begin, end, kind, share) => {
      const left = clip(begin);
      context.fillStyle = kind === PREEMPTED ? colours.preempted : colours.blocked;
      context.globalAlpha = 0.35 + 0.65 * share;
      context.fillRect(left, y + band - LINE, Math.max(0.7, clip(end) - left), LINE);
    });
    context.globalAlpha = 1;
  }
  if (row.gaps.count)
    row.gaps.pieces(view.from, view.to, perPixel, (begin, end, kind) => {
      const left = clip(begin), isPause = kind === PAUSED;
      context.fillStyle = isPause ? hatching(context, colours) : colours.stalled;
      context.fillRect(left, y, Math.max(1, clip(end) - left), isPause ? height : 3);
    });
}
