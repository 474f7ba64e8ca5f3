"""A headless Chromium, driven by its DevTools protocol over a pipe: no driver, no port, no library."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_S = 600


def find():
    """The program's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class BrowserError(Exception):
    pass


class Browser:
    """One page of one browser, to be used in a with statement."""

    def __init__(self, width=1400, height=900, is_dark=False):
        self.profile = tempfile.TemporaryDirectory(prefix="stave-browser-")
        self.size = (width, height)
        self.events, self.last_id, self.received = [], 0, b""
        command_read, self.commands = os.pipe()
        self.replies, reply_write = os.pipe()
        self.process = subprocess.Popen(self.arguments(is_dark), pass_fds=(3, 4), close_fds=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        preexec_fn=lambda: move_pipes(command_read, reply_write))
        os.close(command_read)
        os.close(reply_write)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def arguments(self, is_dark):
        return [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
                *(["--blink-settings=preferredColorScheme=0"] if is_dark else [])]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.replies)
        for _ in range(50):  # processes of its own may still write there
            try:
                self.profile.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    # -- the protocol --

    def send(self, method, parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        return self.last_id

    def receive(self, deadline):
        while b"\0" not in self.received:
            if not select.select([self.replies], [], [], max(0, deadline - time.monotonic()))[0]:
                raise BrowserError("the browser does not answer")
            data = os.read(self.replies, 1 << 20)
            if not data:
                raise BrowserError("the browser has ended")
            self.received += data
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        number, deadline = self.send(method, parameters), time.monotonic() + TIMEOUT_S
        while True:
            message = self.receive(deadline)
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        """The next event of this kind that has not been taken yet."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(i)
            self.events.append(self.receive(deadline))

    # -- what a user does --

    def resize(self, width, height, scale=1):
        self.size = (width, height)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)

    def open(self, path):
        """Returns the seconds until the page has drawn itself."""
        start = time.monotonic()
        self.load(f"file://{os.path.abspath(path)}")
        self.frame()
        return time.monotonic() - start

    def load(self, url):
        """Returns when the page's script has run."""
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        self.evaluate("window.ready")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def frame(self):
        """Waits until the requested part has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.frame()

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.frame()

    def drag(self, from_x, from_y, to_x, to_y, modifiers=0):
        self.mouse("mousePressed", from_x, from_y, button="left", clickCount=1, modifiers=modifiers)
        for x, y in (((from_x + to_x) / 2, (from_y + to_y) / 2), (to_x, to_y)):
            self.mouse("mouseMoved", x, y, button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1, modifiers=modifiers)
        self.frame()

    def wheel(self, x, y, down, right=0, modifiers=0):
        self.mouse("mouseWheel", x, y, deltaX=right, deltaY=down, modifiers=modifiers)
        self.frame()

    def touch(self, *steps):
        """Fingers: each step is a list of their places, empty when all have left; what is in one place stays there."""
        before = 0
        for places in steps:
            kind = "touchEnd" if len(places) < before else "touchStart" if len(places) > before else "touchMove"
            before = len(places)
            self.call("Input.dispatchTouchEvent", type=kind,
                      touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])
        self.frame()

    def key(self, key, modifiers=0):
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=modifiers,
                      **(text if kind == "keyDown" else {}))
        self.frame()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.frame()

    def middle_of(self, selector):
        """Of the first element that the selector finds."""
        return self.evaluate(f"(() => {{ const box = document.querySelector({json.dumps(selector)})"
                             ".getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")

    def click_on(self, selector):
        """The middle of it."""
        self.click(*self.middle_of(selector))

    def text(self, selector):
        """What a user reads there; None if there is no such element or it is hidden."""
        return self.evaluate(f"(() => {{ const found = document.querySelector({json.dumps(selector)});"
                             "return found && found.offsetParent !== null || found && getComputedStyle(found).position"
                             " === 'fixed' && !found.hidden ? found.innerText : null; })()")

    def pixels(self, selector, x, y, width=1, height=1):
        """Red, green, blue and opacity of each pixel of a part of a canvas."""
        return self.of_pixels("[...data]", selector, x, y, width, height)

    def count_opaque(self, selector, x, y, width, height):
        """How many pixels of a part of a canvas have something drawn on them."""
        return self.of_pixels("data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0), 0)", selector, x, y,
                              width, height)

    def of_pixels(self, expression, selector, x, y, width, height):
        return self.evaluate(f"""(() => {{
            const copy = new OffscreenCanvas({width}, {height});
            const context = copy.getContext('2d', {{willReadFrequently: true}});
            context.drawImage(document.querySelector({json.dumps(selector)}), {-x}, {-y});
            const {{data}} = context.getImageData(0, 0, {width}, {height});
            return {expression}; }})()""")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """What the console, uncaught errors, refused contents and requests have reported since the last call."""
        self.evaluate("1")  # what came before is here then
        found, events, self.events = [], self.events, []
        for event in events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
            elif method == "Runtime.consoleAPICalled":
                found.append(f"console: {[item.get('value') for item in parameters['args']]}")
            elif method == "Log.entryAdded":
                found.append(f"log: {parameters['entry']['text']}")
            elif method == "Network.requestWillBeSent" and not is_local(parameters["request"]["url"]):
                found.append(f"request: {parameters['request']['url']}")
            elif method == "Page.javascriptDialogOpening":
                found.append(f"dialog: {parameters['message']}")
        return found


def is_local(url):
    return url.startswith(("file:", "data:"))


def move_pipes(command_read, reply_write):
    """Chromium reads commands from descriptor 3 and answers on 4."""
    pipes = [fcntl.fcntl(pipe, fcntl.F_DUPFD, 5) for pipe in (command_read, reply_write)]  # out of the way of both
    os.dup2(pipes[0], 3)
    os.dup2(pipes[1], 4)
