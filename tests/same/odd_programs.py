"""Recordings of programs made by chance: threads that come, go and come late, teams in teams, tasks that begin on
one thread and go on on another; with odd records as in odd_recordings.py, events that were dropped, waits for room.

Each thread, member of a team and task is a generator: between two steps other threads go on."""
import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import odd_constructs
import odd_recordings
import ompt

INITIAL_THREAD, WORKER = ompt.values("THREAD", "initial", "worker")
INITIAL, IMPLICIT = ompt.values("TASK", "initial", "implicit")
INVOKED, LEAGUE, TEAM = ompt.values("PARALLEL", "invoker_program", "league", "team")
END = ompt.VALUES["SCOPE", "end"]
SWITCH, CANCELLED, DETACHED = ompt.values("TASK_STATUS", "switch", "cancel", "detach")
COMPLETE, YIELDED = ompt.values("TASK_STATUS", "complete", "yield")
NO_ID, DROPPED_ID = "0:0", 1 << 39
PATIENCE = 300      # steps that a thread waits for others before it goes on without
TEAMS_MOST = 3
ODD_STEPS = ("missing", "missing", "missing", "changed", "changed", "twice", "elsewhere", "unrelated")


class Team:
    def __init__(self, region, size):
        self.id, self.size = region, size
        self.ready, self.detached = [], []  # tasks that nobody runs; that are complete but for an event
        self.arrived = self.unfinished = 0  # members at the last barrier; tasks
        self.is_over = False


class Task:
    def __init__(self, number, team, ring, level=0, teams=0):
        self.id, self.team, self.ring, self.level, self.teams = number, team, ring, level, teams
        self.steps, self.is_untied = None, False


class Thread:
    def __init__(self, ring, kind):
        self.ring, self.kind, self.steps, self.job, self.late = ring, kind, None, None, []
        self.running, self.depth = None, 0      # a task, in front of so many others
        self.is_idle = kind == WORKER


