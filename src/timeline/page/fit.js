// Names that are cut in the middle: what stands at their end, the line, tells them apart.

const MIN_LETTERS = 4; // of a name that is cut
const END_SHARE = 0.5;   // of the room, for the end

// How many of the letters fit, from the first on.
function fitting(letters, width, measure) {
  let used = 0, count = 0;
  while (count < letters.length && (used += measure(letters[count])) <= width)
    count++;
  return count;
}

// The text, cut with an ellipsis if it is wider than that; empty if next to nothing fits. `measure` has the width of a
// letter.
export function fit(text, width, measure) {
  const letters = [...text];
  if (fitting(letters, width, measure) === letters.length)
    return text;
  const room = width - measure('…'), end = fitting([...letters].reverse(), room * END_SHARE, measure);
  const tail = letters.slice(letters.length - end).join('');
  const begin = fitting(letters, room - [...tail].reduce((sum, letter) => sum + measure(letter), 0), measure);
  return begin + end < MIN_LETTERS ? '' : `${letters.slice(0, begin).join('')}…${tail}`;
}

const LONG = 40; // letters
const ANGLES = '\u0001', ROUND = '\u0002'; // stand for what was in brackets

// A function's long name in C++ without what is in its brackets, what it returns, and its namespaces but the last:
// "double a::b::Solver<int>::step(int)" is "Solver<…>::step()". Others are as they are.
export function shortFunction(name) {
  if (name.length <= LONG || !/::|\w</.test(name))
    return name;
  let text = name, before = '';
  while (text !== before) {
    before = text;
    text = text.replace(/<[^<>()]*>/g, ANGLES).replace(/\([^<>()]*\)/g, ROUND);
  }
  const operator = text.search(/\boperator\b/), end = operator >= 0 ? operator : text.lastIndexOf(ROUND);
  const begin = end > 0 ? text.lastIndexOf(' ', end) + 1 : 0;
  return text.slice(begin).split('::').slice(-2).join('::').replaceAll(ANGLES, '<…>').replaceAll(ROUND, '()');
}

// A name in two parts, of which a style sheet may cut the first: the second has the line, ".c:123".
export function headAndTail(name) {
  const tail = /(?:\.\w{1,3}|.{0,2}):\d+$/su.exec(name)?.[0] ?? '';
  return [name.slice(0, name.length - tail.length), tail];
}
