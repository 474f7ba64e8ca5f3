// Dark or light: as the system is set, until the button states otherwise.

const KEY = 'stave-theme';

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // pages from files may have no storage
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // then it holds for this visit
  }
}

export class Theme extends EventTarget {
  constructor() {
    super();
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.chosen = stored();
    this.system.addEventListener('change', () => this.#apply());
    this.#apply();
  }

  get isDark() {
    return this.chosen ? this.chosen === 'dark' : this.system.matches;
  }

  toggle() {
    this.chosen = this.isDark ? 'light' : 'dark';
    store(this.chosen);
    this.#apply();
  }

  // 'dark', 'light', or null: as the system is set. What a link needs is not stored.
  choose(theme) {
    this.chosen = theme;
    this.#apply();
  }

  #apply() {
    document.documentElement.dataset.theme = this.isDark ? 'dark' : 'light';
    this.dispatchEvent(new Event('change'));
  }
}
