// Files that the user gets from the page, and gives to it.
import {element} from './dom.js';

// A file's name without its ending.
export function nameOf({about: {title}}) {
  return title.replace(/[^\w.-]+/g, '-');
}

// Gives a blob to the user under a name.
export function save(blob, name) {
  const link = element('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Requests a file; `use` gets its text.
export function chooseFile(accept, use) {
  const input = element('input', {type: 'file', accept});
  input.addEventListener('change', async () => use(await input.files[0].text()));
  input.click();
}
