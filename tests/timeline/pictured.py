"""Archives whose pictures are known: times are in microseconds, on a clock of a million ticks a second."""
import pathlib

import otf2
from otf2.enums import GroupType, LocationGroupType, LocationType, Paradigm, RegionRole, Type

HOSTILE = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>",
           "\"quotes\" 'and' `ticks`", "tab\there\nnewline", "<!-- comment <script>",
           "\\u003c/script> ${window.hacked=1} %s %n", "]]>&lt;b&gt;&amp;",
           "\u202eright to left\u2028line", "\x1b[31mred\x07", "Z\u00fcrich \u6f22\u5b57 \U0001f600"]
INVALID = b"invalid \xff\xfe\xc0\xaf here"
INVALID_REPLACED = "invalid 0123 here".encode()


class Archive:
    """One process; threads by number, regions by name."""

    def __init__(self, path, threads=("Master thread", "OMP thread 1"), streams=(), resolution=1000000,
                 are_timed=False):
        self.path = pathlib.Path(path)
        self.trace = otf2.writer.Writer(str(path), timer_resolution=resolution)
        define = self.definitions = self.trace.definitions
        node = define.system_tree_node("node")
        group = define.location_group("Process", system_tree_parent=node)
        owner = self.device(node) if are_timed else group
        devices = [define.location(name, LocationType.ACCELERATOR_STREAM, group=owner) for name in streams]
        locations = self.locations = tuple(define.location(name, group=group) for name in threads)
        self.writers = [self.trace.event_writer_from_location(location) for location in (*locations, *devices)]
        define.group("OpenMP", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, members=locations)
        self.team = define.comm("team", define.group("team", GroupType.COMM_GROUP, Paradigm.OPENMP, members=locations))

    def device(self, node):
        """The location group of one that records itself."""
        define = self.definitions
        made = define.system_tree_node("Device 0", "OpenMP Device", node)
        define.system_tree_node_property(made, "trace", Type.STRING, "CUPTI 130001, started")
        return define.location_group("Device 0", LocationGroupType.ACCELERATOR, made)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.trace.close()

    def region(self, name, role=RegionRole.CODE, line=0, description=""):
        source = name.split("@")[-1].rsplit(":", 1) if "@" in name else [""]
        return self.definitions.region(name, name, description, role, Paradigm.OPENMP, begin_line_number=line,
                                       source_file=source[0] if line else "")

    def attribute(self, name, kind=Type.UINT64):
        return self.definitions.attribute(name, "", kind)

    def slice(self, thread, begin, end, region, attributes=None):
        self.writers[thread].enter(begin, region, attributes=attributes)
        self.writers[thread].leave(end, region)

    def task_event(self, kind, thread, time, creator, generation):
        getattr(self.writers[thread], f"thread_task_{kind}")(time, self.team, creator, generation)


def write_known(path):
    """The trace begins at 1 ms. Two threads are in a parallel region from 1 to 11 ms; thread 0 makes a task at 2 ms,
    which thread 1 runs from 5 to 8 ms; thread 0 computes from 3 to 6 ms, with an attribute, and then waits."""
    with Archive(path) as archive:
        parallel = archive.region("!$omp parallel @app.c:12", RegionRole.PARALLEL, 12, "main")
        loop = archive.region("!$omp for @app.c:20", RegionRole.LOOP, 20, "compute, static")
        create = archive.region("!$omp create task @app.c:30", RegionRole.TASK_CREATE, 30, "main")
        task = archive.region("!$omp task @app.c:30", RegionRole.TASK, 30, "main")
        barrier = archive.region("!$omp implicit barrier @app.c:12", RegionRole.IMPLICIT_BARRIER, 12, "main")
        first, second = archive.writers
        for writer in archive.writers:
            writer.thread_team_begin(1000, archive.team)
            writer.enter(1000, parallel)
        first.enter(2000, create)
        archive.task_event("create", 0, 2000, 0, 1)
        first.leave(2010, create)
        archive.slice(0, 3000, 6000, loop, {archive.attribute("chunk size"): 42})
        first.enter(6000, barrier)
        second.enter(4000, barrier)
        archive.task_event("switch", 1, 5000, 0, 1)
        second.enter(5000, task)
        second.leave(8000, task)
        archive.task_event("complete", 1, 8000, 0, 1)
        archive.task_event("switch", 1, 8000, 1, 0)
        for writer in archive.writers:
            writer.leave(11000, barrier)
            writer.leave(11000, parallel)
            writer.thread_team_end(11000, archive.team)


def write_many(path, pairs, threads=2):
    """Short regions, one after the other."""
    with Archive(path, [f"thread {i}" for i in range(threads)]) as archive:
        regions = [archive.region(f"!$omp critical @app.c:{line}", RegionRole.CRITICAL, line) for line in range(1, 9)]
        for thread in range(threads):
            for i in range(pairs):
                archive.slice(thread, 10 * i, 10 * i + 6, regions[i % len(regions)])


def write_hostile(path):
    """Names of everything that would be markup, script, or no text at all."""
    with Archive(path, HOSTILE) as archive:
        note = archive.attribute(HOSTILE[0])
        text = archive.attribute(HOSTILE[1], Type.STRING)
        for i, name in enumerate(HOSTILE):
            region = archive.region(name, line=i + 1, description=HOSTILE[-1 - i])
            archive.slice(i, 100 * i, 100 * i + 5000, region, {note: i, text: name})
        archive.slice(0, 6000, 7000, archive.region(INVALID_REPLACED.decode()))
    definitions = archive.path / "traces.def"
    definitions.write_bytes(definitions.read_bytes().replace(INVALID_REPLACED, INVALID))
