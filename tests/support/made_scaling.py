"""Runs of one program with several numbers of threads, whose times follow a law that is known: for numbers of threads
that the machine has not. Times are exact to a nanosecond.

    run(path, threads, [serial(10), loop(20, 80)])    # 10 ms without a team, then 80 ms of work shared by all

Each part is a function that gets the archive, the time and the number of threads, and returns when it ends.
"""
from made_archive import Made
from otf2.enums import MetricMode, MetricOccurrence, MetricType, Paradigm, RegionRole, Type

COUNTERS = ("instructions:u", "cycles", "cache-misses")


class Scaled(Made):
    """Events happen at the time that at() has set, in ms since the beginning."""

    def __init__(self, path, threads, **more):
        super().__init__(path, threads=threads, source="app.c", region=False, ticks_per_us=1000, **more)
        self.threads, self.counted = threads, [[0] * len(COUNTERS) for _ in range(threads)]
        self.metric = None

    def count(self, thread, counts):
        """A reading of the counters, which have grown by so much."""
        if counts is None:
            return
        if not self.metric:
            members = [self.definitions.metric_member(name, "", MetricType.OTHER, MetricMode.ACCUMULATED_START,
                                                      Type.UINT64) for name in COUNTERS]
            self.metric = self.definitions.metric_class(members, MetricOccurrence.SYNCHRONOUS_STRICT)
        self.counted[thread] = [before + more for before, more in zip(self.counted[thread], counts)]
        self.event(thread, "metric", self.metric, self.counted[thread])

    def at(self, ms):
        self.now = 1000 + round(1e6 * ms)
        return self

    def event(self, thread, name, *arguments, attributes=None, step=True):
        super().event(thread, name, *arguments, attributes=attributes, step=False)

    def parallel(self, at, line, work, start=0, end=0, late=None, counts=None):
        """A region in which each thread works from `start` after the fork for its time, does what `late` does in
        between, waits for the last, and is let go after `end`."""
        self.at(at).event(0, "thread_fork", Paradigm.OPENMP, self.threads)
        for i in range(self.threads):
            self.at(at + (start if i else 0))
            self.event(i, "thread_team_begin", self.team)
            self.count(i, counts and [0] * len(COUNTERS))
            self.enter(i, "parallel", line)
        ends = late(at + start) if late else [at + (start if i else 0) + work[i] for i in range(self.threads)]
        last = max(ends)
        for i in sorted(range(self.threads), key=lambda i: ends[i]):
            self.at(ends[i]).count(i, counts)
            self.enter(i, "implicit barrier", line)
        let_go = last + end + 1e-6  # a ns later: of one time events come in the order of threads
        self.at(let_go)
        for i in reversed(range(self.threads)):
            self.leave(i, "implicit barrier", line)
            self.leave(i, "parallel", line)
            self.event(i, "thread_team_end", self.team)
        self.event(0, "thread_join", Paradigm.OPENMP)
        return let_go


def serial(ms):
    """No part of the work of all."""
    return lambda made, at: at + ms


def region(line, ms, slower=lambda threads: 1, imbalance=lambda threads: 0, start=lambda threads: 0,
           end=lambda threads: 0, repeat=1, counts=None):
    """ms of work, shared by all: slower(n) times as much of n threads; the first has imbalance(n) ms more than the
    mean, the others less; start(n) ms until the others begin, end(n) ms until a barrier lets all go. counts(n): what
    all threads count in it of COUNTERS."""
    def part(made, at):
        n = made.threads
        mean, more = ms * slower(n) / n / repeat, imbalance(n) / repeat
        work = [mean + more] + [mean - more / (n - 1) for _ in range(n - 1)] if n > 1 else [mean]
        each = counts and [round(count / n / repeat) for count in counts(n)]
        for _ in range(repeat):
            at = made.parallel(at, line, work, start(n), end(n), counts=each)
        return at
    return part


def loop(line, in_line, ms, slower=lambda threads: 1):
    """The same as a loop in a region."""
    def part(made, at):
        each = ms * slower(made.threads) / made.threads

        def work(begin):
            for i in range(made.threads):
                made.at(begin).enter(i, "for", line)
            for i in range(made.threads):
                made.at(begin + each).leave(i, "for", line)
            return [begin + each] * made.threads
        return made.parallel(at, in_line, None, late=work)
    return part


def locked(line, ms, held_ms, lock_line=90):
    """Each thread has its share of ms of work, of which all the held_ms are under one lock: one by one, after the
    rest."""
    def part(made, at):
        n = made.threads
        alone, held = (ms - held_ms) / n, held_ms / n

        def work(begin):
            for i in range(n):
                made.at(begin + alone).enter(i, "critical", lock_line)
            for i in range(n):
                made.at(begin + alone + i * held + 1e-6 * (i > 0))
                made.event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, i + 1)
                made.enter(i, "critical sblock", lock_line)
                made.at(begin + alone + (i + 1) * held).leave_critical(i, 3, i + 1, lock_line)
            return [begin + alone + (i + 1) * held for i in range(n)]
        return made.parallel(at, line, None, late=work)
    return part


def run(path, threads, parts, **more):
    """Makes the archive; returns its wall time in ms."""
    with Scaled(path, threads, **more) as made:
        program = made.definitions.region("program", "program", "", RegionRole.ARTIFICIAL,
                                          Paradigm.MEASUREMENT_SYSTEM)
        now = 0
        made.at(now).event(0, "enter", program)
        for part in parts:
            now = part(made, now)
        made.at(now).event(0, "leave", program)
    return now
