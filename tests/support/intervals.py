"""Intervals of an archive's events, put together from python3-otf2's reading alone: the truth for tables."""
import collections

from archive import Archive

Region = collections.namedtuple("Region", "location name begin end self args")
Piece = collections.namedtuple("Piece", "task location begin end")
Hold = collections.namedtuple("Hold", "lock order location acquired released")


class Open:
    """A region that has been entered."""

    def __init__(self, location, event):
        self.location, self.name, self.begin = location, event.region.name, event.time
        self.self_ticks, self.args = 0, {a.name: v for a, v in (event.attributes or {}).items()}


class Level:
    """A thread's part of a team: the implicit task, and which explicit one runs above it."""

    def __init__(self):
        self.stack, self.running = [], None


class Intervals:
    """regions, pieces and holds in ticks; and how often each kind of event is there."""

    def __init__(self, path):
        archive = Archive(f"{path}/traces.otf2")
        self.clock, self.kinds = archive.clock, collections.Counter()
        self.regions, self.pieces, self.holds, self.open_holds = [], [], [], {}
        self.memberships = collections.defaultdict(list)    # by location: (begin, end) in teams, without nested ones
        self.levels = collections.defaultdict(lambda: [Level()])
        self.tasks, self.last, self.started = collections.defaultdict(list), {}, {}
        for location, kind, event in archive.events():
            self.kinds[kind] += 1
            self.charge(location, event.time)
            getattr(self, kind, lambda *_: None)(location, event)
        archive.close()

    def ns(self, ticks):
        return (ticks - self.clock.global_offset) * 10**9 / self.clock.timer_resolution

    def span_ns(self, ticks):
        return ticks * 10**9 / self.clock.timer_resolution

    def stack(self, location):
        level = self.levels[location][-1]
        return level.stack if level.running is None else self.tasks[level.running]

    def charge(self, location, time):
        stack = self.stack(location)
        if stack:
            stack[-1].self_ticks += time - self.last.get(location, time)
        self.last[location] = time

    def Enter(self, location, event):       # pylint: disable=invalid-name
        self.stack(location).append(Open(location, event))

    def Leave(self, location, event):       # pylint: disable=invalid-name
        top = self.stack(location).pop()
        assert top.name == event.region.name, (top.name, event.region.name)
        self.regions.append(Region(top.location, top.name, top.begin, event.time, top.self_ticks, top.args))

    def ThreadTeamBegin(self, location, event):     # pylint: disable=invalid-name
        if len(self.levels[location]) == 1:
            self.memberships[location].append((event.time, None))
        self.levels[location].append(Level())

    def ThreadTeamEnd(self, location, event):       # pylint: disable=invalid-name
        self.levels[location].pop()
        if len(self.levels[location]) == 1:
            self.memberships[location][-1] = self.memberships[location][-1][0], event.time

    @staticmethod
    def key(event):
        return event.thread_team._ref, event.creating_thread, event.generation_number

    def stop(self, location, time):
        level = self.levels[location][-1]
        if level.running is not None:
            self.pieces.append(Piece(level.running, location, self.started.pop(level.running), time))
        level.running = None

    def ThreadTaskSwitch(self, location, event):    # pylint: disable=invalid-name
        self.stop(location, event.time)
        if event.generation_number:
            self.levels[location][-1].running = self.key(event)
            self.started[self.key(event)] = event.time

    def ThreadTaskComplete(self, location, event):  # pylint: disable=invalid-name
        if self.levels[location][-1].running == self.key(event):
            self.stop(location, event.time)

    def ThreadAcquireLock(self, location, event):   # pylint: disable=invalid-name
        self.open_holds[event.lock_id, event.acquisition_order] = location, event.time

    def ThreadReleaseLock(self, _, event):          # pylint: disable=invalid-name
        location, time = self.open_holds.pop((event.lock_id, event.acquisition_order))
        self.holds.append(Hold(event.lock_id, event.acquisition_order, location, time, event.time))
