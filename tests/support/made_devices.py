"""An archive of a program that uses a GPU by HIP as Score-P 9 writes it, in virtual time: no OpenMP, one thread.

    made_devices.make(path)

What differs from Stave's: kernels are Enter and Leave on the streams of an ACCELERATOR group, with the paradigm of the
library; its functions are regions of the host; ids of locations are not dense, the process's number in the lower 32
bits; metrics of plugins are on locations of their own that have no name, and their values are absolute or of the time
since the last one.
"""
import otf2
from otf2.enums import (LocationGroupType, LocationType, MetricMode, MetricOccurrence, MetricType, Paradigm,
                        RecorderKind, RegionRole, Type)

MS = 1000  # ticks
PLUGINS = 29  # locations of metrics
LONG_COUNTER = "perf_raw::r{}d3:snb_unc_cbo0::UNC_CBO_CACHE_LOOKUP:READ_MESI:cpu=all:u=1:mg=0:mh=1"
LONG_NAME = "rocm_smi_plugin::device={}::sensor=junction::temperature::averaged::over::the::last::second"
STEPS = 4
STEP_MS, KERNEL_MS, LAUNCH_MS, COPY_MS = 100, 80, 1, 9  # each step: launch, wait for the kernel, copy, compute
WALL_MS = STEPS * STEP_MS
MODES = (MetricMode.ABSOLUTE_POINT, MetricMode.RELATIVE_LAST, MetricMode.ACCUMULATED_START)  # of the sensors
COUNTERS = 10  # of the host, at each of its events


class Devices:
    def __init__(self, path):
        self.trace = otf2.writer.Writer(str(path), timer_resolution=1000 * MS)
        self.definitions = d = self.trace.definitions
        node = d.system_tree_node("node lab", class_name="node",
                                  parent=d.system_tree_node("machine Lab", class_name="machine"))
        self.process = d.location_group("Process", system_tree_parent=node)
        host = self.location(0, "Master thread", LocationType.CPU_THREAD, self.process)
        sensors = [self.location(i + 1, "", LocationType.METRIC, self.process) for i in range(PLUGINS)]
        context = d.location_group("HIP Context 0", location_group_type=LocationGroupType.ACCELERATOR,
                                   system_tree_parent=node, creating_location_group=self.process)
        stream = self.location(PLUGINS + 1, "HIP[0:0]", LocationType.ACCELERATOR_STREAM, context)
        self.counters = d.metric_class(tuple(self.counter(i) for i in range(COUNTERS)),
                                       MetricOccurrence.SYNCHRONOUS_STRICT, RecorderKind.CPU)
        self.metrics = [(self.writer(sensor), self.sensor(i, sensor)) for i, sensor in enumerate(sensors)]
        self.host, self.stream = self.writer(host), self.writer(stream)

    def location(self, number, name, kind, group):
        """Score-P's ids: the number on the process in the upper 32 bits, the process in the lower ones."""
        registry = self.definitions._locations
        registry._ref = (number << 32) - 1
        return registry.create(name, kind, group=group)

    def writer(self, location):
        return self.trace.event_writer_from_location(location)

    def sensor(self, number, location):
        d = self.definitions
        mode = MODES[number % len(MODES)]
        member = d.metric_member(LONG_NAME.format(number), "of the card", MetricType.OTHER, mode, Type.DOUBLE, unit="C")
        owner = d.metric_class((member,), MetricOccurrence.ASYNCHRONOUS, RecorderKind.ABSTRACT)
        return d.metric_instance(owner, recorder=location, scope=self.process)

    def counter(self, number):
        return self.definitions.metric_member(LONG_COUNTER.format(number), "", MetricType.PAPI,
                                              MetricMode.ACCUMULATED_START, Type.UINT64, unit="#")

    def count(self, ticks):
        self.host.metric(ticks, self.counters, (ticks - 1000,) * COUNTERS)

    def region(self, name, role, paradigm=Paradigm.HIP):
        return self.definitions.region(name, name, "", role, paradigm)

    def span(self, writer, begin, end, region):
        for event, ms in ((writer.enter, begin), (writer.leave, end)):
            if writer is self.host:
                self.count(1000 + round(ms * MS))
            event(1000 + round(ms * MS), region)

    def step(self, begin):
        launched, done = begin + LAUNCH_MS, begin + LAUNCH_MS + KERNEL_MS
        self.span(self.host, begin, launched, self.region("hipLaunchKernel", RegionRole.WRAPPER))
        self.span(self.host, launched, done, self.region("hipEventSynchronize", RegionRole.WRAPPER))
        self.span(self.host, done, done + COPY_MS, self.region("hipMemcpy", RegionRole.DATA_TRANSFER))
        self.span(self.stream, launched, done, self.region("sweep(double*, double const*, int)", RegionRole.FUNCTION))

    def make(self):
        main = self.region("main", RegionRole.FUNCTION, Paradigm.COMPILER)
        self.host.program_begin(1000, "heat", [])
        self.host.enter(1000, main)
        for step in range(STEPS):
            self.step(step * STEP_MS)
        self.host.leave(1000 + WALL_MS * MS, main)
        self.host.program_end(1000 + WALL_MS * MS, 0)
        for writer, metric in self.metrics:
            for ms in range(10, WALL_MS, 50):
                writer.metric(1000 + ms * MS, metric, (40.0 + ms / 10,))
        self.trace.close()


def make(path):
    Devices(path).make()
