"""What counting_tool counted, and comparing it with what an archive holds."""
import array
import collections
import functools
import struct

from ompt import values

Count = collections.namedtuple("Count", "name kind endpoint")
BEGIN, END, BEGINEND = values("SCOPE", "begin", "end", "beginend")


def settings(counting_tool, tool, output):
    """The environment in which the counting tool is between the runtime and `tool`."""
    return {"OMP_TOOL_LIBRARIES": str(counting_tool), "COUNTING_TOOL_FORWARD": str(tool),
            "COUNTING_TOOL_OUTPUT": str(output)}


# struct counts of counting_tool.c
CALLBACK = struct.Struct("24sQ")
CALLBACKS, KINDS, ENDPOINTS = 64, 128, 4
NO_KIND, NO_ENDPOINT = KINDS - 1, 0


class Counts:
    """Events by (name, kind, endpoint); None where the event has no kind or endpoint."""

    def __init__(self, path):
        with open(path, "rb") as file:
            rows = list(CALLBACK.iter_unpack(file.read(CALLBACKS * CALLBACK.size)))
            events = array.array("Q", file.read(8 * CALLBACKS * KINDS * ENDPOINTS))
        names = [name.rstrip(b"\0").decode() for name, _ in rows]
        self.registered = {name for name, (_, is_registered) in zip(names, rows) if is_registered}
        self.counts = collections.Counter()
        for place, number in enumerate(events):
            if number:
                callback, kind, endpoint = place // ENDPOINTS // KINDS, place // ENDPOINTS % KINDS, place % ENDPOINTS
                self.counts[Count(names[callback], None if kind == NO_KIND else kind,
                                  None if endpoint == NO_ENDPOINT else endpoint)] = number

    def of(self, *names, kinds=None, endpoints=None):
        return sum(number for count, number in self.counts.items()
                   if count.name in names and (kinds is None or count.kind in kinds)
                   and (endpoints is None or count.endpoint in endpoints))

    def names(self):
        """Callbacks; not the pseudo callback `dependence`."""
        return sorted({count.name for count in self.counts} - {"dependence"})

    def records(self, names):
        """{record: number} that these callbacks become: the two ends of implicit tasks are
        records of their own, and so is each of several dependences; both forms of a callback
        make the same one."""
        numbers = {name.removesuffix("_emi"): self.of(name) for name in names}
        if "implicit_task" in numbers:
            del numbers["implicit_task"]
            begin = self.of("implicit_task", endpoints=(BEGIN,))
            numbers["implicit_task_begin"] = begin
            numbers["implicit_task_end"] = self.of("implicit_task") - begin
        if "dependences" in numbers:
            del numbers["dependences"]
            numbers["dependence"] = self.of("dependence")
        return numbers


def problems_of_records(expected, properties):
    """`expected` is {record: number}; the archive has how many it was made from."""
    for name, number in sorted(expected.items()):
        stated = int(properties.get(f"STAVE::RECORDS::{name.upper()}", 0))
        if name == "control_tool":      # calls of stave.h make records of their own
            stated += sum(int(properties.get(f"STAVE::RECORDS::CONTROL_TOOL_{what}", 0))
                        for what in ("REGION", "MESSAGE", "COUNTER"))
        if stated != number:
            yield f"{name}: {number} delivered, STAVE::RECORDS has {stated}"


# What a callback becomes in an archive whose program ended by itself: (what is recorded, how many
# events of the callbacks, how many of the archive). Work, synchronisation and mutexes by kind.
WORK, SYNC, MUTEX = (functools.partial(values, name) for name in ("WORK", "SYNC_REGION", "MUTEX"))
LOOPS = WORK("loop", "loop_static", "loop_dynamic", "loop_guided", "loop_other")
BARRIERS = SYNC("barrier", "barrier_explicit")
IMPLICIT_BARRIERS = SYNC("barrier_implicit", "barrier_implementation", "barrier_implicit_workshare",
                         "barrier_implicit_parallel", "barrier_teams")
CONSTRUCTS = [
    ("work", LOOPS, "for"), ("work", WORK("sections"), "sections"),
    ("work", WORK("single_executor", "single_other"), "single"),
    ("work", WORK("single_executor"), "single sblock"), ("work", WORK("workshare"), "workshare"),
    ("work", WORK("distribute"), "distribute"), ("work", WORK("taskloop"), "taskloop"),
    ("work", WORK("scope"), "scope"),
    ("sync_region", BARRIERS, "barrier"), ("sync_region", IMPLICIT_BARRIERS, "implicit barrier"),
    ("sync_region", SYNC("taskwait"), "taskwait"), ("sync_region", SYNC("taskgroup"), "taskgroup"),
    ("sync_region_wait", BARRIERS + IMPLICIT_BARRIERS, "barrier wait"),
    ("sync_region_wait", SYNC("taskwait"), "taskwait wait"), ("sync_region_wait", SYNC("taskgroup"), "taskgroup wait"),
    ("masked", None, "masked"),
]
MUTEXES = [(MUTEX("lock"), "omp_set_lock"), (MUTEX("test_lock"), "omp_test_lock"),
           (MUTEX("nest_lock"), "omp_set_nest_lock"), (MUTEX("test_nest_lock"), "omp_test_nest_lock"),
           (MUTEX("critical"), "!$omp critical"), (MUTEX("atomic"), "!$omp atomic"),
           (MUTEX("ordered"), "!$omp ordered")]
