// Names that are cut in the middle: what is at their end, the line, distinguishes them.

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
const ANGLES = 0xe000, ROUND = 0xf000; // from here on: letters that represent what is in brackets
const BRACKETS_MAX = 0x800;

// The name with a letter in the place of each pair of brackets, and what they represent.
function withoutBrackets(name) {
  const contents = [];
  let text = name, before = '';
  while (text !== before && contents.length < BRACKETS_MAX / 2) {
    before = text;
    text = text.replace(/<[^<>()]*>|\([^<>()]*\)/g, found => {
      if (contents.length === BRACKETS_MAX)
        return found;
      contents.push(found);
      return String.fromCharCode((found.startsWith('<') ? ANGLES : ROUND) + contents.length - 1);
    });
  }
  return [text, contents];
}

// Puts back what is in brackets. `angles` and `round` state instead what becomes of those that are not within others,
// but for the name of a namespace that has none.
function withBrackets(text, contents, angles, round) {
  return text.replace(/[\ue000-\uf8ff]/g, letter => {
    const code = letter.charCodeAt(), isRound = code >= ROUND, content = contents[code - (isRound ? ROUND : ANGLES)];
    const instead = content === '(anonymous namespace)' ? undefined : isRound ? round : angles;
    return instead ?? withBrackets(content, contents);
  });
}

// The last round brackets that are not within others; -1: there are none.
function argumentsIn(text) {
  return [...text].findLastIndex(letter => letter >= '\uf000' && letter <= '\uf8ff');
}

// A function's long name in C++: what it returns and its arguments go first, then those of templates, then its
// namespaces but the last, as far as needed: "double a::b::Solver<int>::step(int)" is "a::b::Solver<int>::step()",
// "a::b::Solver<…>::step()", "Solver<…>::step()". Others are as they are.
export function shortFunction(name) {
  if (name.length <= LONG || !/::|\w</.test(name))
    return name;
  const [text, contents] = withoutBrackets(name);
  const operator = text.search(/\boperator\b/), end = operator >= 0 ? operator : argumentsIn(text);
  const bare = text.slice(end > 0 ? text.lastIndexOf(' ', end) + 1 : 0);
  const steps = [withBrackets(bare, contents, undefined, '()'), withBrackets(bare, contents, '<…>', '()')];
  return steps.find(step => step.length <= LONG) ??
    withBrackets(bare.split('::').slice(-2).join('::'), contents, '<…>', '()');
}

// A name in two parts, of which a style sheet may cut the first: the second has the line, ".c:123".
export function headAndTail(name) {
  const tail = /(?:\.\w{1,3}|.{0,2}):\d+$/su.exec(name)?.[0] ?? '';
  return [name.slice(0, name.length - tail.length), tail];
}
