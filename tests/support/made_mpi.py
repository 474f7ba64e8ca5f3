"""Archives of several ranks made by hand, in virtual time: what Stave and its merging would have written.

    with Job(path, ranks=2) as job:
        job.call(0, "MPI_Send", 10, 11, line=5, send=(1, 7, 100))     # from 10 ms to 11: to rank 1, tag 7, 100 bytes
        job.call(1, "MPI_Recv", 0, 11, line=9, receive=(0, 7, 100))

Every rank has the same number of threads; times are in ms and have to grow on each thread.
"""
from made_archive import Made
from otf2.attribute_value import AttributeValue
from otf2.enums import CollectiveOp, GroupType, Paradigm, RegionRole, Type

OPERATIONS = {"MPI_Barrier": CollectiveOp.BARRIER, "MPI_Bcast": CollectiveOp.BCAST, "MPI_Reduce": CollectiveOp.REDUCE,
              "MPI_Allreduce": CollectiveOp.ALLREDUCE, "MPI_Gather": CollectiveOp.GATHER, "MPI_Scan": CollectiveOp.SCAN,
              "MPI_Ibarrier": CollectiveOp.BARRIER}

class Job(Made):
    """Of MPI_COMM_WORLD only the first `known` ranks are known, if it is given: what others have sent is not there.
    With another paradigm functions of MPI are as other tools write them."""

    def __init__(self, path, ranks=2, threads=1, known=0, paradigm=Paradigm.MPI, world_of_locations=False,
                 **more):
        super().__init__(path, threads=ranks * threads, region=False, processes=ranks, **more)
        self.ranks, self.width, self.line_of, self.paradigm = ranks, threads, {}, paradigm
        first = tuple(self.locations[rank * threads] for rank in range(ranks))
        group = self.definitions.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, members=first)
        self.world = (self.definitions.comm("MPI_COMM_WORLD", group, None) if world_of_locations
                      else self.new_comm("MPI_COMM_WORLD", range(known or ranks)))
        self.teams = [self.new_team(f"team {rank}", range(rank * threads, (rank + 1) * threads))
                      for rank in range(ranks)]

    def new_comm(self, name, ranks):
        members = tuple(self.locations[rank * self.width] for rank in ranks)
        group = self.definitions.group(name, GroupType.COMM_GROUP, Paradigm.MPI, members=members)
        return self.definitions.comm(name, group)

    # without `step`: at() has set the time

    def at(self, ms):
        self.now = 1000 + round(1000 * ms)
        return self

    def event(self, thread, name, *arguments, attributes=None, step=True):
        super().event(thread, name, *arguments, attributes=attributes, step=False)

    def named(self, attributes):
        return {name if not isinstance(name, str) else self.attribute(name): value for name, value in
                attributes.items()}

    def site(self, line):
        if not line:
            return {}
        attribute = self.definitions.attribute("call site", "", Type.SOURCE_CODE_LOCATION)
        place = (line, 0) if isinstance(line, str) else ("/src/" + self.source, line)
        return {attribute: self.definitions.source_code_location(*place)}

    def function(self, name):
        role = RegionRole.POINT2POINT if self.paradigm == Paradigm.MPI else RegionRole.FUNCTION
        return self.definitions.region(name, name, "", role, self.paradigm)

    # calls: one event or several inside of an Enter and a Leave

    def begin(self, rank, name, ms, line=0, thread=0):
        self.at(ms).event(rank * self.width + thread, "enter", self.function(name), attributes=self.site(line))

    def end(self, rank, name, ms, thread=0):
        self.at(ms).event(rank * self.width + thread, "leave", self.function(name))

    def call(self, rank, name, begin_ms, end_ms, line=0, thread=0, comm=None, *, send=None, receive=None, isend=None,
             irecv=None, sent=(), received=(), collective=None, request=None, done=None):
        """send: (to, tag, bytes); receive: (from, tag, bytes); isend: and a request; irecv: a request; sent: requests
        that end; received: (from, tag, bytes, request) of those that do; collective: root or -1; request: that of one
        without blocking, which ends as done=(name, root, request)."""
        comm, place = comm or self.world, rank * self.width + thread
        self.begin(rank, name, begin_ms, line, thread)
        if send:
            self.event(place, "mpi_send", send[0], comm, send[1], send[2])
        if isend:
            self.event(place, "mpi_isend", isend[0], comm, isend[1], isend[2], isend[3])
        if irecv:
            self.event(place, "mpi_irecv_request", irecv)
        if collective is not None:
            self.event(place, "mpi_collective_begin")
        if request:
            self.event(place, "non_blocking_collective_request", request)
        self.at(end_ms)
        for one in sent:
            self.event(place, "mpi_isend_complete", one)
        for peer, tag, size, one in received:
            self.event(place, "mpi_irecv", peer, comm, tag, size, one)
        if receive:
            self.event(place, "mpi_recv", receive[0], comm, receive[1], receive[2])
        if collective is not None:
            self.event(place, "mpi_collective_end", OPERATIONS[name], comm, self.root(collective), 8, 8)
        if done:
            self.event(place, "non_blocking_collective_complete", OPERATIONS[done[0]], comm, self.root(done[1]), 8, 8,
                       done[2])
        self.end(rank, name, end_ms, thread)

    def root(self, rank):
        return rank if rank >= 0 else 2**32 - 1

    def finalize(self, ms, ranks=None):
        for rank in ranks if ranks is not None else range(self.ranks):
            self.call(rank, "MPI_Finalize", ms, ms + 1)

    # teams

    def fork(self, rank, ms, line=1):
        self.team, first = self.teams[rank], rank * self.width
        self.at(ms).event(first, "thread_fork", Paradigm.OPENMP, self.width)
        for thread in range(first, first + self.width):
            self.begin_team(thread, line)

    def arrive(self, rank, thread, ms, line=1):
        self.at(ms).enter(rank * self.width + thread, "implicit barrier", line)

    def join(self, rank, ms, line=1):
        self.team, first = self.teams[rank], rank * self.width
        self.at(ms)
        for thread in reversed(range(first, first + self.width)):
            self.leave(thread, "implicit barrier", line)
            self.leave(thread, "parallel", line)
            self.event(thread, "thread_team_end", self.team)
        self.event(first, "thread_join", Paradigm.OPENMP)


