"""An archive as APEX writes it, in virtual time: two threads that run tasks, which are Enter and Leave, no events of
OpenMP; a counter on a location of its own, which is the first one and of the same type as the threads; a creator with a
newline.

    made_apex.make(path)
"""
import otf2
from otf2.enums import LocationType, MetricMode, MetricOccurrence, MetricType, Paradigm, RecorderKind, RegionRole, Type

MS = 1000  # ticks
TASKS, TASK_MS, GAP_MS = 8, 9, 1
BUSY_MS = TASKS * TASK_MS
CREATOR = "APEX version 2.6.5,\nbuilt with gcc\n"


def make(path):
    trace = otf2.writer.Writer(str(path), timer_resolution=1000 * MS)
    trace.creator = CREATOR
    d = trace.definitions
    group = d.location_group("rank 0", system_tree_parent=d.system_tree_node("node"))
    counter = trace.event_writer_from_location(d.location("counters", LocationType.CPU_THREAD, group=group))
    writers = [trace.event_writer_from_location(d.location(f"thread {i}", LocationType.CPU_THREAD, group=group))
               for i in range(2)]
    member = d.metric_member("CPU Power", "", MetricType.OTHER, MetricMode.ABSOLUTE_POINT, Type.DOUBLE, unit="W")
    metric = d.metric_class((member,), MetricOccurrence.ASYNCHRONOUS, RecorderKind.ABSTRACT)
    kinds = (("solve", RegionRole.TASK), ("main", RegionRole.FUNCTION))
    regions = [d.region(name, name, "", role, Paradigm.USER) for name, role in kinds]
    for ms in range(0, 100, 10):
        counter.metric(1000 + ms * MS, metric, (float(ms),))
    for i, writer in enumerate(writers):
        for task in range(TASKS):
            begin = 1000 + (5 + task * (TASK_MS + GAP_MS)) * MS
            writer.enter(begin, regions[i])
            writer.leave(begin + TASK_MS * MS, regions[i])
    trace.close()
