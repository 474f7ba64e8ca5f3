#!/usr/bin/python3
"""archive_check ARCHIVE/traces.otf2 [--expect FILE] [--closed]: our own check of an archive.

Follows every thread's and every task's stack of regions, the teams, the tasks and the locks
through the events and lists what does not fit. Exit status: 0 nothing found, 1 problems, one a
line, 2 unreadable. --closed: the writer had to close the archive, so that teams, tasks and locks
may end where they were.
"""
import argparse
import collections
import sys

from archive import Archive
from conventions import Conventions
from expectations import Tally, read_expectations

TASK_ROLES = ("TASK", "TASK_UNTIED")
COMPLETE = ("OTF2::MPI_COMMUNICATION_COMPLETE", "OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE",
            "OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", "OTF2::THREAD_LOCK_EVENT_COMPLETE")
# A wait for room (BufferFlush) is where the thread waited.
BETWEEN = ("BufferFlush", "CallingContextSample", "MeasurementOnOff", "Metric")  # may be within
MAX_PROBLEMS = 30


class Stack:
    """The open regions of a location, of an implicit task (comm set) or of an explicit task."""

    def __init__(self, comm=None, key=None):
        self.comm, self.key = comm, key
        self.open = []                # (region, time)
        self.parallel_left = None     # when Leave(parallel) came
        self.began = None
        self.outer = None             # what the location worked on when the team began


class Task:
    def __init__(self, key):
        self.stack = Stack(key=key)
        self.created_at = self.first_switch = self.completed_at = None


class Thread:
    """What a location is doing."""

    def __init__(self):
        self.number_of_events = 0
        self.last_time = self.first_time = self.last_kind = self.first_kind = None
        self.implicit = [Stack()]     # the location's own stack, then one for each open team
        self.current = self.implicit[0]
        self.forks = []               # number of open teams at each open fork


