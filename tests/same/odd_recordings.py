"""Recordings of threads that lock, work and run tasks, made by chance, of which some records are odd: what should come
before or after is missing, or names something else."""
import random

FIRST_TICKS = 100
LOCK_KINDS = {"lock": 1, "nest_lock": 3, "critical": 5, "atomic": 6, "ordered": 7}  # ompt_mutex_t
SYNC_TASKWAIT, WORK_LOOP = 5, 1
COMPLETE, SWITCH = 1, 7  # ompt_task_status_t
EXPLICIT, UNTIED, MERGED = 4, 0x10000000, 0x80000000  # ompt_task_flag_t
STEPS = ("lock", "lock", "lock", "task", "task", "region")


def recording_of(lines, settings=()):
    return [*settings, "start 1600000000000000000", "runtime 0x7000000 4096 201611", "program /bin/true", *lines,
            "end finished"]


class Rings:
    """The records of all threads, as they come. `odd`: how likely each step is an odd one."""

    def __init__(self, seed, odd):
        self.random, self.odd, self.lines, self.now = random.Random(seed), odd, [], FIRST_TICKS
        self.positions = []     # by ring

    def put(self, thread, name, fields, endpoint=0, flags=0, words=()):
        """Returns its place, which is the id of what begins with it. The words are a multiple of four."""
        self.positions += [0] * (thread + 1 - len(self.positions))
        place = f"{thread}:{self.positions[thread]}"
        more = " words=" + ",".join(f"{word:x}" for word in words) if words else ""
        self.lines.append(f"record {thread} {self.positions[thread]} {name} ticks={self.now} {fields} "
                          f"endpoint={endpoint} flags={flags}{more}")
        self.positions[thread] += 1 + len(words) // 4
        return place


class OddRecording(Rings):
    def __init__(self, seed, odd):
        super().__init__(seed, odd)
        self.threads = self.random.choice((2, 3, 4, 8))
        self.held = [[] for _ in range(self.threads)]   # (wait id, kind, code)
        self.running = [[] for _ in range(self.threads)]
        self.ready = []
        self.locks = [0x7f0000 + 64 * i for i in range(self.random.choice((1, 2, 6)))]

    def put(self, thread, *record, **more):
        self.now += self.random.choice((1, 1, 3, 20, 500))
        return super().put(thread, *record, **more)

    def code(self):
        return hex(0x401000 + 16 * self.random.randrange(4))

    def begin(self):
        for thread in range(self.threads):
            self.put(thread, "attach", f"kernel_tid={FIRST_TICKS + thread}")
            self.put(thread, "thread_begin", f"thread_type={1 if thread == 0 else 2}")
        self.put(0, "implicit_task_begin", f"parallel=0:0 actual_and_index={1 | 1 << 32} task_flags=1")
        region = self.put(0, "parallel_begin", f"parallel_flags={0x80000001} codeptr=0x402000 "
                          f"requested={self.threads}")
        for thread in range(self.threads):
            self.put(thread, "implicit_task_begin", f"parallel={region} "
                     f"actual_and_index={self.threads | thread << 32} task_flags=2")

    # Locks and constructs with a mutex

    def odd_lock(self, thread):
        lock, kind, code = self.random.choice(self.locks), self.random.choice((0, 1, 2, 3, 5, 6, 7, 9)), self.code()
        name = self.random.choice(("mutex_acquire", "mutex_acquired", "mutex_released"))
        if name == "mutex_acquire":
            self.put(thread, name, f"wait_id={lock} codeptr={code} hint=0", 1, kind)
        else:
            self.put(thread, name, f"wait_id={lock} codeptr={code} kind={kind}")

    def acquire(self, thread, lock):
        kind, code = self.random.choice(tuple(LOCK_KINDS.values())), self.code()
        self.put(thread, "mutex_acquire", f"wait_id={lock} codeptr={code} hint=0", 1, kind)
        if self.random.random() < self.odd:
            return
        self.put(thread, "mutex_acquired", f"wait_id={lock} codeptr={code} kind={kind}")
        self.held[thread].append((lock, kind, code))

    def lock(self, thread):
        taken = {lock for held in self.held for lock, _, _ in held}
        free = [lock for lock in self.locks if lock not in taken]
        if self.random.random() < self.odd:
            self.odd_lock(thread)
        elif self.held[thread] and (not free or self.random.random() < 0.5):
            last = -1 if self.random.random() >= self.odd else 0
            lock, kind, code = self.held[thread].pop(last)
            if self.random.random() >= self.odd:
                self.put(thread, "mutex_released", f"wait_id={lock} codeptr={code} kind={kind}")
        elif free:
            self.acquire(thread, self.random.choice(free))

    # Tasks

    def any_task(self):
        return self.random.choice(("0:0", f"{self.random.randrange(self.threads)}:{self.random.randrange(99)}"))

    def task(self, thread):
        running, is_odd = self.running[thread], self.random.random() < self.odd
        before = self.any_task() if is_odd else running[-1] if running else "0:0"
        what = self.random.choice(("create", "begin", "end"))
        if what == "create":
            flags = EXPLICIT | (self.random.choice((UNTIED, MERGED)) if is_odd else 0)
            task = self.put(thread, "task_create", f"has_dependences=0 codeptr={self.code()} task_flags={flags}")
            self.ready += [] if flags & MERGED else [task]
        elif what == "begin" and self.ready:
            running.append(self.ready.pop(self.random.randrange(len(self.ready))))
            self.put(thread, "task_schedule", f"prior_task={before} next_task={running[-1]} prior_status={SWITCH}")
        elif what == "end" and running:
            task = running.pop()
            after = self.any_task() if is_odd else running[-1] if running else "0:0"
            self.put(thread, "task_schedule", f"prior_task={task} next_task={after} prior_status={COMPLETE}")

    # Regions, also in constructs with a mutex

    def region(self, thread):
        name, kind = self.random.choice((("sync_region", f"task=0:0 codeptr={self.code()} kind={SYNC_TASKWAIT}"),
                                         ("work", f"count=4 codeptr={self.code()} kind={WORK_LOOP}"),
                                         ("masked", f"codeptr={self.code()}")))
        self.put(thread, name, kind, 1)
        if self.random.random() < self.odd:
            self.lock(thread)
        if self.random.random() >= self.odd:
            self.put(thread, name, kind, 2)

    def make(self, records):
        """Returns the recording's lines, so many records at least."""
        self.begin()
        while len(self.lines) < records:
            thread, step = self.random.randrange(self.threads), getattr(self, self.random.choice(STEPS))
            for _ in range(self.random.choice((1, 1, 3, 20, 200))):
                step(thread)
        return recording_of(self.lines)
