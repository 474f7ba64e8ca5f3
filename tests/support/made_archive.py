"""Archives made by hand: what a runtime or program that breaks a rule would have left.

    with Made(path, threads=2) as made:
        made.create(0, 1, line=5)          # thread 0 creates its task 1
        made.start(1, 0, 1, line=5)        # thread 1 begins it
        made.end(1, 0, 1, line=5)

Around a test's events there is one parallel region of all threads, in Stave's conventions. Time goes on by 10 us with
each call.
"""
import re
import struct

import _otf2
import otf2
from otf2.enums import GroupType, Paradigm, RegionRole, Type

STEP_US = 10
ROLES = {
    "parallel": "PARALLEL", "implicit barrier": "IMPLICIT_BARRIER", "barrier": "BARRIER", "taskgroup": "BARRIER",
    "taskwait": "TASK_WAIT", "taskwait depend": "TASK_WAIT", "for": "LOOP", "sections": "SECTIONS",
    "single": "SINGLE", "single sblock": "SINGLE_SBLOCK", "task": "TASK", "task untied": "TASK_UNTIED",
    "create task": "TASK_CREATE", "critical": "CRITICAL", "critical sblock": "CRITICAL_SBLOCK", "ordered": "ORDERED",
    "atomic": "ATOMIC", "flush": "FLUSH", "masked": "MASTER", "lost events": "ARTIFICIAL"}
STRINGS = ("prior_task_status", "error message", "host memory")


