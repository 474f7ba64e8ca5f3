// Keys over the picture, and those that work everywhere but in the search field.

const ZOOM = 1.4, PAN = 0.15, SCROLL = 40;

function chartKeys({view, select, zoomToSelection, unselect}) {
  return {
    ArrowLeft: () => view.panBy(-PAN * view.length),
    ArrowRight: () => view.panBy(PAN * view.length),
    ArrowUp: () => view.scrollTo(view.top - SCROLL),
    ArrowDown: () => view.scrollTo(view.top + SCROLL),
    PageUp: () => view.panBy(-view.length),
    PageDown: () => view.panBy(view.length),
    Home: () => view.panBy(view.start - view.from),
    End: () => view.panBy(view.stop - view.to),
    Enter: zoomToSelection,
    Escape: unselect,
    'Shift+ArrowLeft': () => select.next(-1),
    'Shift+ArrowRight': () => select.next(1),
    'Shift+ArrowUp': () => select.depth(-1),
    'Shift+ArrowDown': () => select.depth(1),
  };
}

function globalKeys(actions) {
  const {view, search, step, stepFinding} = actions;
  return {
    '+': () => view.zoom(1 / ZOOM),
    '=': () => view.zoom(1 / ZOOM),
    '-': () => view.zoom(ZOOM),
    w: () => view.zoom(1 / ZOOM),
    s: () => view.zoom(ZOOM),
    a: () => view.panBy(-PAN * view.length),
    d: () => view.panBy(PAN * view.length),
    0: () => view.showAll(),
    n: () => step(1),
    N: () => step(-1),
    j: () => stepFinding(1),
    J: () => stepFinding(-1),
    i: actions.listInstances,
    l: actions.goToLongest,
    '/': () => search.input.focus(),
    t: actions.toggleArrows,
    o: actions.toggleDependences,
    h: actions.togglePath,
    m: actions.toggleMessages,
    k: actions.toggleCounters,
    g: actions.toggleFlame,
    u: actions.toggleLocks,
    f: actions.toggleFit,
    p: actions.toggleGroups,
    e: actions.toggleFolds,
    x: actions.hideRow,
    z: actions.pinRow,
    X: actions.showAllRows,
    v: actions.toggleMarking,
    r: actions.markVisible,
    b: actions.addBookmark,
    y: actions.copyLink,
    c: actions.toggleTheme,
    '?': actions.showHelp,
  };
}

export function listenToKeys(chart, actions) {
  const onChart = chartKeys(actions), everywhere = globalKeys(actions);
  const handle = (event, keys, name) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[name])
      return;
    event.preventDefault();
    keys[name]();
  };
  chart.addEventListener('keydown', event =>
    handle(event, onChart, event.shiftKey ? `Shift+${event.key}` : event.key));
  document.addEventListener('keydown', event => {
    if (!event.target.matches('input, textarea, select') && !document.querySelector('dialog[open]'))
      handle(event, everywhere, event.key);
  });
}
