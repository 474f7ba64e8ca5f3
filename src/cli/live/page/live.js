// A run that goes on: pictures of its last part, one after the other, each a page of its own; at the end the finished
// page, which is kept here, since the server ends.

const STATES = {
  running: 'The run goes on',
  drawing: 'The run has ended; its finished page is being made',
  ended: 'The run has ended; this is all of it',
  died: 'The run has ended without an archive',
  gone: 'The server does not answer: it has ended, or cannot be reached. Trying again',
};
const LEFT = new Set(['at', 'top', 'selected', 'range', 'among']); // of the address: not carried over

function byId(id) {
  return document.getElementById(id);
}

function duration(ms) {
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60000)} min ${Math.floor(ms / 1000) % 60} s`;
}

class Live {
  constructor({title, archive, last_ms: lastMs}) {
    Object.assign(this, {title, archive, lastMs});
    this.shown = null;       // {frame, picture}
    this.loading = null;     // the same, not shown yet
    this.isFollowing = true;
    this.isPressed = false;  // a drag is not cut off
    this.state = 'running';
    this.news = null;        // the last
    document.title = `${title} - stave watch`;
    byId('follow').addEventListener('click', () => this.follow(!this.isFollowing));
    setInterval(() => this.showAge(), 500);
    this.#paint();
    this.#listen();
  }

  // -- news --

  #listen() {
    this.source = new EventSource('news');
    this.source.onmessage = ({data}) => this.#receive(JSON.parse(data));
    this.source.onerror = () => this.#setState('gone');
  }

  #receive(news) {
    this.news = {...news, at: performance.now() - news.age_ms};
    this.#setState(news.state);
    byId('trouble').textContent = news.trouble && `No newer picture: ${news.trouble}`;
    if (news.state === 'ended')
      this.#takeFinished();
    else if (news.state === 'died')
      this.source.close();
    else
      this.#advance();
  }

  #setState(state) {
    this.state = state;
    document.documentElement.dataset.state = state;
    const text = state === 'ended' ? `${STATES.ended}, also in ${this.news.file}`
      : state === 'running' && !this.news?.picture ? 'The run goes on; its first picture is being made' : STATES[state];
    if (byId('state').textContent !== text)
      byId('state').textContent = text;
    byId('follow').hidden = state === 'ended' && this.isFollowing;
    this.showAge();
  }

  showAge() {
    const picture = this.shown?.at, isOver = this.state === 'ended' && this.shown?.picture === this.news.picture;
    byId('age').textContent = picture === undefined || isOver ? ''
      : `shown: the last ${duration(this.lastMs)} as of ${duration(performance.now() - picture)} ago` +
        (this.state === 'running' && this.news.every_ms > 1000 ? `, renewed every ${duration(this.news.every_ms)}`
          : '');
  }

  // The server waits until all pages have it: as a page in a frame, and as a file to be saved.
  async #takeFinished() {
    const {picture, at} = this.news, frame = this.#makeFrame();
    const isLoaded = Live.#runs(frame);
    this.#load(frame, picture);
    const [answer] = await Promise.all([fetch(`picture-${picture}`), isLoaded]), page = await answer.blob();
    Object.assign(byId('save'), {href: URL.createObjectURL(page), download: `${this.title}.html`, hidden: false});
    this.source.close();
    this.finished = {frame, picture, at};
    this.#advance();
  }

  // -- pictures --

  follow(isFollowing) {
    this.isFollowing = isFollowing;
    byId('follow').setAttribute('aria-pressed', String(isFollowing));
    this.#advance();
  }

  // Shows the newest picture, unless it is there, one is being loaded, or it is not requested now.
  #advance() {
    const {picture} = this.news ?? {};
    if (!picture || !this.isFollowing || this.isPressed || this.loading || this.shown?.picture === picture)
      return;
    if (this.finished) {
      this.loading = this.finished;
      this.finished.frame.contentWindow.location.hash = this.#address();
      this.#show();
    } else if (this.state !== 'ended') {
      this.loading = {frame: this.#makeFrame(), picture, at: this.news.at};
      Live.#runs(this.loading.frame).then(() => this.#show());
      this.#load(this.loading.frame, picture);
    }
  }

  #makeFrame() {
    const frame = document.createElement('iframe');
    frame.title = `The threads of ${this.title} over time`;
    return frame;
  }

  // Until the page in the frame has run its script.
  static async #runs(frame) {
    await new Promise(done => frame.addEventListener('load', done));
    await frame.contentDocument?.defaultView.ready;
  }

  #load(frame, picture) {
    frame.src = `picture-${picture}#${this.#address()}`;
    byId('pictures').append(frame);
  }

  // What the browser shows where a picture could not be fetched has no document for others.
  static #pageOf(frame) {
    return frame?.contentDocument?.defaultView.stave;
  }

  get #page() {
    return Live.#pageOf(this.shown?.frame);
  }

  // What is chosen in the picture shown, but for the interval and what lies in it.
  #address() {
    this.#page?.settle();
    const hash = this.shown?.frame.contentWindow.location.hash ?? '';
    return hash.slice(1).split('&').filter(part => !LEFT.has(part.split('=')[0])).join('&');
  }

  // How much of the end was looked at, if not all.
  #length() {
    const view = this.#page?.view;
    return view && view.length < view.stop - view.start ? view.length : null;
  }

  #show() {
    const {frame} = this.loading, page = Live.#pageOf(frame), length = this.#length(), before = this.shown;
    const hadFocus = document.activeElement === before?.frame, isRequested = this.isFollowing && !this.isPressed;
    if (page && (isRequested || !before)) { // else it is not requested any more, or gone: the next news has another one
      if (length && !this.finished)
        page.view.show(page.view.stop - length, page.view.stop);
      if (before && !this.finished)
        page.view.scrollTo(this.#page.view.top);
      page.settle(); // it is not seen before it is drawn
      this.shown = this.loading;
      frame.classList.add('shown');
      this.#watchPointer(frame.contentWindow);
      before?.frame.remove();
      if (hadFocus)
        frame.contentWindow.focus();
    } else
      frame.remove();
    this.loading = null;
    this.#paint();
    this.#setState(this.state);
    if (page && isRequested)
      this.#advance();
  }

  #watchPointer(window) {
    window.addEventListener('pointerdown', () => { this.isPressed = true; }, true);
    for (const kind of ['pointerup', 'pointercancel', 'blur'])
      window.addEventListener(kind, () => {
        this.isPressed = false;
        this.#advance();
      }, true);
  }

  // In the colours of the picture.
  #paint() {
    const {theme} = this.shown?.frame.contentDocument.documentElement.dataset ?? {};
    document.documentElement.dataset.theme = theme ??
      (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  }
}

window.live = new Live(JSON.parse(byId('about').textContent));