class Made:
    def __init__(self, path, threads=2, source="made.c", region=True, properties=(), processes=1,
                 ticks_per_us=1, others=(), folder="/src"):
        """The threads belong to the processes in turn: those of the first, then those of the next. Others, by their
        names, are in none of the teams."""
        self.trace = otf2.writer.Writer(str(path), timer_resolution=1000000 * ticks_per_us)
        self.definitions, self.source, self.has_region = self.trace.definitions, source, region
        self.folder = folder
        self.properties, self.ticks_per_us = list(properties), ticks_per_us
        self.now, self.attributes, self.writers = 1000, {}, []
        node = self.definitions.system_tree_node("node")
        groups = [self.definitions.location_group(f"Process {i}" if i else "Process", system_tree_parent=node)
                  for i in range(processes)]
        names = ["Master thread", *(f"OMP thread {i}" for i in range(1, threads)), *others]
        owners = [groups[i * processes // threads] for i in range(threads)] + [groups[0]] * len(others)
        for name, group in zip(names, owners):
            self.writers.append(self.trace.event_writer(name, group=group))
        locations = tuple(self.definitions.location(name, group=group) for name, group in zip(names, owners))
        self.locations = locations
        self.definitions.group("OpenMP", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, members=locations)
        self.team = self.first_team = self.new_team("team", range(threads))

    def new_team(self, name, threads, parent=None):
        members = tuple(self.locations[i] for i in threads)
        return self.definitions.comm(name, self.definitions.group(
            name, GroupType.COMM_GROUP, Paradigm.OPENMP, members=members), parent)

    def no_team(self):
        """In place of OTF2_UNDEFINED_COMM."""
        return type("Undefined", (), {"_ref": 2**32 - 1})()

    def __enter__(self):
        if self.has_region:
            self.event(0, "thread_fork", Paradigm.OPENMP, len(self.writers))
            for i in range(len(self.writers)):
                self.begin_team(i)
        return self

    def __exit__(self, *what):
        if self.has_region:
            for i in reversed(range(len(self.writers))):
                self.leave_team(i)
            self.event(0, "thread_join", Paradigm.OPENMP)
        for name, value in self.properties:
            _otf2.Archive_SetProperty(self.trace._handle, name, value, True)
        self.trace.close()

    # events as OTF2 has them; without `step` at the time of the one before

    def event(self, thread, name, *arguments, attributes=None, step=True):
        self.now += STEP_US if step else 0
        getattr(self.writers[thread], name)(self.now, *arguments, attributes=self.named(attributes or {}) or None)

    def named(self, attributes):
        return {self.attribute(name): value for name, value in attributes.items()}

    def attribute(self, name):
        return self.definitions.attribute(name, "", Type.STRING if name in STRINGS else Type.UINT64)

    def region(self, construct, line=0, description=""):
        role, name = getattr(RegionRole, ROLES.get(construct, "CODE")), "!$omp " + construct
        if construct.startswith("omp_"):
            role, name = RegionRole.WRAPPER, construct
        elif role == RegionRole.ARTIFICIAL:
            name = construct
        name += f" @{self.source}:{line}" if line else ""
        file = f"{self.folder}/{self.source}" if line else ""
        return self.definitions.region(name, name, description, role, Paradigm.OPENMP, source_file=file,
                                       begin_line_number=line)

    def enter(self, thread, construct, line=0, description="", attributes=None, step=True):
        self.event(thread, "enter", self.region(construct, line, description), attributes=attributes, step=step)

    def leave(self, thread, construct, line=0, description="", step=True):
        self.event(thread, "leave", self.region(construct, line, description), step=step)

    def point(self, thread, construct, line=0, attributes=None):
        self.enter(thread, construct, line, attributes=attributes)
        self.leave(thread, construct, line, step=False)

    def run_state(self, thread):
        """What Stave writes where the kernel reports that a thread was taken from its processor."""
        mark = self.definitions.region("run state", "run state", "", RegionRole.ARTIFICIAL,
                                       Paradigm.MEASUREMENT_SYSTEM)
        self.event(thread, "enter", mark)
        self.event(thread, "leave", mark, step=False)

    # teams

    def begin_team(self, thread, line=1):
        self.event(thread, "thread_team_begin", self.team)
        self.enter(thread, "parallel", line, step=False)

    def leave_team(self, thread, line=1):
        self.enter(thread, "implicit barrier", line)
        self.leave(thread, "implicit barrier", line)
        self.leave(thread, "parallel", line)
        self.event(thread, "thread_team_end", self.team, step=False)

    # tasks: `creator` and `task` are OTF2's creating thread and generation

    def create(self, thread, task, line=0, flags="", depend=(), function="main"):
        """depend: (kind, address) of each dependence."""
        description = ", ".join(part for part in (function, flags) if part)
        self.enter(thread, "create task", line, description)
        self.event(thread, "thread_task_create", self.team, thread, task, step=False)
        self.leave(thread, "create task", line, description, step=False)
        for kind, address in depend:
            self.point(thread, "depend " + kind, line, {"dependence address": address})

    def switch(self, thread, creator, task, step=True, status=None):
        self.event(thread, "thread_task_switch", self.team, creator, task, step=step,
                   attributes={"prior_task_status": status} if status else None)

    def start(self, thread, creator, task, line=0, untied=False):
        self.switch(thread, creator, task)
        self.enter(thread, "task untied" if untied else "task", line, step=False)

    def end(self, thread, creator, task, line=0, untied=False, back=True):
        self.leave(thread, "task untied" if untied else "task", line)
        self.complete(thread, creator, task, step=False)
        if back:
            self.switch(thread, thread, 0, step=False)

    def complete(self, thread, creator, task, step=True):
        self.event(thread, "thread_task_complete", self.team, creator, task, step=step)

    def run(self, thread, creator, task, line=0):
        self.start(thread, creator, task, line)
        self.end(thread, creator, task, line)

    # locks

    def lock(self, thread, lock, order, line=0):
        self.enter(thread, "omp_set_lock", line)
        self.event(thread, "thread_acquire_lock", Paradigm.OPENMP, lock, order)
        self.leave(thread, "omp_set_lock", line, step=False)

    def unlock(self, thread, lock, order, line=0):
        self.enter(thread, "omp_unset_lock", line)
        self.event(thread, "thread_release_lock", Paradigm.OPENMP, lock, order, step=False)
        self.leave(thread, "omp_unset_lock", line, step=False)

    def enter_critical(self, thread, lock, order, line=0):
        self.enter(thread, "critical", line)
        self.event(thread, "thread_acquire_lock", Paradigm.OPENMP, lock, order)
        self.enter(thread, "critical sblock", line, step=False)

    def leave_critical(self, thread, lock, order, line=0):
        self.leave(thread, "critical sblock", line)
        self.event(thread, "thread_release_lock", Paradigm.OPENMP, lock, order, step=False)
        self.leave(thread, "critical", line, step=False)


def replace_bytes(path, old, new):
    """In the definitions, where a name can then hold bytes that python3-otf2 would refuse. Of one length."""
    assert len(old) == len(new)
    for name in ("traces.def", "traces.otf2"):
        with open(f"{path}/{name}", "rb") as file:
            text = file.read()
        with open(f"{path}/{name}", "wb") as file:
            file.write(text.replace(old, new))


def define_again(path, location, other):
    """The definition of another location becomes one more of this one. Both numbers are from 1 to 255."""
    name = f"{path}/traces.def"
    with open(name, "rb") as file:
        data = file.read()
    # The record: its kind, how many bytes follow, the number of bytes of the location's number, that number.
    places = [found.start() + 3 for found in re.finditer(rb"\x0e[\x05-\x20]\x01" + re.escape(bytes([other])), data)]
    assert len(places) == 1, places
    with open(name, "wb") as file:
        file.write(data[:places[0]] + bytes([location]) + data[places[0] + 1:])


def set_time(path, location, index, time):
    """Changes a location's time stamp by its number, from 0: time goes backwards, which OTF2 itself does not write.
    Events of one time share a stamp; times have to be below 65536."""
    name = f"{path}/traces/{location}.evt"
    with open(name, "rb") as file:
        data = file.read()
    stamps = [found.start() + 1 for found in re.finditer(rb"\x05[\x00-\xff]{2}\x00{6}", data)]
    with open(name, "wb") as file:
        file.write(data[:stamps[index]] + struct.pack("<Q", time) + data[stamps[index] + 8:])
