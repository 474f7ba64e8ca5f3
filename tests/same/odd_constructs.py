"""What the tasks of odd_programs.py do: constructs, and what is reported beside them."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import ompt

BEGIN, END = ompt.values("SCOPE", "begin", "end")
BARRIER, TASKWAIT, TASKGROUP, REDUCTION = ompt.values("SYNC_REGION", "barrier_explicit", "taskwait", "taskgroup",
                                                      "reduction")
LAST_BARRIERS = ompt.values("SYNC_REGION", "barrier_implicit", "barrier_implicit_parallel")
LOCKS = ompt.values("MUTEX", "lock", "test_lock", "critical", "atomic", "ordered")
NEST_LOCK = ompt.VALUES["MUTEX", "nest_lock"]
WORKS = ompt.values("WORK", "loop", "sections", "single_other", "workshare", "distribute", "taskloop", "scope",
                    "loop_static", "loop_dynamic")
SINGLE = ompt.VALUES["WORK", "single_executor"]
CHUNKS = ompt.values("DISPATCH", "iteration", "section", "ws_loop_chunk", "taskloop_chunk", "distribute_chunk")
EXPLICIT, UNDEFERRED, UNTIED, FINAL = ompt.values("TASK", "explicit", "undeferred", "untied", "final")
MERGED, FOR_TASKWAIT = ompt.values("TASK", "merged", "taskwait")
YIELDED, EARLY, LATE, TASKWAIT_COMPLETE = ompt.values("TASK_STATUS", "yield", "early_fulfill", "late_fulfill",
                                                      "taskwait_complete")
CANCELS = [kind | how for kind in ompt.values("CANCEL", "parallel", "sections", "loop", "taskgroup")
           for how in ompt.values("CANCEL", "activated", "detected")]
START, PAUSE, FLUSH = ompt.values("CONTROL_TOOL", "start", "pause", "flush")
NO_ID = "0:0"
IDS = ("task", "prior_task", "next_task", "source_task", "sink_task", "parallel")
ANY = (("thread_begin", ("thread_type",)), ("thread_end", ()),
       ("parallel_begin", ("parallel_flags", "codeptr", "requested")),
       ("parallel_end", ("parallel_flags", "codeptr")),
       ("implicit_task_begin", ("parallel", "actual_and_index", "task_flags")),
       ("implicit_task_end", ("index", "task_flags")), ("task_create", ("has_dependences", "codeptr", "task_flags")),
       ("task_schedule", ("prior_task", "next_task", "prior_status")), ("work", ("count", "codeptr", "kind")),
       ("sync_region", ("task", "codeptr", "kind")), ("sync_region_wait", ("task", "codeptr", "kind")),
       ("mutex_acquire", ("wait_id", "codeptr", "hint")), ("mutex_acquired", ("wait_id", "codeptr", "kind")),
       ("mutex_released", ("wait_id", "codeptr", "kind")), ("nest_lock", ("wait_id", "codeptr")),
       ("dispatch", ("start", "iterations", "kind")), ("masked", ("codeptr",)),
       ("reduction", ("task", "codeptr", "kind")), ("cancel", ("task", "codeptr", "cancel_flags")),
       ("flush", ("codeptr",)), ("error", ("length", "codeptr", "severity")),
       ("task_dependence", ("source_task", "sink_task")), ("control_tool", ("command", "codeptr")),
       ("control_tool_region", ("line_and_file", "codeptr", "name_bytes")), ("sample", ("wait_id", "state")),
       ("placement", ("place", "processor", "partition_places")), ("frame_flags", ("exit_flags", "enter_flags")))
OFTEN = ("create", "lock", "parallel", "work", "taskwait")  # a recording has some of them
SELDOM = ("barrier", "taskgroup", "taskyield", "undeferred", "merged", "taskwait_depend", "fulfill", "reduction",
          "masked", "flush", "cancel", "nest_lock", "lock_object", "single", "user_region", "user_point", "control",
          "dependence", "error", "sample", "place", "frame_flags")


def words_of(*numbers, text=b""):
    """As the further slots of a record have them: numbers, then the text."""
    given = b"".join((number % (1 << 64)).to_bytes(8, "little") for number in numbers) + text
    given += bytes(-len(given) % 32)
    return [int.from_bytes(given[i:i + 8], "little") for i in range(0, len(given), 8)]


class Constructs:
    """Of a program; a class that has `record`, `random` and tasks is to be made of it."""

    def choose_constructs(self):
        pick = self.random.choice
        self.weights = {name: pick((0, 1, 4, 16)) for name in OFTEN} | {name: pick((0, 0, 0, 1)) for name in SELDOM}
        self.weights["parallel"] = max(self.weights["parallel"], 1)
        self.locks = [0x7f0000 + 64 * i for i in range(pick((1, 2, 6)))]
        self.held = {}      # by lock: a task
        self.detaches, self.callers, self.placements = pick((False, True)), pick((0, 0, 0.5)), pick((0, 0.1))
        self.foreign, self.pauses, self.names = pick((0, 0, 0.001)), pick((0, 0, 0.3)), pick((1, 4, 30))

    def settings(self):
        return [*["set STAVE_CALLERS=2"] * (self.callers > 0), *["set STAVE_SAMPLE_HZ=100"] * self.weights["sample"],
                *["set STAVE_OVERFLOW=drop"] * (self.gaps > 0)]

    def code(self):
        return 0x401000 + 16 * self.random.randrange(self.names)

    def body(self, task):
        for _ in range(self.random.choice((0, 1, 2, 4)) if task.level < 6 and not self.is_ending else 0):
            yield from self.construct(task)
            yield

    def construct(self, task):
        name, = self.random.choices(list(self.weights), self.weights.values())
        yield from getattr(self, name)(task) or ()

    def inside(self, task):
        """What is in a construct: mostly nothing."""
        yield
        if self.random.random() < 0.3:
            task.level += 1
            yield from self.body(task)
            task.level -= 1

    # Locks

    def lock(self, task):
        lock, kind, code = self.random.choice(self.locks), self.random.choice(LOCKS), self.code()
        self.record(task.ring, "mutex_acquire", 1, kind, wait_id=lock, codeptr=code, hint=0)
        for _ in range(20):
            if lock not in self.held:
                break
            yield
        if lock in self.held:
            return      # a test that fails
        self.held[lock] = task
        self.record(task.ring, "mutex_acquired", wait_id=lock, codeptr=code, kind=kind)
        yield from self.inside(task)
        self.record(task.ring, "mutex_released", wait_id=lock, codeptr=code, kind=kind)
        del self.held[lock]

    def nest_lock(self, task):
        lock, code = 0x7e0000, self.code()
        if lock in self.held:
            return
        self.held[lock] = task
        self.record(task.ring, "mutex_acquire", 1, NEST_LOCK, wait_id=lock, codeptr=code, hint=0)
        self.record(task.ring, "mutex_acquired", wait_id=lock, codeptr=code, kind=NEST_LOCK)
        yield
        for endpoint in (BEGIN, END) * self.random.choice((0, 1, 2)):
            self.record(task.ring, "nest_lock", endpoint, wait_id=lock, codeptr=code)
        yield from self.inside(task)
        self.record(task.ring, "mutex_released", wait_id=lock, codeptr=code, kind=NEST_LOCK)
        del self.held[lock]

    def lock_object(self, task):
        lock, kind = self.random.choice(self.locks), LOCKS[0]
        if self.random.random() < 0.5:
            self.record(task.ring, "lock_init", 1, kind, wait_id=lock, codeptr=self.code(), hint=0)
        else:
            self.record(task.ring, "lock_destroy", wait_id=lock, codeptr=self.code(), kind=kind)

    # Synchronisation

    def begin_wait(self, task, kind, name="sync_region"):
        """Returns the records that end it."""
        fields = {"task": task.id, "codeptr": self.code(), "kind": kind}
        self.record(task.ring, name, BEGIN, **fields)
        self.record(task.ring, "sync_region_wait", BEGIN, **fields)
        return [("sync_region_wait", END, fields), (name, END, fields)]

    def wait(self, task, kind, is_over):
        ends = self.begin_wait(task, kind)
        yield from self.wait_until(task, is_over)
        for name, endpoint, fields in ends:
            self.record(task.ring, name, endpoint, **fields)

    def taskwait(self, task):
        yield from self.wait(task, TASKWAIT, lambda: not task.team.ready)

    def barrier(self, task):
        yield from self.wait(task, BARRIER, lambda: self.random.random() < 0.2)

    def taskgroup(self, task):
        fields = {"task": task.id, "codeptr": self.code(), "kind": TASKGROUP}
        self.record(task.ring, "sync_region", BEGIN, **fields)
        yield from self.inside(task)
        self.record(task.ring, "sync_region_wait", BEGIN, **fields)
        yield from self.wait_until(task, lambda: not task.team.ready)
        self.record(task.ring, "sync_region_wait", END, **fields)
        self.record(task.ring, "sync_region", END, **fields)

    def reduction(self, task):
        fields = {"task": task.id, "codeptr": self.code(), "kind": REDUCTION}
        self.record(task.ring, "reduction", BEGIN, **fields)
        yield
        self.record(task.ring, "reduction", END, **fields)

    def masked(self, task):
        code = self.code()
        self.record(task.ring, "masked", BEGIN, codeptr=code)
        yield from self.inside(task)
        self.record(task.ring, "masked", END, codeptr=code)

    # Worksharing

    def work(self, task):
        kind, code, count = self.random.choice(WORKS), self.code(), self.random.choice((1, 4))
        self.record(task.ring, "work", BEGIN, count=count, codeptr=code, kind=kind)
        chunk, chunks = self.random.choice(CHUNKS), self.random.choice((0, 0, 1, 5))
        for i in range(chunks):
            self.record(task.ring, "dispatch", start=8 * i, iterations=8, kind=chunk)
            yield from self.inside(task)
        if not chunks:
            yield from self.inside(task)
        if self.weights["cancel"] and self.random.random() < 0.2:
            self.cancel(task)
        else:
            self.record(task.ring, "work", END, count=count, codeptr=code, kind=kind)

    def single(self, task):
        """gcc's has no end."""
        code = self.code()
        self.record(task.ring, "work", BEGIN, count=1, codeptr=code, kind=SINGLE)
        yield from self.inside(task)
        if self.random.random() < 0.5:
            self.record(task.ring, "work", END, count=1, codeptr=code, kind=SINGLE)

    def cancel(self, task):
        self.record(task.ring, "cancel", task=task.id, codeptr=self.code(), cancel_flags=self.random.choice(CANCELS))

    def flush(self, task):
        self.record(task.ring, "flush", codeptr=self.code())

    # Tasks

    def new_task(self, task, flags):
        flags |= EXPLICIT
        number = self.record(task.ring, "task_create", has_dependences=0, codeptr=self.code(), task_flags=flags)
        new = type(task)(number, task.team, task.ring, task.level + 1, task.teams)
        new.is_untied = bool(flags & UNTIED)
        new.steps = self.body(new)
        task.team.unfinished += 1
        return new

    def create(self, task):
        for _ in range(self.random.choice((1, 1, 4, 30))):
            task.team.ready.append(self.new_task(task, self.random.choice((0, 0, 0, UNTIED, FINAL))))
            yield

    def undeferred(self, task):
        yield from self.run_task(task, self.new_task(task, UNDEFERRED))

    def merged(self, task):
        self.record(task.ring, "task_create", has_dependences=0, codeptr=self.code(),
                    task_flags=EXPLICIT | UNDEFERRED | MERGED)
        yield from self.inside(task)

    def taskyield(self, task):
        yield from self.run_another(task, YIELDED)

    def taskwait_depend(self, task):
        number = self.record(task.ring, "task_create", has_dependences=1, codeptr=self.code(),
                             task_flags=FOR_TASKWAIT | UNDEFERRED)
        self.record(task.ring, "dependence", task=self.random.choice((NO_ID, number)), variable=0x7d0000,
                    dependence_type=1)
        yield from self.wait_until(task, lambda: self.random.random() < 0.2)
        self.record(task.ring, "task_schedule", prior_task=self.random.choice((NO_ID, number)), next_task=NO_ID,
                    prior_status=TASKWAIT_COMPLETE)

    def fulfill(self, task):
        detached = task.team.detached
        if detached:
            other = detached.pop()
            self.record(task.ring, "task_schedule", prior_task=other.id, next_task=NO_ID, prior_status=LATE)
        elif task.id != NO_ID:
            self.record(task.ring, "task_schedule", prior_task=task.id, next_task=NO_ID, prior_status=EARLY)

    def dependence(self, task):
        ready = task.team.ready
        if ready:
            self.record(task.ring, "dependence", task=ready[-1].id, variable=0x7d0000 + 8 * self.random.randrange(3),
                        dependence_type=self.random.choice((1, 2, 3, 4, 34)))
            self.record(task.ring, "task_dependence", source_task=ready[0].id, sink_task=ready[-1].id)

    # The program's own, and the tool's

    def user_words(self, *numbers):
        name, file = self.random.choice((b"step", b"solve the system", b"")), b"own.c"
        return name, file, words_of(*numbers, text=name + file)

    def user_region(self, task):
        name, file, words = self.user_words(0, 0)
        fields = {"line_and_file": self.random.randrange(3) | len(file) << 32, "codeptr": self.code(),
                  "name_bytes": len(name)}
        self.record(task.ring, "control_tool_region", BEGIN, words=words, **fields)
        yield from self.inside(task)
        self.record(task.ring, "control_tool_region", END, words=words, **fields)

    def user_point(self, task):
        name, file, words = self.user_words(self.random.randrange(9), 0)
        kind, endpoint = self.random.choice((("control_tool_message", 0), ("control_tool_counter", 1),
                                             ("control_tool_counter", 2)))
        self.record(task.ring, kind, endpoint, words=words, line_and_file=7 | len(file) << 32, codeptr=self.code(),
                    name_bytes=len(name))

    def control(self, task):
        """A pause comes seldom and ends soon."""
        if self.random.random() >= self.pauses:
            self.record(task.ring, "control_tool", words=words_of(0, 0), command=FLUSH, codeptr=self.code())
            return
        self.record(task.ring, "control_tool", words=words_of(0, 0), command=PAUSE, codeptr=self.code())
        task.level += 1
        yield from self.body(task)
        task.level -= 1
        self.record(task.ring, "control_tool", words=words_of(0, 0), command=START, codeptr=self.code())

    def error(self, task):
        self.record(task.ring, "error", words=words_of(text=b"as planned"), length=10, codeptr=self.code(), severity=1)

    def sample(self, task):
        path = [self.code() for _ in range(self.random.randrange(1, 5))]
        self.record(task.ring, "sample", words=words_of(*path), wait_id=0,
                    processor_and_missed=self.random.randrange(4), state=self.random.choice((0, 1, 0x101, 0x10)))

    def place(self, task):
        self.record(task.ring, "placement", words=words_of(0 | 1 << 32), place=self.random.randrange(2),
                    processor=self.random.randrange(4), partition_places=2)

    def frame_flags(self, task):
        self.record(task.ring, "frame_flags", exit_flags=self.random.randrange(2), enter_flags=16)
