"""An archive of a program with OpenMP and MPI as Score-P writes it, in virtual time: two ranks of two threads.

    events = made_scorep.make(path)       # how many

What differs from Stave's: the parallel region is entered after ThreadTeamBegin; functions of the program are regions
of the compiler's instrumentation, with parameters; there is no region "barrier wait"; after the last task of a thread
ThreadTaskSwitch comes only as the barrier ends; functions of MPI have no lines; counters are strictly synchronous
metrics, before each Enter and Leave, and a metric of the host is on a location of its own, which has nothing else.
"""
import otf2
from otf2.enums import (CollectiveOp, GroupType, LocationType, MetricMode, MetricOccurrence, MetricType, Paradigm,
                        ParameterType, RecorderKind, RegionRole, Type)

SOURCE = "/home/guest/kiln/kiln.c"
MS = 1000  # ticks
RELEASE_MS = 0.01  # from when the last thread has come to a barrier
RANKS, THREADS = 2, 2
OMP = {"parallel": RegionRole.PARALLEL, "for": RegionRole.LOOP, "implicit barrier": RegionRole.IMPLICIT_BARRIER,
       "single": RegionRole.SINGLE, "single sblock": RegionRole.SINGLE_SBLOCK, "task": RegionRole.TASK,
       "create task": RegionRole.TASK_CREATE, "critical": RegionRole.CRITICAL,
       "critical sblock": RegionRole.CRITICAL_SBLOCK}
MPI = {"MPI_Init": RegionRole.FUNCTION, "MPI_Send": RegionRole.POINT2POINT, "MPI_Recv": RegionRole.POINT2POINT,
       "MPI_Allreduce": RegionRole.COLL_ALL2ALL, "MPI_Finalize": RegionRole.FUNCTION}


