// Lines of the source, with the time of the constructs that are in each; and the way to an editor.
import {byId, element} from './dom.js';
import {duration} from './format.js';

const KEY = 'stave-editor', TEMPLATE = 'vscode://file{file}:{line}';
const BEFORE = 5, AFTER = 25; // lines around the one that was requested

function stored() {
  try {
    return localStorage.getItem(KEY) ?? TEMPLATE;
  } catch {
    return TEMPLATE; // pages from files may have no storage
  }
}

// The address that opens a line in the editor; null: there is none, or it is no editor's.
export function editorLink(template, file, line) {
  const isKnown = /^[a-z][a-z0-9+.-]*:/i.test(template) && !/^(javascript|data|blob|file|https?):/i.test(template);
  if (!file.startsWith('/') || !isKnown)
    return null;
  return template.replaceAll('{file}', encodeURI(file)).replaceAll('{line}', String(line || 1));
}

export class Source {
  // `lines` gives what topRegions does of what is looked at.
  constructor(model, lines) {
    Object.assign(this, {model, lines, place: null});
    byId('editor').value = stored();
    byId('editor').addEventListener('change', ({target: {value}}) => {
      try {
        localStorage.setItem(KEY, value);
      } catch {
        // then it holds for this visit
      }
      this.update();
    });
    byId('source-close').addEventListener('click', () => this.show(null));
  }

  // {file, line}, or null.
  show(place) {
    this.place = place?.file ? place : null;
    this.update();
    if (this.place)
      byId('source-section').scrollIntoView({block: 'nearest'});
  }

  update() {
    byId('source-section').hidden = !this.place;
    if (!this.place)
      return;
    const {file, line} = this.place, known = this.model.about.sources?.[file], link = byId('source-open');
    const address = editorLink(byId('editor').value, file, line);
    byId('source-title').textContent = line ? `${file}:${line}` : file;
    link.hidden = !address;
    if (address)
      link.href = address;
    byId('source-note').textContent = known ? known.changed ? 'The file has changed since the run.' : ''
      : 'The page does not have its lines: stave timeline --sources includes them.';
    byId('source').replaceChildren(...known ? this.#makeLines(known, file, line) : []);
  }

  #makeLines({first, lines}, file, requested) {
    const times = new Map();
    for (const {region, ns} of this.lines())
      if (region?.file === file)
        times.set(region.line, (times.get(region.line) ?? 0) + ns);
    return [...lines.entries()].map(([i, text]) => ({number: first + i, text}))
      .filter(({number}) => number >= requested - BEFORE && number <= requested + AFTER)
      .map(({number, text}) => element('tr', {className: number === requested ? 'requested' : ''},
        element('td', {title: text}, text || ' '),
        element('td', {}, times.has(number) ? duration(times.get(number)) : ''),
        element('td', {}, String(number))));
  }
}