DISPATCHES = ("section", "loop chunk", "taskloop chunk", "distribute chunk")
EXPLICIT_TASK_ENDS = values("TASK_STATUS", "complete", "cancel", "detach", "taskwait_complete")
FULFILLED = values("TASK_STATUS", "early_fulfill", "late_fulfill")


class Events:
    """The events of an archive, by kind and by the name of their region without its place."""

    def __init__(self, archive, tallied):
        """`tallied` are rows of kind, region's number (None where the event has none), number of such events."""
        self.kinds, self.entered = collections.Counter(), collections.Counter()
        for kind, region, number in tallied:
            self.kinds[kind] += number
            if kind == "Enter":
                self.entered[archive.regions[region].name.partition(" @")[0]] += number

    @classmethod
    def checked(cls, checker):
        """What a checker has read already."""
        return cls(checker.archive, ((kind, region, number)
                                     for (_, kind, region), number in checker.tally.events.items()))

    @classmethod
    def read(cls, archive):
        return cls(archive, ((kind, event.region._ref if kind == "Enter" else None, 1)
                             for _, kind, event in archive.events()))

    def constructs(self, *names):
        return sum(self.entered[f"!$omp {name}"] for name in names)


def pairs_of_teams(counts, events):
    members = counts.of("implicit_task", kinds=values("TASK", "implicit"), endpoints=(BEGIN,))
    yield "ThreadFork", counts.of("parallel_begin", kinds=(0,)), events.kinds["ThreadFork"]
    yield "ThreadJoin", counts.of("parallel_end", kinds=(0,)), events.kinds["ThreadJoin"]
    yield "ThreadTeamBegin", members, events.kinds["ThreadTeamBegin"]
    yield "ThreadTeamEnd", members, events.kinds["ThreadTeamEnd"]
    yield "parallel", members, events.constructs("parallel")
    yield "teams", counts.of("parallel_begin", kinds=(1,)), events.constructs("teams")


def pairs_of_tasks(counts, events):
    yield "ThreadTaskCreate", counts.of("task_create"), events.kinds["ThreadTaskCreate"]
    yield ("ThreadTaskComplete", counts.of("task_schedule", kinds=EXPLICIT_TASK_ENDS),
           events.kinds["ThreadTaskComplete"])
    yield ("omp_fulfill_event", counts.of("task_schedule", kinds=FULFILLED),
           events.entered["omp_fulfill_event"])
    depends = sum(number for name, number in events.entered.items()
                  if name.startswith("!$omp depend"))
    yield "depend", counts.of("dependence"), depends
    yield "task dependence", counts.of("task_dependence"), events.constructs("task dependence")


def pairs_of_mutexes(counts, events):
    yield "ThreadAcquireLock", counts.of("mutex_acquired"), events.kinds["ThreadAcquireLock"]
    yield "ThreadReleaseLock", counts.of("mutex_released"), events.kinds["ThreadReleaseLock"]
    for kinds, name in MUTEXES:
        yield name, counts.of("mutex_acquire", kinds=kinds), events.entered[name]


def pairs_of_constructs(counts, events):
    for callback, kinds, name in CONSTRUCTS:
        started = counts.of(callback, kinds=kinds, endpoints=(BEGIN, BEGINEND))
        yield name, started, events.constructs(name)
    reductions = counts.of("reduction", endpoints=(BEGIN, BEGINEND)) + \
        counts.of("sync_region", kinds=SYNC("reduction"), endpoints=(BEGIN, BEGINEND))
    yield "reduction", reductions, events.constructs("reduction")
    yield "dispatch", counts.of("dispatch"), events.constructs(*DISPATCHES)
    yield "flush", counts.of("flush"), events.constructs("flush")
    yield "cancel", counts.of("cancel"), events.constructs("cancel")


TARGETS = [(values("TARGET", "region", "nowait"), "target")] + \
    [(values("TARGET", name, name + "_nowait"), construct) for name, construct in
     (("enter_data", "target enter data"), ("exit_data", "target exit data"), ("update", "target update"))]
DATA_OPS = [(values("TARGET_DATA", name, name + "_async"), event) for name, event in
            (("transfer_to_device", "RmaGet"), ("transfer_from_device", "RmaPut"))]


def pairs_of_devices(counts, events):
    for kinds, name in TARGETS:
        started = counts.of("target", "target_emi", kinds=kinds, endpoints=(BEGIN, BEGINEND))
        yield name, started, events.constructs(name)
    for kinds, name in DATA_OPS:
        started = counts.of("target_data_op", kinds=kinds) + \
            counts.of("target_data_op_emi", kinds=kinds, endpoints=(BEGIN, BEGINEND))
        yield name, started, events.kinds[name]
    started = counts.of("target_submit") + \
        counts.of("target_submit_emi", endpoints=(BEGIN, BEGINEND))
    yield "target submit", started, events.constructs("target submit")
    yield "target kernel", started, events.constructs("target kernel")


def problems_of_events(counts, events):
    for pairs in (pairs_of_teams, pairs_of_tasks, pairs_of_mutexes, pairs_of_constructs,
                  pairs_of_devices):
        for name, counted, found in pairs(counts, events):
            if counted != found:
                yield f"{name}: {counted} counted, {found} in the archive"


def problems(counts, properties, events=None):
    """Callbacks that Stave has not registered, what the archive was not made of, and, if they are given, which events
    it does not hold. An archive with pauses, or one that the writer had to close, holds others than were delivered."""
    for name in counts.names():
        if name not in counts.registered:
            yield f"Stave does not register {name}"
    yield from problems_of_records(counts.records(counts.names()), properties)
    if events:
        yield from problems_of_events(counts, events)
