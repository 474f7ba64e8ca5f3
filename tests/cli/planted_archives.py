"""Ten archives, each of a run with one cause that its making knows: PLANTED has for each name what makes it, the cause
and the line where it is (0: nowhere)."""
from otf2.enums import Paradigm
from report_case import Timed


def begin(made):
    made.fork(0)
    made.begin(0)


def finish(made, at):
    made.at(at)
    for i in range(len(made.writers)):
        made.enter(i, "implicit barrier", 1)
    made.end_all(at)


def loop(made, at, line, times):
    """Each thread needs its time in a loop, after which all wait. Returns when that ends."""
    for i in range(len(times)):
        made.at(at).enter(i, "for", line)
    for i in sorted(range(len(times)), key=lambda i: times[i]):
        made.at(at + times[i]).leave(i, "for", line)
        made.enter(i, "implicit barrier", line)
    made.at(at + max(times))
    for i in range(len(times)):
        made.leave(i, "implicit barrier", line)
    return at + max(times)


def loops(made, line, times):
    begin(made)
    now = 0
    for one in times:
        now = loop(made, now, line, one)
    finish(made, now)


def one_slow_thread(made):
    loops(made, 20, [[60, 20, 20, 20]])


def rotating(made):
    loops(made, 21, [[13 if i == step else 1 for i in range(4)] for step in range(4)])


def slow_phase(made):
    loops(made, 22, [[9, 9, 3, 3] if 5 <= step <= 8 else [3, 3, 3, 3] for step in range(20)])


def critical(made):
    begin(made)
    for i in range(4):
        made.enter(i, "critical", 4)
    for i in range(4):
        made.at(10 * i).event(i, "thread_acquire_lock", Paradigm.OPENMP, 3, i + 1)
        made.enter(i, "critical sblock", 4)
        made.at(10 * i + 10).leave_critical(i, 3, i + 1, 4)
        made.enter(i, "implicit barrier", 1)
    made.end_all(40)


def single(made):
    begin(made)
    made.enter(0, "single", 5)
    for i in range(1, 4):
        made.enter(i, "single", 5)
        made.leave(i, "single", 5)
        made.enter(i, "implicit barrier", 1)
    made.at(40).leave(0, "single", 5)
    made.enter(0, "implicit barrier", 1)
    made.end_all(40)


def reduction(made):
    begin(made)
    for step in range(3):
        now = 13 * step
        for i in range(4):
            made.at(now).enter(i, "implicit barrier", 7)
        for i in (0, 2):
            made.at(now).enter(i, "reduction", 7)
            made.at(now + 4).leave(i, "reduction", 7)
        made.at(now + 4).enter(0, "reduction", 7)
        made.at(now + 8).leave(0, "reduction", 7)
        for i in range(4):
            made.leave(i, "implicit barrier", 7)
    finish(made, 39)


def late_start(made):
    made.fork(0)
    made.begin_team(0, 1)
    made.at(8)
    for i in range(1, 4):
        made.begin_team(i, 1)
    finish(made, 20)


def serial_part(made):
    made.program(0, True)
    made.fork(80)
    made.begin(80)
    finish(made, 100)
    made.program(100, False)


def region_end(made):
    """Threads come one by one to the end of the region."""
    begin(made)
    for i in range(4):
        made.at(10 + 20 * i).enter(i, "implicit barrier", 1)
    made.end_all(70)


def team_of_one(made):
    for now in (0, 20.2, 40.4):
        made.at(now).event(0, "thread_fork", Paradigm.OPENMP, 1)
        made.begin_team(0, 9)
        made.at(now + 10).leave_team(0, 9)
        made.event(0, "thread_join", Paradigm.OPENMP)
        made.fork(now + 10)
        made.begin(now + 10)
        finish(made, now + 20)


PLANTED = {
    "one_slow_thread": (one_slow_thread, "loop imbalance", 20), "rotating": (rotating, "loop imbalance", 21),
    "slow_phase": (slow_phase, "loop imbalance", 22), "critical": (critical, "lock contention", 4),
    "single": (single, "single", 5), "reduction": (reduction, "reduction", 7),
    "late_start": (late_start, "late start", 1), "serial_part": (serial_part, "serial part", 0),
    "region_end": (region_end, "imbalance", 1), "team_of_one": (team_of_one, "team of one", 9)}


def make(folder, sources):
    """All of them, in folders of these names; the source file is in another one."""
    with open(f"{sources}/made.c", "w", encoding="utf-8") as file:
        file.writelines(f"line {i}\n" for i in range(1, 41))
    for name, (fill, _, _) in PLANTED.items():
        with Timed(f"{folder}/{name}", threads=4, region=False, folder=sources) as made:
            fill(made)
