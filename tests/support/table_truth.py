"""What each table of stave-tables(5) has to hold, by python3-otf2's reading of the archive alone.

    Truth(archive).tables[table]: rows as tuples. Instead of numbers they name threads by their location, regions by
    (location, begin, name), tasks by ("explicit", location, time) of their creation and ("implicit", location, begin),
    teams by the begins of their members. Times are in ns.
"""
import collections
import itertools
import json

import table_rows
from archive import Archive, enum_name

WAITS = {"barrier": "barrier wait", "implicit barrier": "barrier wait", "barrier wait": "barrier wait",
         "taskwait": "task wait", "taskwait wait": "task wait", "taskgroup wait": "task wait",
         "taskwait depend": "task wait", "reduction": "reduction", "reduction wait": "reduction"}
MUTEXES = ("critical", "ordered", "atomic", "omp_set_lock", "omp_test_lock", "omp_set_nest_lock", "omp_test_nest_lock")
POINTS = ("task dependence", "cancel", "error", "flush", "omp_fulfill_event", "lost events", "run state")
OWN = ("lost events", "run state")
STATED = ("ThreadFork", "ThreadJoin", "ThreadTeamBegin", "ThreadTeamEnd", "ThreadTaskCreate", "ThreadTaskSwitch",
        "ThreadTaskComplete", "MpiSend", "MpiIsend", "MpiIsendComplete", "MpiIrecvRequest", "MpiRecv", "MpiIrecv")
LOCKS = ("ThreadAcquireLock", "ThreadReleaseLock")
STATES = {0: "runs", 1: "preempted", 2: "blocked"}
ORDERING = ("in", "out", "inout", "mutexinoutset", "inoutset")


def construct_of(name):
    """What a region is, by its name; None: a function, a region of the program's own."""
    if name.startswith("!$omp "):
        return name[len("!$omp "):].split(" @")[0]
    word = name.split(" @")[0]
    return word if word.startswith("omp_") or word in OWN else None


class Open:
    """A region that has been entered."""

    def __init__(self, location, event, parent, depth, task, team):
        self.location, self.name, self.begin = location, event.region.name, event.time
        self.construct, self.parent, self.depth, self.task, self.team = (
            construct_of(event.region.name), parent, depth, task, team)
        self.args, self.ticks = arguments(event), 0


class Task:
    """Explicit, or implicit: then with the team."""

    def __init__(self, kind, location, ticks=None, team=None, parent=None):
        self.kind, self.location, self.begin, self.team, self.parent = kind, location, ticks, team, parent
        self.stack, self.region, self.create_region, self.create = [], None, None, None
        self.first = self.last = self.piece = self.end = None
        self.run, self.pieces, self.migrations, self.is_taskwait, self.has_left = 0, 0, 0, False, False


class Team:
    """An instance of a communicator."""

    def __init__(self, comm):
        self.size, self.members, self.begin, self.end = len(comm.members) if comm else None, [], None, None
        self.open, self.region = 0, None
        self.requested = self.primary = self.parent = self.creator = self.fork = None


class Level:
    """A thread's part of a team, which has started in a region."""

    def __init__(self, implicit, team=None, around=None):
        self.implicit, self.team, self.around, self.running = implicit, team, around, None


def plain(value):
    """Of an attribute, as JSON has it."""
    if isinstance(value, (int, float, str)):
        return value
    if hasattr(value, "line_number"):
        return f"{value.file}:{value.line_number}"
    return value


def arguments(event):
    return {attribute.name: plain(value) for attribute, value in (event.attributes or {}).items()}


