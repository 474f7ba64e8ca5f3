"""What archives of Stave's look like beyond the order of their events (docs/ARCHIVES.md)."""
import collections
import re
import shlex

WAIT_ROLES = {"barrier wait": ("BARRIER", "IMPLICIT_BARRIER"), "taskwait wait": ("TASK_WAIT",),
              "taskgroup wait": ("BARRIER",), "reduction wait": ("COLL_ALL2ONE",)}
SYNC_ROLES = ("BARRIER", "IMPLICIT_BARRIER", "TASK_WAIT")
THREAD_NAME = re.compile(r"Master thread|OMP thread \d+(:\d+)*|OMP worker \d+|Initial thread \d+|Foreign thread \d+"
                         r"|OMP hidden helper \d+")
PLACEMENT = ("place", "processor", "place partition")
SET_LOCK = re.compile(r"omp_set_(nest_)?lock\b")
PASSIVE = ("CallingContextSample", "MeasurementOnOff")
ARGUMENTS_COMPARED = 1000     # STAVE::ARGUMENTS is cut somewhere after that


def construct_of(region):
    return region.name.removeprefix("!$omp ").split(" @")[0]


class Conventions:
    """Follows the events of an archive; `report` gets each problem as a line of text."""

    def __init__(self, archive, report):
        self.archive, self.report = archive, report
        self.entered = set()
        self.last = collections.defaultdict(lambda: collections.deque(maxlen=5))  # of a location: (kind, region, time)

    # events

    def event(self, location, kind, event, open_regions):
        """open_regions: what is open on the location's current stack, before the event."""
        region = self.archive.regions[event.region._ref] if kind in ("Enter", "Leave") else None
        if kind == "Enter":
            self.enter(region, open_regions)
        if event.attributes:
            self.attributes(kind, region, event)
        if kind == "ProgramBegin":
            self.arguments(event)
        if kind not in PASSIVE and not (kind == "BufferFlush" and self.last_kind(location) == kind):
            self.last[location].append((kind, region, event.time))
        if kind == "ThreadAcquireLock":
            self.lock_region(self.last[location])

    def last_kind(self, location):
        return self.last[location][-1][0] if self.last[location] else None

    def enter(self, region, open_regions):
        self.entered.add(region.region)
        expected = WAIT_ROLES.get(construct_of(region))
        outer = self.archive.regions[open_regions[-1][0]] if open_regions else None
        if expected and outer and outer.role in SYNC_ROLES:
            expected = (outer.role,)
        if expected and region.role not in expected:
            self.report(f"'{region.name}' has role {region.role}, where it is entered {' or '.join(expected)} is right")

    def attributes(self, kind, region, event):
        names = [attribute.name for attribute in event.attributes if attribute.name in PLACEMENT]
        is_right = kind == "Enter" and (region.role == "PARALLEL" or construct_of(region).endswith("initial task"))
        if names and not is_right:
            self.report(f"the attributes {names} are not at the beginning of a parallel region")

    def arguments(self, event):
        line = self.archive.properties.get("STAVE::ARGUMENTS")
        found = [re.sub(r"[\0-\x1f\x7f]", "?", text) for text in event.program_arguments]
        if line and len(line) < ARGUMENTS_COMPARED and shlex.split(line)[1:] != found:
            self.report(f"the arguments are {found}, the property has {line}")

    def lock_region(self, last):
        """A call that waited for room in the ring is one region."""
        if [kind for kind, *_ in last] != ["Enter", "Leave", "BufferFlush", "Enter", "ThreadAcquireLock"]:
            return
        (_, first, entered), (_, _, left), _, (_, second, again), (_, _, acquired) = last
        if entered == left and again == acquired and SET_LOCK.match(second.name) and \
                (first.name, first.file) == (second.name, second.file):
            self.report(f"'{second.name}' is left, empty, and goes on after the BufferFlush")

    # definitions

    def finish(self):
        self.finish_regions()
        self.finish_locations()
        for node in self.archive.roots_without("MACHINE"):
            self.report(f"the root node '{node}' has not the domain MACHINE")
        for name in self.archive.metric_names():
            if name in PLACEMENT:
                self.report(f"'{name}' is a metric")

    def finish_regions(self):
        used = self.entered | self.archive.sampled_regions()
        for ref, region in self.archive.regions.items():
            if ref not in used:
                self.report(f"nothing refers to the region '{region.name}'")
            if region.file and not region.file.startswith("/"):
                self.report(f"'{region.name}' has the source file '{region.file}'")
            if region.name == self.archive.program() and not region.canonical_name.startswith("/"):
                self.report(f"the canonical name of the program is '{region.canonical_name}'")

    def finish_locations(self):
        groups = collections.Counter(location.group for location in self.archive.locations.values())
        for name in self.archive.group_names():
            if not groups[name]:
                self.report(f"the location group '{name}' has no location")
        for location in self.archive.locations.values():
            if location.type == "CPU_THREAD" and not THREAD_NAME.fullmatch(location.name):
                self.report(f"location {location.location} is called '{location.name}'")