class Checker:
    def __init__(self, archive, is_closed_by_writer=False):
        self.archive, self.is_closed_by_writer = archive, is_closed_by_writer
        # Its end is missing, and that of one thread may be longer than another's.
        self.is_cut = "STAVE::RECOVERED" in archive.properties
        self.tally = Tally(archive)
        self.problems = []
        self.threads = {ref: Thread() for ref in archive.locations}
        self.tasks = {}               # (comm, creating thread, generation): Task
        self.generations = set()      # (creating location, generation)
        self.intervals = collections.defaultdict(list)    # (comm, location): (begin, end)
        self.acquires = collections.defaultdict(list)     # process, lock: (order, time)
        self.releases = collections.defaultdict(dict)     # process, lock: {order: time}
        self.transfers = collections.defaultdict(dict)    # location: {matching id: time}
        self.programs = []            # (kind, location, time)
        self.conventions = Conventions(archive, self.problem)
        self.where = ""

    def problem(self, text):
        self.problems.append(f"{self.where}{text}")

    def run(self):
        for location, kind, event in self.archive.events():
            thread = self.threads[location]
            self.where = (f"location {location}, event {thread.number_of_events} ({kind}), "
                          f"time {event.time}: ")
            self.count(thread, location, kind, event)
            self.conventions.event(location, kind, event, thread.current.open)
            handler = getattr(self, "on_" + kind, None)
            if handler:
                handler(location, thread, event)
            thread.last_time = event.time
            if kind not in BETWEEN:
                thread.last_kind = kind
        self.where = ""
        self.finish()
        self.conventions.finish()
        return self.problems

    def count(self, thread, location, kind, event):
        if thread.last_time is None:
            thread.first_time, thread.first_kind = event.time, kind
        elif event.time < thread.last_time:
            self.problem(f"time goes back from {thread.last_time}")
        elif thread.current.open:
            innermost = thread.current.open[-1][0]
            self.tally.exclusive[location, innermost] += event.time - thread.last_time
        thread.number_of_events += 1
        self.tally.event(location, kind, event)

    def role(self, event):
        return self.archive.regions[event.region._ref].role

    # regions

    def on_Enter(self, location, thread, event):
        role = self.role(event)
        if (role == "PARALLEL") != (thread.last_kind == "ThreadTeamBegin"):
            self.problem("a parallel region and the begin of a team do not come together")
        if role in TASK_ROLES and thread.last_kind != "ThreadTaskSwitch":
            self.problem("a task region is entered without a switch to the task")
        thread.current.open.append((event.region._ref, event.time))

    def on_Leave(self, location, thread, event):
        region, open_regions = event.region._ref, thread.current.open
        if not open_regions or open_regions[-1][0] != region:
            name = self.archive.regions[region].name
            inner = self.archive.regions[open_regions[-1][0]].name if open_regions else "none"
            self.problem(f"leaves '{name}', the innermost region is '{inner}'")
            return
        _, entered = open_regions.pop()
        self.tally.inclusive[location, region] += event.time - entered
        if self.role(event) == "PARALLEL":
            thread.current.parallel_left = event.time

    # teams

    def on_ThreadFork(self, location, thread, event):
        thread.forks.append(len(thread.implicit))

    def on_ThreadJoin(self, location, thread, event):
        if not thread.forks:
            self.problem("join without fork")
        elif thread.forks.pop() != len(thread.implicit):
            self.problem("join while the team is open")
        if thread.last_kind != "ThreadTeamEnd":
            self.problem(f"{thread.last_kind} is before the join")

    def on_ThreadTeamBegin(self, location, thread, event):
        comm = event.thread_team._ref
        members = self.archive.comms[comm].members
        if location not in members:
            self.problem(f"begins team {comm}, of which it is no member")
        elif members[0] == location and thread.last_kind != "ThreadFork":
            self.problem("the primary begins a team right after no fork")
        if members[0] == location and self.archive.comms[comm].parent != thread.implicit[-1].comm:
            self.problem(f"the parent of team {comm} is not the enclosing team")
        stack = Stack(comm)
        stack.began, stack.outer = event.time, thread.current
        thread.implicit.append(stack)
        thread.current = stack

    def on_ThreadTeamEnd(self, location, thread, event):
        comm, stack = event.thread_team._ref, thread.implicit[-1]
        if stack.comm != comm:
            self.problem(f"ends team {comm}, the innermost one is {stack.comm}")
            return
        self.expect_empty(stack, "the team")
        if stack.parallel_left != event.time:
            self.problem("the team does not end when its parallel region does")
        if thread.current is not stack:
            self.problem("the team ends in an explicit task")
        self.intervals[comm, location].append((stack.began, event.time))
        thread.implicit.pop()
        thread.current = stack.outer

    def expect_empty(self, stack, whose):
        for region, _ in stack.open:
            self.problem(f"'{self.archive.regions[region].name}' is open at the end of {whose}")

    # tasks

    def key(self, event):
        return event.thread_team._ref, event.creating_thread, event.generation_number

    def task(self, key):
        return self.tasks.setdefault(key, Task(key))

    def on_ThreadTaskCreate(self, location, thread, event):
        key, members = self.key(event), self.archive.comms[event.thread_team._ref].members
        if key[1] >= len(members) or members[key[1]] != location:
            self.problem(f"thread {key[1]} of team {key[0]} is another location")
        if (location, key[2]) in self.generations or key[2] == 0:
            self.problem(f"generation {key[2]} is not new")
        self.generations.add((location, key[2]))
        if not thread.current.open or \
                self.archive.regions[thread.current.open[-1][0]].role != "TASK_CREATE":
            self.problem("a task is created outside of a create task region")
        self.task(key).created_at = event.time

    def on_ThreadTaskSwitch(self, location, thread, event):
        key = self.key(event)
        if key[2] == 0:
            self.to_implicit_task(location, thread, key)
            return
        task = self.task(key)
        if task.completed_at is not None:
            self.problem(f"switch to the completed task {key}")
        if task.first_switch is None:
            task.first_switch = event.time
        thread.current = task.stack

    def to_implicit_task(self, location, thread, key):
        team, members = thread.implicit[-1].comm, self.archive.comms[key[0]].members
        if team is not None and team != key[0]:
            self.problem(f"switch to team {key[0]}, the innermost one is {team}")
        if team is None and members != (location,):
            self.problem(f"switch to team {key[0]} with {len(members)} members outside of teams")
        if key[1] >= len(members) or members[key[1]] != location:
            self.problem("switch to the implicit task of another thread")
        thread.current = thread.implicit[-1]

    def on_ThreadTaskComplete(self, location, thread, event):
        key = self.key(event)
        task = self.task(key)
        if task.completed_at is not None:
            self.problem(f"task {key} completes again")
        self.expect_empty(task.stack, f"task {key}")
        if task.first_switch is None and not event.attributes:
            self.problem(f"task {key} completes, never having run, without a status")
        task.completed_at = event.time

    # locks, which are numbered in each process

    def process(self, location):
        return self.archive.locations[location].process

    def on_ThreadAcquireLock(self, location, thread, event):
        self.acquires[self.process(location), event.lock_id].append((event.acquisition_order, event.time))

    def on_ThreadReleaseLock(self, location, thread, event):
        released = self.releases[self.process(location), event.lock_id]
        if event.acquisition_order in released:
            self.problem(f"lock {event.lock_id}: released twice in turn {event.acquisition_order}")
        released[event.acquisition_order] = event.time

    # devices

    def is_stream(self, location):
        return self.archive.locations[location].type == "ACCELERATOR_STREAM"

    def on_RmaGet(self, location, thread, event):
        if not self.is_stream(location):
            self.problem("a transfer on a thread")
        if event.remote not in self.archive.locations or event.remote == location:
            self.problem(f"a transfer with location {event.remote}")
        if event.matching_id in self.transfers[location]:
            self.problem(f"matching id {event.matching_id} is in use")
        self.transfers[location][event.matching_id] = event.time

    on_RmaPut = on_RmaGet

    def on_RmaOpCompleteBlocking(self, location, thread, event):
        if self.transfers[location].pop(event.matching_id, None) is None:
            self.problem(f"completes {event.matching_id}, which has not started")

    # program

    def on_ProgramBegin(self, location, thread, event):
        self.programs.append(("begin", location, event.time))
        if thread.number_of_events != 1:
            self.problem("ProgramBegin is not the first event")

    def on_ProgramEnd(self, location, thread, event):
        self.programs.append(("end", location, event.time))

    # at the end

    def finish(self):
        for name in ("threads", "tasks", "teams", "locks", "devices", "program", "clock",
                     "definitions", "properties"):
            getattr(self, "finish_" + name)()

    def finish_threads(self):
        for ref, thread in self.threads.items():
            self.where = f"location {ref}: "
            stated = self.archive.locations[ref].events
            if stated != thread.number_of_events:
                self.problem(f"defined with {stated} events, has {thread.number_of_events}")
            if thread.forks:
                self.problem(f"{len(thread.forks)} forks without a join")
            if len(thread.implicit) > 1:
                self.problem(f"{len(thread.implicit) - 1} teams are open at the end")
            for stack in thread.implicit:
                self.expect_empty(stack, "the trace")
        self.where = ""

    def finish_tasks(self):
        for key, task in self.tasks.items():
            self.where = f"task {key}: "
            if task.created_at is None:
                self.problem("never created")
            elif task.first_switch is not None and task.first_switch < task.created_at:
                self.problem("starts before it is created")
            if task.stack.open:
                self.expect_empty(task.stack, "the trace")
            if task.first_switch is not None and task.completed_at is None \
                    and not self.is_closed_by_writer:
                self.problem("started and never completed")
        self.where = ""

    def finish_teams(self):
        """Every member executes every region of a team, within the primary's time in it."""
        for ref, comm in self.archive.comms.items():
            primary = self.intervals.get((ref, comm.members[0]), []) if comm.members else []
            for member in comm.members[1:]:
                mine = self.intervals.get((ref, member), [])
                if len(mine) != len(primary):
                    self.problem(f"team {ref}: location {member} has been in {len(mine)} regions, "
                                 f"its primary in {len(primary)}")
                late = sum(end > limit for (_, end), (_, limit) in zip(mine, primary))
                if late and not self.is_closed_by_writer:
                    self.problem(f"team {ref}: location {member} ends {late} regions too late")

    def finish_locks(self):
        for lock, acquires in self.acquires.items():
            self.where = f"lock {lock[1]} of {lock[0]}: "
            acquires.sort()
            orders = [order for order, _ in acquires]
            if len(set(orders)) < len(orders):
                self.problem("the acquisition orders are not different")
            elif orders != list(range(1, len(orders) + 1)) and not self.is_cut:
                self.problem("the acquisition orders are not 1, 2, 3, ...")
            if any(a[1] > b[1] for a, b in zip(acquires, acquires[1:])):
                self.problem("the acquisition orders do not follow time")
            times, released = dict(acquires), self.releases[lock]
            if any(order not in times or time < times[order] for order, time in released.items()):
                self.problem("released, but not acquired before")
            if len(released) != len(times):
                self.problem(f"acquired {len(times)} times, released {len(released)} times")
        self.where = ""
        for process in {process for process, _ in self.acquires}:
            numbers = sorted(lock for owner, lock in self.acquires if owner == process)
            if numbers != list(range(len(numbers))):
                self.problem(f"the ids of the locks of {process} are not 0, 1, 2, ...")

    def finish_devices(self):
        for ref, transfers in self.transfers.items():
            for matching_id in transfers:
                self.problem(f"location {ref}: transfer {matching_id} is never completed")
        for ref, location in self.archive.locations.items():
            if self.is_stream(ref) != (location.group_type == "ACCELERATOR"):
                self.problem(f"location {ref} is a {location.type} in a group {location.group_type}")

    def finish_program(self):
        for process in sorted({location.process for location in self.archive.locations.values()}):
            self.finish_process(process)

    def finish_process(self, process):
        begins, ends = ([item for item in self.programs if item[0] == word and self.process(item[1]) == process]
                        for word in ("begin", "end"))
        if len(begins) != 1 or len(ends) != 1:
            self.problem(f"{len(begins)} ProgramBegin, {len(ends)} ProgramEnd of {process}")
            return
        if self.threads[ends[0][1]].last_kind != "ProgramEnd":
            self.problem("ProgramEnd is not the last event of its location")
        for ref, thread in self.threads.items():
            if thread.last_time is not None and self.process(ref) == process and \
                    (thread.first_time < begins[0][2] or thread.last_time > ends[0][2]):
                self.problem(f"location {ref} has events outside of ProgramBegin to ProgramEnd")

    def finish_clock(self):
        used = [thread for thread in self.threads.values() if thread.number_of_events]
        if not used:
            self.problem("no events at all")
            return
        first = min(thread.first_time for thread in used)
        length = max(thread.last_time for thread in used) - first
        clock = self.archive.clock
        if (clock.global_offset, clock.trace_length) != (first, length):
            self.problem(f"clock: offset {clock.global_offset}, length {clock.trace_length}; "
                         f"the events: {first}, {length}")

    def finish_definitions(self):
        refs = sorted(self.archive.locations)
        if refs != list(range(len(refs))):
            self.problem(f"location ids are not dense: {refs}")
        names = [(location.process, location.name) for location in self.archive.locations.values()]
        if len(set(names)) != len(names) or not all(name for _, name in names):
            self.problem(f"location names are not unique: {names}")
        for name, number in collections.Counter(
                region[1:] for region in self.archive.regions.values()).items():
            if number > 1:
                self.problem(f"region '{name[0]}' is defined {number} times")
        for region in self.archive.regions.values():
            is_kernel = region.name.startswith("target kernel")  # by its compiler's name, which CUPTI has
            if not is_kernel and (".omp_outlined" in region.description or "_omp_fn" in region.description):
                self.problem(f"region '{region.name}': description '{region.description}'")

    def finish_properties(self):
        losses = self.archive.losses()
        for name in COMPLETE:
            value = self.archive.properties.get(name)
            if value != ("false" if losses else "true"):
                self.problem(f"property {name} is {value}, losses: {losses}")
        if "STAVE::ENDING" not in self.archive.properties:
            self.problem("the property STAVE::ENDING is missing")


def check(path, expect=None, is_closed_by_writer=False):
    """The problems of an archive, as lines of text; and the Checker, for its tally."""
    archive = Archive(path)
    try:
        checker = Checker(archive, is_closed_by_writer)
        problems = checker.run()
        for expectation in read_expectations(expect) if expect else []:
            problem = expectation.problem(checker.tally)
            if problem:
                problems.append(problem)
    finally:
        archive.close()
    return problems, checker


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("archive")
    parser.add_argument("--expect", metavar="FILE")
    parser.add_argument("--closed", action="store_true")
    options = parser.parse_args()
    try:
        problems, _ = check(options.archive, options.expect, options.closed)
    except Exception as error:      # python3-otf2 raises errors of many kinds
        print(f"{options.archive}: cannot be read: {error}", file=sys.stderr)
        return 2
    for problem in problems[:MAX_PROBLEMS]:
        print(problem)
    if len(problems) > MAX_PROBLEMS:
        print(f"... and {len(problems) - MAX_PROBLEMS} more")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