class Scorep:
    def __init__(self, path):
        self.trace = otf2.writer.Writer(str(path), timer_resolution=1000 * MS)
        self.definitions = d = self.trace.definitions
        machine = d.system_tree_node("machine Kiln", class_name="machine")
        node = d.system_tree_node("node oven", class_name="node", parent=machine)
        self.writers, places = [], []
        for rank in range(RANKS):
            group = d.location_group(f"MPI Rank {rank}", system_tree_parent=node)
            for thread in range(THREADS):
                name = f"OMP thread {thread}" if thread else "Master thread"
                places.append(d.location(name, group=group))
                self.writers.append(self.trace.event_writer_from_location(places[-1]))
            if rank == 0:
                self.host = self.trace.event_writer_from_location(
                    d.location("node power", LocationType.METRIC, group=group))
        d.group("", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, members=tuple(places))
        self.teams = [d.comm("", d.group("", GroupType.COMM_GROUP, Paradigm.OPENMP, members=tuple(
            places[rank * THREADS:(rank + 1) * THREADS]))) for rank in range(RANKS)]
        masters = tuple(places[::THREADS])
        d.group("", GroupType.COMM_LOCATIONS, Paradigm.MPI, members=masters)
        self.world = d.comm("MPI_COMM_WORLD", d.group("", GroupType.COMM_GROUP, Paradigm.MPI, members=masters))
        self.thread_id = d.attribute("THREAD_ID", "Thread ID", Type.UINT64)
        member = d.metric_member("PAPI_TOT_INS", "Instructions completed", MetricType.PAPI,
                                 MetricMode.ACCUMULATED_START, Type.UINT64, unit="#")
        self.counter = d.metric_class((member,), MetricOccurrence.SYNCHRONOUS_STRICT, RecorderKind.CPU)
        watts = d.metric_member("power", "of the node", MetricType.OTHER, MetricMode.ABSOLUTE_POINT, Type.DOUBLE,
                                unit="W")
        self.power = d.metric_class((watts,), MetricOccurrence.ASYNCHRONOUS, RecorderKind.ABSTRACT)
        self.sweep = d.parameter("sweep", ParameterType.INT64)
        self.mode = d.parameter("mode", ParameterType.STRING)
        self.events = 0

    # regions

    def omp(self, construct, line):
        name = f"!$omp {construct} @kiln.c:{line}"
        return self.definitions.region(name, name, "", OMP[construct], Paradigm.OPENMP, source_file=SOURCE,
                                       begin_line_number=line, end_line_number=line + 9)

    def function(self, name, line):
        return self.definitions.region(name, name, "", RegionRole.FUNCTION, Paradigm.COMPILER, source_file=SOURCE,
                                       begin_line_number=line, end_line_number=line + 30)

    def mpi(self, name):
        return self.definitions.region(name, name, "", MPI[name], Paradigm.MPI, source_file="MPI")

    # events

    def event(self, place, ms, name, *arguments, attributes=None):
        self.events += 1
        getattr(self.writers[place], name)(1000 + round(ms * MS), *arguments, attributes=attributes)

    def count(self, place, ms):
        """A thousand instructions a microsecond."""
        self.event(place, ms, "metric", self.counter, (round(ms * 1000000),))

    def enter(self, place, ms, region):
        self.count(place, ms)
        self.event(place, ms, "enter", region)

    def leave(self, place, ms, region):
        self.count(place, ms)
        self.event(place, ms, "leave", region)

    def call(self, rank, begin, end, name):
        self.enter(rank * THREADS, begin, self.mpi(name))
        self.leave(rank * THREADS, end, self.mpi(name))

    def fork(self, rank, ms, line):
        first = rank * THREADS
        self.event(first, ms, "thread_fork", Paradigm.OPENMP, THREADS)
        for thread in range(THREADS):
            self.event(first + thread, ms, "thread_team_begin", self.teams[rank],
                       attributes={self.thread_id: thread})
            self.enter(first + thread, ms, self.omp("parallel", line))

    def join(self, rank, ms, line):
        first = rank * THREADS
        for thread in range(THREADS):
            self.leave(first + thread, ms, self.omp("parallel", line))
            self.event(first + thread, ms, "thread_team_end", self.teams[rank])
        self.event(first, ms, "thread_join", Paradigm.OPENMP)

    # what the program does

    def loop(self, rank, begin, arrivals, line):
        """A parallel for whose threads come to its barrier at `arrivals`; it lets go with the last one."""
        self.fork(rank, begin, line)
        release = max(arrivals) + RELEASE_MS
        for thread, arrival in enumerate(arrivals):
            place = rank * THREADS + thread
            self.enter(place, begin, self.omp("for", line))
            self.leave(place, arrival, self.omp("for", line))
            self.enter(place, arrival, self.omp("implicit barrier", line))
            self.leave(place, release, self.omp("implicit barrier", line))
        self.join(rank, release, line)

    def task(self, rank, thread, generation, begin, end, line):
        place = rank * THREADS + thread
        self.event(place, begin, "thread_task_switch", self.teams[rank], 0, generation)
        self.enter(place, begin, self.omp("task", line))
        self.leave(place, end, self.omp("task", line))
        self.event(place, end, "thread_task_complete", self.teams[rank], 0, generation)

    def tasks(self, rank, begin, line):
        """A single creates two tasks in 1 ms; thread 1 runs the first for 4 ms, thread 0 the second for 8."""
        first = rank * THREADS
        self.fork(rank, begin, line)
        for thread in range(THREADS):
            self.enter(first + thread, begin, self.omp("single", line + 1))
        self.leave(first + 1, begin, self.omp("single", line + 1))
        self.enter(first + 1, begin, self.omp("implicit barrier", line))
        self.enter(first, begin, self.omp("single sblock", line + 1))
        for generation in (1, 2):
            self.enter(first, begin + generation / 2, self.omp("create task", line + 2))
            self.event(first, begin + generation / 2, "thread_task_create", self.teams[rank], 0, generation)
            self.leave(first, begin + generation / 2, self.omp("create task", line + 2))
        self.leave(first, begin + 1, self.omp("single sblock", line + 1))
        self.leave(first, begin + 1, self.omp("single", line + 1))
        self.enter(first, begin + 1, self.omp("implicit barrier", line))
        self.task(rank, 1, 1, begin + 1, begin + 5, line + 2)
        self.task(rank, 0, 2, begin + 1, begin + 9, line + 2)
        release = begin + 9 + RELEASE_MS
        for thread in range(THREADS):  # only now
            self.event(first + thread, release, "thread_task_switch", self.teams[rank], thread, 0)
            self.leave(first + thread, release, self.omp("implicit barrier", line))
        self.join(rank, release, line)

    def critical(self, rank, begin, line):
        """Each thread is inside for 3 ms, the second one has to wait as long."""
        self.fork(rank, begin, line)
        for thread in range(THREADS):
            place, inside = rank * THREADS + thread, begin + 3 * thread
            self.enter(place, begin, self.omp("critical", line + 1))
            self.event(place, inside, "thread_acquire_lock", Paradigm.OPENMP, 7, thread + 1)
            self.enter(place, inside, self.omp("critical sblock", line + 1))
            self.leave(place, inside + 3, self.omp("critical sblock", line + 1))
            self.event(place, inside + 3, "thread_release_lock", Paradigm.OPENMP, 7, thread + 1)
            self.leave(place, inside + 3, self.omp("critical", line + 1))
            self.enter(place, inside + 3, self.omp("implicit barrier", line))
            self.leave(place, begin + 6 + RELEASE_MS, self.omp("implicit barrier", line))
        self.join(rank, begin + 6 + RELEASE_MS, line)

    def allreduce(self, rank, begin, end):
        place = rank * THREADS
        self.enter(place, begin, self.mpi("MPI_Allreduce"))
        self.event(place, begin, "mpi_collective_begin")
        self.event(place, end, "mpi_collective_end", CollectiveOp.ALLREDUCE, self.world, 2**32 - 1, 8, 8)
        self.leave(place, end, self.mpi("MPI_Allreduce"))

    def rank(self, rank):
        place = rank * THREADS
        self.event(place, 0, "program_begin", "kiln", ["--fast"])
        self.enter(place, 0, self.function("main", 80))
        self.call(rank, 0, 2, "MPI_Init")
        self.enter(place, 2, self.function("relax", 30))
        self.event(place, 2, "parameter_int", self.sweep, 3)
        self.event(place, 2, "parameter_string", self.mode, "fast")
        self.loop(rank, 2, (12, 42) if rank == 0 else (22, 22), 42)
        done = (42 if rank == 0 else 22) + RELEASE_MS
        self.leave(place, done, self.function("relax", 30))
        self.allreduce(rank, done, 43)
        self.tasks(rank, 43, 60)
        self.critical(rank, 52.01, 70)
        if rank == 1:
            self.enter(place, 58.02, self.mpi("MPI_Recv"))
            self.event(place, 64, "mpi_recv", 0, self.world, 9, 800)
            self.leave(place, 64, self.mpi("MPI_Recv"))
        else:
            self.enter(place, 63, self.mpi("MPI_Send"))
            self.event(place, 63, "mpi_send", 1, self.world, 9, 800)
            self.leave(place, 64, self.mpi("MPI_Send"))
        self.call(rank, 64, 66, "MPI_Finalize")
        self.leave(place, 66, self.function("main", 80))
        self.event(place, 66, "program_end", 0)


def make(path):
    """Returns how many events it has."""
    one = Scorep(path)
    for rank in range(RANKS):
        one.rank(rank)
    for ms in range(0, 67, 11):
        one.host.metric(1000 + ms * MS, one.power, (float(200 + ms),))
        one.events += 1
    one.trace.close()
    return one.events