class Truth:
    def __init__(self, path):
        self.archive = Archive(f"{path}/traces.otf2")
        self.clock = self.archive.clock
        self.tables, self.kinds = collections.defaultdict(list), collections.Counter()
        self.levels, self.first, self.last = {}, {}, {}
        self.tasks, self.by_creation, self.teams = {}, [], []
        self.forks, self.live_teams, self.created = {}, {}, {}
        self.held, self.known_locks, self.operations, self.collectives = {}, {}, {}, {}
        self.variables, self.states, self.sites = {}, {}, set()
        self.sends, self.requests, self.order = collections.defaultdict(list), {}, []
        for location, kind, event in self.archive.events():
            self.kinds[kind] += 1
            self.location, self.time = location, event.time
            self.charge()
            if kind not in STATED + LOCKS + ("Enter", "Leave") and not self.is_operation(kind):
                self.note_point(kind, event)
            getattr(self, kind, lambda _: None)(event)
            if kind in STATED and event.attributes:
                self.note_point(kind, event)
        self.finish()
        self.archive.close()

    # times and names

    def ns(self, ticks):
        if ticks is None:
            return None
        return self.span(max(ticks - self.clock.global_offset, 0))

    def span(self, ticks):
        return ticks * 10**9 // self.clock.timer_resolution

    def region(self, one):
        return one and (one.location, self.ns(one.begin), one.name)

    def task(self, one):
        """None: a device has none."""
        if one is None or one.kind == "initial":
            return ("initial", one.location) if one and self.is_thread(one.location) else None
        if one.kind == "implicit":
            return "implicit", one.location, self.ns(one.begin)
        return "explicit", *(one.create and (one.create[0], self.ns(one.create[1])) or (None, None))

    def team(self, one):
        return one and tuple(sorted((location, self.ns(begin)) for location, begin in one.members))

    def is_thread(self, location):
        return self.archive.locations[location].type == "CPU_THREAD"

    # what is open

    def level(self):
        if self.location not in self.levels:
            self.levels[self.location] = [Level(Task("initial", self.location, self.time))]
            self.first[self.location] = self.time
        return self.levels[self.location][-1]

    def current(self):
        level = self.level()
        return level.running or level.implicit

    def around(self):
        level = self.level()
        stack = self.current().stack or level.implicit.stack
        return stack[-1] if stack else level.around

    def charge(self):
        stack = self.current().stack
        if stack:
            stack[-1].ticks += self.time - self.last.get(self.location, self.time)
        self.last[self.location] = self.time

    # regions

    def Enter(self, event):     # pylint: disable=invalid-name
        task, level = self.current(), self.level()
        below = sum(len(one.implicit.stack) + (len(one.running.stack) if one.running else 0)
                    for one in self.levels[self.location])
        one = Open(self.location, event, self.around(), below, task, level.team)
        if task.region is None and task.kind != "initial" and (
                task.kind == "implicit" or one.construct in ("task", "task untied")):
            task.region = event.region.name
        if level.team and level.team.region is None and task.kind == "implicit":
            level.team.region = event.region.name
        self.note_dependence(one)
        self.note_site(event)
        task.stack.append(one)

    def note_site(self, event):
        """A call of MPI has a name for each of its places."""
        for attribute, place in (event.attributes or {}).items():
            if attribute.name == "call site" and not event.region.source_file:
                self.sites.add((event.region, place.file, place.line_number))

    def Leave(self, event):     # pylint: disable=invalid-name
        one = self.current().stack.pop()
        assert one.name == event.region.name, (one.name, event.region.name)
        one.args.update(arguments(event))
        one.task.has_left |= one.construct in ("task", "task untied")
        self.note_region(one)

    def note_region(self, one):
        where = self.region(one.parent), self.task(one.task), one.team
        text = one.args.get("message", one.args.get("error message"))
        word = (one.construct or "").split(" ")[0]
        if "message" in one.args or one.construct in POINTS or word in ("depend", "doacross"):
            kind = "message" if "message" in one.args else one.construct
            self.tables["points"].append((one.location, self.ns(one.begin), kind, one.name, text, *where,
                                          one.args))
            return
        self.tables["regions"].append((one.location, one.name, self.ns(one.begin), self.ns(self.time),
                                       self.span(one.ticks), *where[:1], one.depth, *where[1:], one.args))
        self.note_meanings(one, where)

    def note_meanings(self, one, where):
        if one.construct in WAITS:
            self.tables["waits"].append((one.location, WAITS[one.construct], one.name, self.region(one), None,
                                         *where[1:], self.ns(one.begin), self.ns(self.time), self.span(one.ticks)))
        if "chunk start" in one.args and "doacross" not in one.name or "chunk size" in one.args:
            self.tables["chunks"].append((*self.region(one), where[0], one.args.get("chunk start"),
                                          one.args.get("chunk size"), *where[1:], self.ns(self.time)))
        if self.archive.locations[one.location].type == "ACCELERATOR_STREAM" and one.construct == "target kernel":
            self.tables["kernels"].append((*self.region(one), one.args.get("requested teams"),
                                           one.args.get("granted teams"), self.ns(self.time)))

    def note_point(self, kind, event):
        if kind not in ("Metric", "CallingContextSample"):
            self.tables["points"].append((self.location, self.ns(self.time), kind, None, None,
                                          self.region(self.around()), self.task(self.current()), self.level().team,
                                          None))

    # teams

    def ThreadFork(self, event):    # pylint: disable=invalid-name
        self.forks[self.location] = event, self.current(), self.level().team

    def ThreadJoin(self, _):        # pylint: disable=invalid-name
        self.forks.pop(self.location, None)

    def ThreadTeamBegin(self, event):   # pylint: disable=invalid-name
        comm = event.thread_team
        team = self.live_teams.get(comm._ref)
        if team is None or any(location == self.location for location, _ in team.members):
            team = self.live_teams[comm._ref] = Team(self.archive.comms.get(comm._ref))
            team.begin = team.fork = self.time
            self.teams.append(team)
        fork = self.forks.pop(self.location, None) if team.primary is None else None
        if fork:
            team.requested, team.primary = fork[0].number_of_requested_threads, self.location
            team.fork, team.creator, team.parent = fork[0].time, fork[1], fork[2]
        team.members.append((self.location, self.time))
        team.open += 1
        around, level = self.around(), self.level()     # pylint: disable=unused-variable
        self.levels[self.location].append(Level(Task("implicit", self.location, self.time, team), team, around))

    def ThreadTeamEnd(self, _):     # pylint: disable=invalid-name
        level = self.levels[self.location].pop()
        level.implicit.end, level.team.end = self.time, self.time
        level.team.open -= 1
        if level.team.open == 0:
            self.live_teams = {ref: team for ref, team in self.live_teams.items() if team is not level.team}
        self.by_creation.append(level.implicit)

    # tasks

    @staticmethod
    def key(event):
        return event.thread_team and event.thread_team._ref, event.creating_thread, event.generation_number

    def ThreadTaskCreate(self, event):      # pylint: disable=invalid-name
        inner = self.around()
        task = self.tasks[self.key(event)] = Task("explicit", self.location, None, self.level().team, self.current())
        task.create, task.create_region = (self.location, self.time), inner
        self.created[self.location] = task
        self.by_creation.append(task)

    def stop(self):
        level = self.level()
        if level.running:
            task = level.running
            task.run += self.time - task.piece
            self.tables["task_slices"].append((self.task(task), self.location, self.ns(task.piece), self.ns(self.time)))
        level.running = None

    def ThreadTaskSwitch(self, event):      # pylint: disable=invalid-name
        """Some writers know no Complete: what is left when its region is over is complete."""
        before = self.level().running
        if before and before.has_left and not before.stack:
            before.end = self.time
        self.stop()
        if not event.generation_number:
            return
        task = self.level().running = self.tasks[self.key(event)]
        task.piece, task.pieces = self.time, task.pieces + 1
        if task.begin is None:
            task.begin, task.first = self.time, self.location
        elif task.last != self.location:
            task.migrations += 1
        task.last = self.location

    def ThreadTaskComplete(self, event):    # pylint: disable=invalid-name
        task = self.tasks.pop(self.key(event))
        if self.level().running is task:
            self.stop()
        task.end, task.is_taskwait = self.time, arguments(event).get("prior_task_status") == "taskwait_complete"

    # dependences: each task follows the last set of tasks on the variable that it is not part of

    def note_dependence(self, one):
        word, _, kind = (one.construct or "").partition(" ")
        task = self.created.get(self.location)
        if word != "depend" or kind not in ORDERING or task is None:
            return
        kind, address = "out" if kind == "inout" else kind, one.args["dependence address"]
        known = self.variables.setdefault((task.parent, address), [None, [], []])
        if known[0] != kind or kind == "out":
            known[:] = [kind, [], known[1] or known[2]]
        if task not in known[1]:
            for before in known[2]:
                if before is not task:
                    self.tables["dependences"].append((self.task(before), self.task(task), address))
            known[1].append(task)

    # locks

    def lock(self, number):
        return self.archive.locations[self.location].process, number

    def ThreadAcquireLock(self, event):     # pylint: disable=invalid-name
        stack, lock = self.current().stack, self.lock(event.lock_id)
        inner = stack[-1] if stack else None
        is_mutex = inner is not None and inner.construct in MUTEXES
        expected = inner.begin if is_mutex else self.time
        if lock not in self.known_locks:
            self.known_locks[lock] = inner and inner.construct, arguments(event).get("lock address")
        if self.time > expected:
            around = self.around()
            self.tables["waits"].append((self.location, "lock wait", inner.name, self.region(around), lock,
                                         self.task(self.current()), self.level().team, self.ns(expected),
                                         self.ns(self.time), self.span(self.time - expected)))
        self.held[lock, event.acquisition_order] = (self.location, self.task(self.current()), inner and inner.name,
                                                    self.ns(expected), self.ns(self.time))

    def ThreadReleaseLock(self, event):     # pylint: disable=invalid-name
        lock, order = self.lock(event.lock_id), event.acquisition_order
        is_added = "added by the writer" in arguments(event)
        end = (None, None) if is_added else (self.ns(self.time), self.location)
        self.tables["lock_acquisitions"].append((lock, order, *self.held.pop((lock, order)), *end))

    # operations

    def is_operation(self, kind):
        return kind.startswith(("RmaPut", "RmaGet", "RmaAtomic", "RmaOpComplete", "IoOperation", "MpiCollective",
                                "NonBlockingCollective")) and kind not in ("IoOperationTest", "IoOperationIssued")

    def begin_operation(self, event, space, thing):
        self.operations[self.location, space, thing, event.matching_id] = event, self.time, arguments(event)

    def end_operation(self, event, space, thing):
        return self.operations.pop((self.location, space, thing, event.matching_id), None)

    def note_rma(self, started, end):
        event, time, args = started
        kind = type(event).__name__
        if self.archive.locations[self.location].type == "ACCELERATOR_STREAM" and kind != "RmaAtomic":
            self.tables["transfers"].append((self.location, "to device" if kind == "RmaGet" else "from device",
                                             event.bytes, event.matching_id, self.ns(time), self.ns(end), args))
            return
        is_atomic = kind == "RmaAtomic"
        self.tables["rma"].append((self.location, kind[3:].lower(), event.win._ref, event.win.name or None,
                                   event.remote, event.bytes_sent if is_atomic else event.bytes,
                                   event.bytes_received if is_atomic else None, self.ns(time), self.ns(end),
                                   event.type.value if is_atomic else None, args))

    def RmaPut(self, event):        # pylint: disable=invalid-name
        self.begin_operation(event, "rma", event.win._ref)

    RmaGet = RmaAtomic = RmaPut

    def RmaOpCompleteBlocking(self, event):     # pylint: disable=invalid-name
        started = self.end_operation(event, "rma", event.win._ref)
        if started is None:
            self.note_point(type(event).__name__, event)
            return
        started[2].update(arguments(event))
        self.note_rma(started, self.time)

    RmaOpCompleteNonBlocking = RmaOpCompleteRemote = RmaOpCompleteBlocking

    def IoOperationBegin(self, event):          # pylint: disable=invalid-name
        self.begin_operation(event, "io", event.handle._ref)

    def IoOperationComplete(self, event):       # pylint: disable=invalid-name
        started, time, args = self.end_operation(event, "io", event.handle._ref)
        args.update(arguments(event))
        self.tables["io"].append((self.location, enum_name(started.mode).lower(), started.handle._ref,
                                  started.bytes_request, event.bytes_result, self.ns(time), self.ns(self.time),
                                  started.operation_flags.value, args))

    # MPI

    def MpiCollectiveBegin(self, _):            # pylint: disable=invalid-name
        self.collectives[self.location] = self.time, self.around()

    def note_collective(self, event, begin):
        group = self.archive.locations[self.location].process
        root = event.root if event.root < 2**32 - 3 else None
        self.tables["collectives"].append((
            self.location, group, self.around().name, event.communicator._ref, event.communicator.name or None,
            root, event.size_sent, event.size_received, self.ns(begin), self.ns(self.time), event.collective_op.value))

    def MpiCollectiveEnd(self, event):          # pylint: disable=invalid-name
        self.note_collective(event, self.collectives.pop(self.location, (None,))[0])

    def NonBlockingCollectiveRequest(self, event):      # pylint: disable=invalid-name
        self.collectives[self.location, event.request_id] = self.time, self.around()

    def NonBlockingCollectiveComplete(self, event):     # pylint: disable=invalid-name
        self.note_collective(event, self.collectives.pop((self.location, event.request_id), (None,))[0])

    def rank(self, comm):
        process = self.archive.locations[self.location].process
        members = self.archive.comms[comm._ref].members
        return next(rank for rank, one in enumerate(members)
                    if one is not None and self.archive.locations[one].process == process)

    # messages: [location, begin, end, bytes], in the order in which each side begins them

    def note_send(self, event, request):
        key = event.communicator._ref, self.rank(event.communicator), event.receiver, event.msg_tag
        self.sends[key].append([self.location, self.time, None, event.msg_length])
        if request is not None:
            self.requests[self.location, request] = self.sends[key][-1]

    def begin_of_call(self):
        inner = self.around()
        return inner.begin if inner else self.time

    def MpiSend(self, event):       # pylint: disable=invalid-name
        self.note_send(event, None)

    def MpiIsend(self, event):      # pylint: disable=invalid-name
        self.note_send(event, event.request_id)

    def MpiIsendComplete(self, event):      # pylint: disable=invalid-name
        send = self.requests.pop((self.location, event.request_id), None)
        if send:
            send[2] = self.time

    def MpiIrecvRequest(self, event):       # pylint: disable=invalid-name
        self.requests[self.location, event.request_id] = len(self.order), self.time
        self.order.append(None)

    def MpiRecv(self, event):       # pylint: disable=invalid-name
        self.order.append(self.received(event, self.begin_of_call()))

    def MpiIrecv(self, event):      # pylint: disable=invalid-name
        place, begin = self.requests.pop((self.location, event.request_id))
        self.order[place] = self.received(event, begin)

    def received(self, event, begin):
        """What came first was requested first: the order of requests, not of their ends."""
        key = event.communicator._ref, event.sender, self.rank(event.communicator), event.msg_tag
        return key, [self.location, begin, self.time, event.msg_length]

    def finish_messages(self):
        receives = collections.defaultdict(list)
        for key, receive in filter(None, self.order):
            receives[key].append(receive)
        for key in {**self.sends, **receives}:
            for send, receive in itertools.zip_longest(self.sends.get(key, []), receives[key]):
                ends = [(one[0], self.ns(one[1]), self.ns(one[2])) if one else (None, None, None)
                        for one in (send, receive)]
                self.tables["messages"].append((key[0], self.archive.comms[key[0]].name or None, *key[1:],
                                                (send or receive)[3], *ends[0], *ends[1]))

    # values and samples

    def Metric(self, event):        # pylint: disable=invalid-name
        for member, value in zip(event.metric.members, event.values):
            if member.name in ("run state", "run processor"):
                self.note_state(member.name, value)
            else:
                self.tables["counter_values"].append((self.location, self.ns(self.time), member.name, value))

    def note_state(self, what, value):
        since, state, processor = self.states.get(self.location, (None, None, None))
        if since is not None and self.ns(since) < self.ns(self.time) or since is not None and since < self.time:
            self.tables["run_states"].append((self.location, state, processor, self.ns(since), self.ns(self.time)))
        if what == "run state":
            state = STATES.get(value)
        else:
            processor = value if value < 2**63 else None
        self.states[self.location] = self.time, state, processor

    def frame(self, context):
        """The stack, innermost first."""
        found = []
        while context is not None:
            place = context.source_code_location
            found.append((context.region.name, place and place.file, place and place.line_number))
            context = context.parent
        return tuple(found)

    def CallingContextSample(self, event):      # pylint: disable=invalid-name
        args, context = arguments(event), event.calling_context
        lock = args.get("wait lock")
        lock = self.lock(lock) if lock is not None and self.lock(lock) in self.known_locks else None
        self.tables["samples"].append((
            self.location, self.ns(self.time), self.frame(context), context and context.region.name,
            args.get("thread state"), lock, args.get("sample processor"), args.get("missed samples"),
            args.get("wait id")))

    # the end, and what is defined

    def finish(self):
        for (location, *_, ), (event, time, args) in self.operations.items():
            self.location = location
            if type(event).__name__ != "IoOperationBegin":
                self.note_rma((event, time, args), None)
        for (lock, order), hold in self.held.items():
            self.tables["lock_acquisitions"].append((lock, order, *hold, None, None))
        for location, (since, state, processor) in self.states.items():
            self.tables["run_states"].append((location, state, processor, self.ns(since), None))
        self.tables["locks"] = [(*lock, kind, address) for lock, (kind, address) in self.known_locks.items()]
        self.finish_messages()
        self.finish_tasks()
        self.define()

    def finish_tasks(self):
        for team in self.teams:
            self.tables["teams"].append((self.team(team), team.region, team.size, team.requested, team.primary,
                                         self.team(team.parent), self.task(team.creator),
                                         self.ns(team.fork) if team.primary is not None else None, self.ns(team.begin),
                                         self.ns(team.end)))
        for task in self.by_creation:
            (self.finish_implicit if task.kind == "implicit" else self.finish_explicit)(task)
        for location, levels in self.levels.items():
            if len(levels) == 1 and self.is_thread(location):
                self.tables["tasks"].append((("initial", location), "initial", None, None, None, location, location,
                                             self.ns(self.first[location]), self.ns(self.last[location]), None, None,
                                             None, None))
        for table, position in (("regions", 8), ("points", 7), ("waits", 6), ("chunks", 7)):
            self.tables[table] = [row[:position] + (self.team(row[position]),) + row[position + 1:]
                                  for row in self.tables[table]]

    def finish_implicit(self, task):
        self.tables["tasks"].append((self.task(task), "implicit", task.region, self.team(task.team),
                                     self.task(task.team.creator), task.location, task.location,
                                     self.ns(task.begin),
                                     self.ns(task.end), None, None, None, None))

    def finish_explicit(self, task):
        run = suspended = None
        if task.begin is not None and task.end is not None:
            run, suspended = self.span(task.run), self.span(task.end - task.begin - task.run)
        self.tables["tasks"].append((
            self.task(task), "taskwait" if task.is_taskwait else "explicit", task.region or task.create_region.name,
            self.team(task.team), self.task(task.parent), task.first, task.last, self.ns(task.begin), self.ns(task.end),
            run, suspended, task.pieces or None, task.migrations if task.pieces else None))

    def define(self):
        archive, definitions = self.archive, self.archive.definitions
        lost = sum(int(archive.properties.get("STAVE::" + name, 0))
                   for name in ("LOST_EVENTS", "LOST::DAMAGED_RECORDS", "LOST::REFUSED_EVENTS"))
        self.tables["runs"] = [(archive.properties.get("STAVE::PROGRAM"), self.span(self.clock.trace_length) or None,
                                sum(self.kinds.values()), lost)]
        self.tables["properties"] = [("archive", None, *pair) for pair in archive.properties.items()]
        for owner, registry, of in (("thread", definitions.location_properties, lambda row: row.location._ref),
                                    ("process", definitions.location_group_properties,
                                     lambda row: row.location_group.name),
                                    ("node", definitions.system_tree_node_properties,
                                     lambda row: row.system_tree_node._ref)):
            self.tables["properties"] += [(owner, of(row), row.name, str(row.value)) for row in registry if row]
        self.tables["processes"] = [
            (group.name, "process" if enum_name(group.location_group_type) == "PROCESS" else "device",
             group.system_tree_parent.name) for group in definitions.location_groups if group]
        kinds = {"ACCELERATOR_STREAM": "device", "METRIC": "metric"}
        several = len({one.name for one in archive.locations.values()}) < len(archive.locations)
        self.tables["threads"] = [
            (one.location, f"{one.process}: {one.name}" if several else one.name, kinds.get(one.type, "thread"),
             one.events, one.group) for one in archive.locations.values()]
        self.define_names(definitions)

    def define_names(self, definitions):
        places = [(one, one.source_file or None, one.begin_line_number) for one in definitions.regions if one]
        self.tables["region_names"] = [
            (one.name, None if one.name in OWN else construct_of(one.name), line or None, one.end_line_number or None,
             one.canonical_name or None, one.description or None, file) for one, file, line in [*places, *self.sites]]
        self.tables["counters"] = [(one.name, one.unit or None, one.description or None)
                                   for one in definitions.metric_members if one]
        self.tables["sample_frames"] = [(self.frame(one),) for one in definitions.calling_contexts if one]


def as_text(row):
    return json.dumps(row, sort_keys=True, default=str)


def differences(archive, connection):
    """Lines: of each table what only one of them has."""
    expected, tables, lines = Truth(archive).tables, table_rows.Tables(connection), []
    for name in table_rows.QUERIES:
        found, truth = (collections.Counter(map(as_text, rows)) for rows in (tables.table(name), expected[name]))
        for sign, rows in (("+", found - truth), ("-", truth - found)):
            lines += [f"{sign} {name} {row}" for row in sorted(rows)]
    return lines
