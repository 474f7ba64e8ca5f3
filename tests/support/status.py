"""Hears from stave-writer when an archive is closed: STAVE_STATUS names a pipe into which it reports."""
import os
import select
import time

import tracing


class Status:
    """A pipe in `folder`; STAVE_STATUS=status.path in the environment of what is traced."""

    def __init__(self, folder):
        self.path = folder / "status"
        os.mkfifo(self.path)
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.text = ""

    def wait_for(self, word, count=1):
        """Returns what follows the word and the process id in the first lines that begin with it."""
        deadline = time.monotonic() + tracing.HANG_S
        while True:
            lines = [line.split(" ", 2)[2] for line in self.text.splitlines(keepends=True)
                     if line.startswith(word + " ") and line.endswith("\n")]
            if len(lines) >= count:
                return [line.strip() for line in lines]
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise tracing.Failure(f"stave-writer has not sent '{word}' in {tracing.HANG_S} s; sent: {self.text!r}")
            self.text += os.read(self.descriptor, 65536).decode()

    def figures(self):
        """The writer's figures of the closed archive, as a dictionary of texts."""
        line = self.wait_for("closed")[0]
        words, ending = line.split(" ending=")
        return dict(word.split("=") for word in words.split()) | {"ending": ending}

    def close(self):
        os.close(self.descriptor)
