"""Pictures of a run, by matplotlib. Each draws into `axes`, or into new ones, and returns them (matplotlib's Axes)."""
from __future__ import annotations

import typing

if typing.TYPE_CHECKING:
    from stave.run import Run

MS, US = 1e6, 1e3       # ns
BINS = 50


def _axes(axes: typing.Any) -> typing.Any:
    if axes is not None:
        return axes
    import matplotlib.pyplot    # pylint: disable=import-outside-toplevel
    return matplotlib.pyplot.subplots()[1]


def timeline(run: "Run", begin_ns: int = 0, end_ns: int | None = None, depth: int | None = None,
             axes: typing.Any = None) -> typing.Any:
    """The regions of each thread from begin_ns to end_ns (ns since the beginning of the run; None: its end), those of
    one depth, or the inner ones in front of the others. Time goes from left to right, in ms; a row is a thread."""
    axes = _axes(axes)
    rows = run.sql("SELECT thread, region_id, begin_ns, end_ns, depth FROM regions WHERE end_ns > ? AND begin_ns < ? "
                   "AND depth = coalesce(?, depth) ORDER BY depth", begin_ns, end_ns or 2**62, depth)
    for row in rows:
        begin, end = max(row.begin_ns, begin_ns), min(row.end_ns, end_ns or row.end_ns)
        axes.barh(row.thread, (end - begin) / MS, left=begin / MS, height=max(0.9 - 0.1 * row.depth, 0.2),
                  color=f"C{row.region_id % 10}")
    threads = list(run.sql("SELECT id, name FROM threads WHERE id IN (SELECT thread FROM regions) ORDER BY id"))
    axes.set_yticks([row.id for row in threads], [row.name for row in threads])
    axes.invert_yaxis()
    axes.set(xlabel="time (ms)")
    return axes


def imbalance(run: "Run", region: str | None = None, axes: typing.Any = None) -> typing.Any:
    """By how much the slowest thread of each loop instance is above the mean of its threads (%; 0: balanced), over time
    (ms since the beginning of the run). Of one region by its name, or of all."""
    axes = _axes(axes)
    rows = list(run.sql("SELECT begin_ns, imbalance FROM imbalance_over_time WHERE region = coalesce(?, region) "
                        "AND imbalance IS NOT NULL ORDER BY begin_ns", region))
    axes.plot([row.begin_ns / MS for row in rows], [100 * row.imbalance for row in rows], ".")
    axes.set(xlabel="time (ms)", ylabel="imbalance (%)")
    return axes


def _histogram(axes: typing.Any, lengths_ns: list[int], label: str) -> typing.Any:
    axes.hist([length / US for length in lengths_ns], bins=BINS)
    axes.set(xlabel=label + " (us)", ylabel="number", yscale="log")
    return axes


def granularity(run: "Run", axes: typing.Any = None) -> typing.Any:
    """A histogram of how long explicit tasks ran (us), suspensions excluded; the number has a logarithmic scale."""
    rows = run.sql("SELECT run_ns FROM tasks WHERE kind = 'explicit' AND run_ns IS NOT NULL")
    return _histogram(_axes(axes), [row.run_ns for row in rows], "task")


def lock_holds(run: "Run", lock: int | None = None, axes: typing.Any = None) -> typing.Any:
    """A histogram of how long locks were held (us), or the lock with this id of the table locks."""
    rows = run.sql("SELECT hold_ns FROM lock_hold WHERE hold_ns IS NOT NULL AND lock = coalesce(?, lock)", lock)
    return _histogram(_axes(axes), [row.hold_ns for row in rows], "lock held")
