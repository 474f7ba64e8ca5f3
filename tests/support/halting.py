"""A stave-writer that is stopped most of the time: rings get full at any event."""
import contextlib
import os
import signal
import threading
import time

import tracing

STOPPED_S, RUNNING_S = 0.05, 0.001


def halt_until(is_over, folder):
    """Stops the folder's writer and lets it go on, in turns."""
    writer = None
    while not is_over.is_set() and writer is None:
        writer = tracing.find_writer(folder)
    try:
        while not is_over.is_set():
            os.kill(writer, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(writer, signal.SIGCONT)
            time.sleep(RUNNING_S)
    except ProcessLookupError:
        pass                    # it has closed the archive


@contextlib.contextmanager
def halted_writer(folder):
    """While this lasts. The folder is that of STAVE_OUTPUT."""
    is_over = threading.Event()
    thread = threading.Thread(target=halt_until, args=(is_over, folder))
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
