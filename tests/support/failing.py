"""Lets calls into the C library fail: a plan for fail_calls (tests/fault/fail_calls.c), and what became of it."""
import collections
import struct

MODES = ("count", "site", "nth", "from", "random")
HEADER = struct.Struct("64s64s4Q2Q")
SITE = struct.Struct("Q24s4Q")
SITES = 1024
CRASH = struct.Struct("Q")
FRAME = struct.Struct("24sQ")
FRAMES = 16

Site = collections.namedtuple("Site", "key name offset system_call calls failed")


def text_of(data):
    return data.rstrip(b"\0").decode()


class Plan:
    """A file that FAIL_CALLS names. `module`: whose calls count, part of its name, "/" for the program, "" for all."""

    def __init__(self, path, module, mode="count", number=0, site=0, seed=0, spared=""):
        self.path = path
        path.write_bytes(HEADER.pack(module.encode(), f" {spared} ".encode(), MODES.index(mode), site, number, seed,
                                     0, 0)
                         + bytes(SITES * SITE.size + CRASH.size + FRAMES * FRAME.size))

    def read(self):
        data = self.path.read_bytes()
        *_, self.calls, self.failed = HEADER.unpack_from(data)
        rows = [SITE.unpack_from(data, HEADER.size + i * SITE.size) for i in range(SITES)]
        self.sites = [Site(row[0], text_of(row[1]), *row[2:]) for row in rows if row[0]]
        after = HEADER.size + SITES * SITE.size
        self.crash_signal, = CRASH.unpack_from(data, after)
        frames = [FRAME.unpack_from(data, after + CRASH.size + i * FRAME.size) for i in range(FRAMES)]
        self.frames = [(text_of(module), offset) for module, offset in frames if module.strip(b"\0")]
        return self

    def failures(self):
        return [site for site in self.sites if site.failed]
