/** An element with its attributes and children; texts become text nodes, so that nothing in them is markup. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function drawn(name, attributes = {}, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

export function find(id) {
  return document.getElementById(id);
}
