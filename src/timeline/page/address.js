// What is looked at, kept in the part of the page's address after the #: a link to it shows the same, and the
// browser's back and forward go through what was looked at.

// Numbers of a list as ranges: 0-3,7.
export function packNumbers(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other), parts = [];
  for (let i = 0, next; i < sorted.length; i = next) {
    for (next = i + 1; sorted[next] === sorted[next - 1] + 1;)
      next++;
    parts.push(next - i > 1 ? `${sorted[i]}-${sorted[next - 1]}` : String(sorted[i]));
  }
  return parts.join(',');
}

// Vice versa, of numbers below `limit`; what is none is left out.
export function unpackNumbers(text, limit) {
  const numbers = [];
  for (const part of (text ?? '').split(',')) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    for (let number = +first; number <= Math.min(+(last ?? first), limit - 1); number++)
      numbers.push(number);
  }
  return numbers;
}

// "2000-4000" as [2000, 4000], null if it is no interval.
export function unpackInterval(text) {
  const [, from, to] = /^(-?\d+)-(-?\d+)$/.exec(text ?? '') ?? [];
  return from !== undefined && +from <= +to ? [+from, +to] : null;
}

export function packInterval(from, to) {
  return `${Math.round(from)}-${Math.round(to)}`;
}

// Readable as far as an address allows it.
function encode(parameters) {
  return parameters.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')
    .replaceAll('%3A', ':').replaceAll('%40', '@').replaceAll('%20', '+')}`).join('&');
}

export class Address {
  // `read` has the state as pairs of names and texts, only of what is not as at first; `apply` gets URLSearchParams.
  constructor({read, apply}) {
    Object.assign(this, {read, apply});
    this.hash = '';  // what the address had when it was last read or written
    this.state = ''; // what is looked at, as it would be written
    addEventListener('popstate', () => this.#restore());
    addEventListener('hashchange', () => this.#restore());
  }

  // Shows what is in the address, as the page opens.
  begin() {
    this.state = encode(this.read());
    this.#restore();
  }

  #restore() {
    const requested = location.hash.slice(1);
    if (requested === this.hash)
      return;
    this.hash = requested;
    this.apply(new URLSearchParams(requested));
    this.state = encode(this.read());
  }

  // Writes what is looked at now. What is only scrolled makes no step to go back.
  update() {
    const now = encode(this.read()), rest = text => text.split('&').filter(part => !part.startsWith('top=')).join('&');
    if (now === this.state)
      return;
    const change = rest(now) === rest(this.state) ? 'replaceState' : 'pushState';
    this.state = now;
    try {
      history[change](null, '', `#${now}`);
      this.hash = now;
    } catch {
      // a page that is shown inside of another one may have no history
    }
  }
}
