"""Jobs of MPI: which MPI is there, running a program under it, and how its ranks' archives agree."""
import collections
import os
import pathlib
import shutil
import signal
import subprocess

import otf2

import archive
import tracing

MPIS = ("openmpi", "mpich")
LIMIT_S = 300
# What Open MPI requires of root; and messages as between nodes, whatever the machine has else. (By shared memory: 200
# runs of everything.c, half of them traced, ended like these.)
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SETTINGS = {**ROOT, "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_osc": "ucx,sm"}

# Of the compiler: Open MPI's handles are addresses of variables, which are copied into such programs.
OPTIONS = {"openmpi": ["-fno-pie", "-no-pie"], "mpich": []}


def compiler(mpi, language="c"):
    return shutil.which({"c": "mpicc", "fortran": "mpif90"}[language] + "." + mpi)


def need(mpi, language="c"):
    if not compiler(mpi, language) or not shutil.which("mpirun." + mpi):
        raise tracing.Skip(f"{mpi} is not installed")


def build(mpi, source, program, *options, language="c", cc="clang"):
    """Compiled by clang by default, whose OpenMP Stave traces."""
    environment = {**os.environ, "OMPI_CC": cc, "MPICH_CC": cc}
    command = [compiler(mpi, language), "-g", str(source), "-o", str(program), *options]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise tracing.Failure(f"{' '.join(command)}: {result.stderr}")


def launcher(mpi, ranks):
    """Without binding, and more ranks than processors."""
    more = ["--oversubscribe", "--bind-to", "none"] if mpi == "openmpi" else []
    return ["mpirun." + mpi, *more, "-n", str(ranks)]


def environment(build_root, output, **settings):
    """Of the launcher; what is preloaded is for the ranks alone. The tool is the one that libstave-mpi.so loads,
    without sanitizers, which would find their faults in the launcher."""
    traced = {**tracing.tool_environment(build_root, output, **settings), **SETTINGS}
    traced.pop("LD_PRELOAD", None)
    return {**traced, "OMP_TOOL_LIBRARIES": str(build_root.plain_tool)}


def library(build_root):
    return build_root.writer.parents[1] / "mpi" / "libstave-mpi.so"


def run(build_root, mpi, ranks, program, folder, **settings):
    """Runs the program; (result, paths of the archives by rank)."""
    command = [*launcher(mpi, ranks), "env", f"LD_PRELOAD={library(build_root)}", *program]
    result = tracing.run(command, environment(build_root, folder / "rank-%r", **settings), timeout=LIMIT_S)
    return result, [folder / f"rank-{rank}" for rank in range(ranks)]


def ranks_of(program):
    """Processes that run it, but launchers and env, in which it is an argument."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/exe"):
        try:
            if os.readlink(entry) == str(program):
                found.append(int(entry.parent.name))
        except OSError:
            pass
    return found


def kill(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def keep_members():
    """Of groups, as written: python3-otf2 makes locations of them, of which a rank's archive has only its own."""
    make = otf2.definitions.Group._construct.__func__

    def construct(cls, registry, ref, name, group_type, paradigm, flags, members):
        MEMBERS[id(registry), ref] = [int(member) for member in members]
        return make(cls, registry, ref, name, group_type, paradigm, flags, members)
    otf2.definitions.Group._construct = classmethod(construct)


MEMBERS = {}
keep_members()


class Rank:
    """One rank's archive: messages, requests and collective operations."""

    def __init__(self, path):
        self.archive = archive.Archive(str(path / "traces.otf2"))
        properties = self.archive.properties
        self.rank, self.size = int(properties["STAVE::MPI::RANK"]), int(properties["STAVE::MPI::SIZE"])
        self.keys = {int(name.rpartition("::")[2]): value for name, value in properties.items()
                     if name.startswith("STAVE::MPI::COMM::")}
        self.sends, self.receives = collections.defaultdict(list), collections.defaultdict(list)
        self.collectives = collections.defaultdict(list)
        self.started, self.ended = collections.Counter(), collections.Counter()
        self.kinds, self.regions, self.posted = collections.Counter(), collections.Counter(), {}
        self.polled = collections.Counter()     # of regions those of calls that found nothing
        self.members = {comm._ref: self.members_of(comm) for comm in self.archive.definitions.comms if comm}
        self.read()

    def members_of(self, comm):
        """World ranks."""
        is_self = str(comm.group.group_type).endswith("COMM_SELF")
        return [self.rank] if is_self else MEMBERS[id(self.archive.definitions), comm.group._ref]

    def key(self, comm):
        return self.keys.get(comm._ref, f"rank {self.rank} comm {comm._ref}")

    def send(self, event):
        receiver = self.members[event.communicator._ref][event.receiver]
        self.sends[self.key(event.communicator), self.rank, receiver, event.msg_tag].append(event.msg_length)

    def receive(self, event, position):
        sender = self.members[event.communicator._ref][event.sender]
        self.receives[self.key(event.communicator), sender, self.rank, event.msg_tag].append(
            (position, event.msg_length))

    def read(self):
        for position, (_, kind, event) in enumerate(self.archive.events()):
            self.kinds[kind] += 1
            if kind in ("MpiSend", "MpiIsend"):
                self.send(event)
            if kind in ("MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest"):
                self.started[event.request_id] += 1
                self.posted[event.request_id] = position
            if kind in ("MpiIsendComplete", "MpiIrecv", "MpiRequestCancelled", "NonBlockingCollectiveComplete"):
                self.ended[event.request_id] += 1
            if kind in ("MpiRecv", "MpiIrecv"):
                self.receive(event, self.posted[event.request_id] if kind == "MpiIrecv" else position)
            if kind == "MpiCollectiveEnd":
                self.collectives[self.key(event.communicator)].append((str(event.collective_op), event.root))
            if kind == "Enter":
                self.regions[event.region.name] += 1
            if kind == "Leave" and any(name.name == "failed tests" for name in event.attributes or ()):
                self.polled[event.region.name] += 1


def merged(tables):
    """Tables of lists with keys of their own each."""
    result = {}
    for table in tables:
        for key, values in table.items():
            result.setdefault(key, []).extend(values)
    return result


def unmatched(ranks):
    """Lines: messages that have no counterpart of the same size in the same place."""
    sends = merged(rank.sends for rank in ranks)
    receives = {key: [size for _, size in sorted(values)]
                for key, values in merged(rank.receives for rank in ranks).items()}
    for key in sorted(sends.keys() | receives.keys()):
        sent, received = sends.get(key, []), receives.get(key, [])
        if sent != received:
            yield f"comm, from, to, tag {key}: sent {sent}, received {received}"


def left_open(ranks):
    """Lines: requests that did not end once."""
    for rank in ranks:
        for request in sorted(rank.started.keys() | rank.ended.keys()):
            if rank.started[request] != 1 or rank.ended[request] != 1:
                yield (f"rank {rank.rank}, request {request:#x}: {rank.started[request]} begins, "
                       f"{rank.ended[request]} ends")


def uneven(ranks):
    """Lines: communicators on which ranks did not do the same operations in the same order."""
    for key in sorted({key for rank in ranks for key in rank.collectives}):
        operations = [rank.collectives[key] for rank in ranks if key in rank.collectives]
        if any(other != operations[0] for other in operations):
            yield f"comm {key}: {operations}"
