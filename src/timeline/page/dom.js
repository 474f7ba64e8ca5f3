// Making elements. Texts from the trace become text nodes, never markup.

export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('aria') || key === 'role' || key === 'style')
      made.setAttribute(key.replace(/^aria(?=[A-Z])/, 'aria-').toLowerCase(), value);
    else
      made[key] = value;
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

export function byId(id) {
  return document.getElementById(id);
}

// A little square in an activity's colour and pattern.
export function swatch(paint) {
  const canvas = element('canvas', {className: 'swatch', width: 28, height: 28, ariaHidden: 'true'});
  const image = new ImageData(28, 28), pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++)
    pixels[i] = paint.tile[(Math.floor(i / 28) & 7) * 8 + (i % 28 & 7)];
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}

// Calls `run` once things have been quiet for a while, and nothing is pressed: what is replaced then gets no click.
export function whenQuiet(run, ms) {
  let timer = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => document.querySelector('button:active, a:active') ? wait() : run(), ms);
  };
  return wait;
}

// Copies a text and reports it on the button; where the page may not, the text is shown to be copied.
export async function copyText(text, button) {
  const name = button.dataset.name ??= button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    button.addEventListener('pointerleave', () => button.textContent = name, {once: true});
    button.addEventListener('blur', () => button.textContent = name, {once: true});
  } catch {
    byId('copy-text').value = text;
    byId('copy').showModal();
    byId('copy-text').select();
  }
}