def sends_and_barriers(path, rounds):
    """Four ranks: in each round rank 0 sends to rank 1, and all reach a barrier, one after the other."""
    with Job(str(path), ranks=4) as job:
        for at in range(0, 20 * rounds, 20):
            job.call(0, "MPI_Send", at, at + 1, 5, send=(1, 3, 8))
            job.call(1, "MPI_Recv", at, at + 2, 6, receive=(0, 3, 8))
            for rank in range(4):
                job.call(rank, "MPI_Barrier", at + 3 + rank, at + 10, 7, collective=-1)
    return path


def critical(job, thread, order, enter_ms, acquired_ms, left_ms):
    job.at(enter_ms).enter(thread, "critical", 15)
    job.at(acquired_ms).event(thread, "thread_acquire_lock", Paradigm.OPENMP, 1, order)
    job.enter(thread, "critical sblock", 15)
    job.at(left_ms).leave_critical(thread, 1, order, 15)


def team(job, rank, step, begin_ms):
    """A loop that lasts differently, a critical section for which one thread waits, a barrier that reduces, and the
    loop once more."""
    first, late = rank * job.width, 0.1 * rank
    job.fork(rank, begin_ms, 10 + step % 2)
    for i in range(job.width):
        job.at(begin_ms + 0.1 + 0.05 * i).enter(first + i, "for", 12)
        job.at(begin_ms + 1 + 0.3 * ((5 * rank + 3 * step + 2 * i) % 7)).leave(first + i, "for", 12)
    critical(job, first, 2 * step + 1, begin_ms + 4, begin_ms + 4, begin_ms + 5 + late)
    critical(job, first + 1, 2 * step + 2, begin_ms + 4.2, begin_ms + 5.1 + late, begin_ms + 5.8 + late)
    job.at(begin_ms + 5.5 + late).enter(first, "barrier", 20)
    job.at(begin_ms + 6.6 + late).enter(first + 1, "barrier", 20)
    job.at(begin_ms + 6.7 + late).enter(first, "reduction", 20)
    job.at(begin_ms + 7.8 + late).leave(first, "reduction", 20)
    for i in range(job.width):
        job.at(begin_ms + 8 + late + 0.01 * i).leave(first + i, "barrier", 20)
        job.enter(first + i, "for", 12)
        job.leave(first + i, "for", 12)
        job.arrive(rank, i, begin_ms + 9 + (rank + step + i) % 3 * 0.2, 10 + step % 2)


def account(job, steps):
    """What the kernel has of each thread, every 40 ms: it ran for 19 ms and less, and was ready for 3."""
    def put(define, what, words):
        define(what, "STAVE::RUN_TIMES", value=AttributeValue(" ".join(words), Type.STRING))

    for i, location in enumerate(job.locations):
        if i % job.width == 0:
            put(job.definitions.location_group_property, location.group, ["1000", *["40000,37000"] * steps])
        put(job.definitions.location_property, location, ["1", *[f"{19000 - 700 * i},3000"] * steps])


def teams_and_locks(path, ranks, steps):
    """Ranks of two threads, in which much is at the same time in all of them; of the last one a region is left open."""
    with Job(str(path), ranks=ranks, threads=2) as job:
        account(job, steps)
        for step in range(steps):
            for rank in range(ranks):
                job.call(rank, "MPI_Allreduce", 40 * step + (3 * rank + step) % 5, 40 * step + 6, 7, collective=-1)
                team(job, rank, step, 40 * step + 8)
                if rank < ranks - 1 or step < steps - 1:
                    job.join(rank, 40 * step + 20 - 0.1 * rank, 10 + step % 2)
    return path