class OddProgram(odd_constructs.Constructs, odd_recordings.Rings):
    def __init__(self, seed, odd):
        super().__init__(seed, odd)
        pick = self.random.choice
        self.threads, self.free_rings, self.rings, self.last_ring = [], [], 0, 0
        self.threads_most = 200 if self.random.random() < 0.02 else pick((1, 2, 3, 4, 8, 8, 8, 40))
        self.is_ending, self.kernel_tids = False, 100
        self.gaps, self.stalls = pick((0, 0, 0, 0.001, 0.02)), pick((0, 0, 0.001, 0.02))
        self.depth_most = pick((2, 6, 20))
        self.lateness, self.leaving = pick((0, 0.5, 1)), pick((0, 0, 0.002))
        self.ids = collections.deque([NO_ID], 64)
        self.lost, self.lost_ids = {}, 0        # by ring: [how many are still to be dropped, since when, so far]
        self.choose_constructs()

    # Records

    def record(self, ring, name, endpoint=0, flags=0, words=(), **fields):
        """An odd one may come in its place. Returns its id."""
        self.now += self.random.choice((ring != self.last_ring, 1, 1, 3, 20, 500))
        self.last_ring = ring
        if self.random.random() < self.gaps:
            self.lost.setdefault(ring, [self.random.choice((1, 2, 5, 40)), self.now, 0])
        if ring in self.lost and self.is_dropped(ring):
            return self.dropped_id(ring)
        if self.random.random() < self.stalls:
            self.put(ring, "stall", f"begin={self.now - self.random.randrange(30)}")
        is_odd = self.random.random() < self.odd
        found = getattr(self, self.random.choice(ODD_STEPS) if is_odd else "as_is")(
            ring, name, dict(endpoint=endpoint, flags=flags, words=words, fields=fields))
        self.ids.append(found)
        return found

    def is_dropped(self, ring):
        left, begin, lost = self.lost[ring]
        if left > 0:
            self.lost[ring] = [left - 1, begin, lost + 1]
            return True
        self.put(ring, "gap", f"begin={begin} lost={lost}")
        del self.lost[ring]
        return False

    def dropped_id(self, ring):
        self.lost_ids += 1
        return f"{ring}:{DROPPED_ID + self.lost_ids}"

    def as_is(self, ring, name, rest):
        fields = " ".join(f"{field}={value}" for field, value in rest["fields"].items())
        return self.put(ring, name, fields, rest["endpoint"], rest["flags"], rest["words"])

    # Odd ones

    def missing(self, ring, name, rest):
        del name, rest
        return self.dropped_id(ring)

    def twice(self, ring, name, rest):
        self.as_is(ring, name, rest)
        return self.as_is(ring, name, rest)

    def elsewhere(self, ring, name, rest):
        return self.as_is(self.random.choice(self.threads).ring if self.threads else ring, name, rest)

    def changed_value(self, value):
        if isinstance(value, str):
            return self.random.choice(self.ids)
        return self.random.choice((0, 1, self.random.randrange(12), value ^ 1 << self.random.randrange(32)))

    def changed(self, ring, name, rest):
        names = [*rest["fields"], "endpoint", "flags"]
        field = self.random.choice(names)
        place = rest if field in ("endpoint", "flags") else rest["fields"]
        place[field] = self.changed_value(place[field]) & 0xff if place is rest else self.changed_value(place[field])
        return self.as_is(ring, name, rest)

    def unrelated(self, ring, name, rest):
        """Of any kind, in front of it."""
        kind, fields = self.random.choice(odd_constructs.ANY)
        values = {field: self.changed_value(NO_ID if field in odd_constructs.IDS else 0) for field in fields}
        endpoint, flags = self.random.choice((0, 1, 1, 2, 2, 3)), self.random.choice((0, 0, 1, 5))
        self.as_is(ring, kind, dict(endpoint=endpoint, flags=flags, words=(), fields=values))
        return self.as_is(ring, name, rest)

    # Threads

    def begin_thread(self, kind):
        if self.free_rings and self.random.random() < 0.8:
            ring = self.free_rings.pop()
        else:
            ring, self.rings = self.rings, self.rings + 1
        thread = Thread(ring, kind)
        self.threads.append(thread)
        thread.steps = self.live(thread)
        return thread

    def live(self, thread):
        ring, task = thread.ring, Task(NO_ID, Team(NO_ID, 1), thread.ring)
        self.kernel_tids += 1
        self.lost.pop(ring, None)
        self.now += 1
        self.put(ring, "attach", f"kernel_tid={self.kernel_tids}")
        self.record(ring, "thread_begin", thread_type=thread.kind)
        thread.running = task
        yield
        if thread.kind == INITIAL_THREAD:
            yield from self.run_program(task)
        else:
            yield from self.work_in_teams(thread)
        self.record(ring, "thread_end")
        self.threads.remove(thread)
        self.free_rings.append(ring)

    def run_program(self, task):
        self.record(task.ring, "implicit_task_begin", parallel=NO_ID, actual_and_index=1 | 1 << 32, task_flags=INITIAL)
        while not self.is_ending:
            yield from self.construct(task)
            yield
        self.record(task.ring, "implicit_task_end", END, index=1, task_flags=INITIAL)

    def work_in_teams(self, thread):
        while not self.is_ending or thread.job:
            yield
            if thread.late and (thread.job or self.random.random() < 0.01):
                self.report_late(thread)
            if thread.job:
                steps, thread.job = thread.job, None
                yield from steps
                thread.is_idle = True
            elif self.random.random() < self.leaving:
                break
        thread.is_idle = False
        self.report_late(thread)

    def report_late(self, thread):
        for name, endpoint, fields in thread.late:
            self.record(thread.ring, name, endpoint, **fields)
        thread.late = []

    def claim(self, count):
        """Threads for a team, as many as there are."""
        found = [thread for thread in self.threads if thread.is_idle and not thread.job][:count]
        while len(found) < count and len(self.threads) < self.threads_most:
            found.append(self.begin_thread(WORKER))
        for thread in found:
            thread.is_idle = False
        return found

    def thread_of(self, task):
        return next(thread for thread in self.threads if thread.ring == task.ring)

    # Teams

    def parallel(self, task):
        if task.teams == TEAMS_MOST:
            return
        ring, code, is_league = task.ring, self.code(), self.random.random() < 0.03
        workers = [] if is_league else self.claim(self.random.choice((0, 0, 1, 1, 2, 3, 7, self.threads_most)))
        flags = INVOKED | (LEAGUE if is_league else TEAM)
        callers = [0x401000, 0x402000, 0, 0] if self.random.random() < self.callers else ()
        requested = len(workers) + self.random.choice((1, 1, 5))
        region = self.record(ring, "parallel_begin", flags=int(bool(callers)), words=callers, parallel_flags=flags,
                             codeptr=code, requested=requested)
        team = Team(region, 1 + len(workers))
        for index, worker in enumerate(workers, 1):
            worker.job = self.be_member(team, worker, index, task)
        yield
        yield from self.be_member(team, self.thread_of(task), 0, task, INITIAL if is_league else IMPLICIT)
        self.record(ring, "parallel_end", parallel_flags=flags, codeptr=code)

    def be_member(self, team, thread, index, around, flags=IMPLICIT):
        task = Task(NO_ID, team, thread.ring, around.level + 1, around.teams + 1)
        before, thread.running = thread.running, task
        if self.random.random() < self.placements:
            self.place(task)
        self.record(task.ring, "implicit_task_begin", parallel=team.id, actual_and_index=team.size | index << 32,
                    task_flags=flags)
        yield
        yield from self.body(task)
        ends = yield from self.arrive(task, index, flags)
        thread.running = before
        if index and self.random.random() < self.lateness:
            thread.late = ends
            return
        for name, endpoint, fields in ends:
            self.record(thread.ring, name, endpoint, **fields)

    def arrive(self, task, index, flags):
        """At the last barrier. Returns the records with which the thread leaves it."""
        team, kind = task.team, self.random.choice(odd_constructs.LAST_BARRIERS)
        ends = self.begin_wait(task, kind)
        team.arrived += 1
        if index == 0:
            yield from self.wait_until(task, lambda: team.arrived >= team.size and not team.unfinished)
            team.is_over = True
        else:
            yield from self.wait_until(task, lambda: team.is_over)
        return [*ends, ("implicit_task_end", END, {"index": index, "task_flags": flags})]

    # Tasks

    def wait_until(self, task, is_over):
        for _ in range(PATIENCE):
            if is_over() or self.is_ending:
                return
            if self.random.random() < 0.5:
                yield from self.run_another(task)
            yield

    def run_another(self, task, status=SWITCH):
        ready = task.team.ready
        if ready and self.thread_of(task).depth < self.depth_most:
            yield from self.run_task(task, ready.pop(self.random.randrange(len(ready))), status)

    def schedule(self, before, after, status):
        self.record(before.ring, "task_schedule", prior_task=before.id, next_task=after.id, prior_status=status)

    def run_task(self, current, task, status=SWITCH):
        """In front of the current one."""
        thread = self.thread_of(current)
        self.schedule(current, task, status)
        thread.running, task.ring = task, current.ring
        thread.depth += 1
        is_over, status = yield from self.run_until_it_moves(thread, task)
        thread.depth -= 1
        self.schedule(task, current, status)
        thread.running = current
        task.team.unfinished -= is_over
        if not is_over:
            task.team.ready.append(task)
        elif status == DETACHED:
            task.team.detached.append(task)

    def run_until_it_moves(self, thread, task):
        """Returns whether the task is over, and the status with which it stops."""
        for _ in task.steps:
            yield
            if task.is_untied and thread.running is task and self.random.random() < 0.1:
                return False, self.random.choice((SWITCH, YIELDED))
        return True, self.random.choice((COMPLETE,) * 30 + (CANCELLED, DETACHED)) if self.detaches else COMPLETE

    # All of it

    def go_on(self):
        thread = self.random.choice(self.threads)
        for _ in range(self.random.choice((1, 1, 3, 20, 200))):
            if next(thread.steps, END) == END:
                return

    def make(self, records):
        """Returns the recording's lines, so many records at least, but for a program that ends."""
        self.begin_thread(INITIAL_THREAD)
        while len(self.lines) < records:
            if self.random.random() < self.foreign and len(self.threads) < self.threads_most:
                self.begin_thread(INITIAL_THREAD)
            self.go_on()
        self.is_ending = self.random.random() < 0.5
        while self.is_ending and self.threads and len(self.lines) < 2 * records:
            self.go_on()
        return odd_recordings.recording_of(self.lines, self.settings())
