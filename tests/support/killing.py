"""Killing a traced program and its stave-writer at one moment, for those who recover what they leave."""
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import time

import tracing
from recovery import the_writer

UNIT, CHUNK, EVENTS = 64 << 10, 256 << 10, 2   # of traces.recovery (recovery_file.h)
CLOCK_AT = 56       # in struct recovery_header: when the writer has looked at the clocks last


def wait_until(condition, what):
    deadline = time.monotonic() + tracing.HANG_S
    while not condition():
        if time.monotonic() > deadline:
            raise tracing.Failure(f"not in {tracing.HANG_S} s: {what}")
        time.sleep(0.001)


def is_group_removed(folder):
    """A control group whose last members are still ending is busy."""
    try:
        folder.rmdir()
    except OSError:
        return False
    return True


def has_started(witness):
    if not witness.exists():
        return False
    with witness.open("rb") as file:
        return file.read(8).strip(b"\0")


def kill_both(process, archive):
    """The writer is stopped first, so that it cannot see the program die."""
    writer = the_writer(archive)
    if not writer or pathlib.Path(f"/proc/{writer}/comm").read_bytes() != b"stave-writer\n":
        raise tracing.Failure(f"process {writer} has the lock, no stave-writer")
    os.kill(writer, signal.SIGSTOP)
    process.kill()
    os.kill(writer, signal.SIGKILL)
    process.wait()
    wait_until(lambda: not the_writer(archive), "the writer's end")


def kill_together(process, archive):
    """Each at whatever it does: one signal after the other, as the kernel kills a control group."""
    writer = the_writer(archive)
    os.kill(writer, signal.SIGKILL)
    process.kill()
    process.wait()
    wait_until(lambda: not the_writer(archive), "the writer's end")


class ControlGroup:
    """A group of its own for what is started in it, all of which can be killed together, as a batch system and
    systemd do: by cgroup.kill (version 2, Linux 5.14), else by freezing it first (version 1)."""

    def __init__(self):
        for mount, killer in ("unified", "cgroup.kill"), (".", "cgroup.kill"), ("freezer", "freezer.state"):
            self.folder = pathlib.Path("/sys/fs/cgroup", mount, f"stave-test-{os.getpid()}")
            try:
                self.folder.mkdir()
            except OSError:
                continue
            if (self.folder / killer).exists():
                return
            self.folder.rmdir()
        raise tracing.Skip("no control group of which all processes can be killed together")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def members(self):
        return [int(line) for line in (self.folder / "cgroup.procs").read_text().split()]

    def kill(self):
        if (self.folder / "cgroup.kill").exists():
            (self.folder / "cgroup.kill").write_text("1")
        else:
            state = self.folder / "freezer.state"
            state.write_text("FROZEN")
            wait_until(lambda: state.read_text() == "FROZEN\n", "the group is frozen")
            for pid in self.members():
                os.kill(pid, signal.SIGKILL)
            state.write_text("THAWED")
        wait_until(lambda: not self.members(), "the end of all of the group")

    def is_removed(self):
        return is_group_removed(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        wait_until(self.is_removed, "the end of the control group")


def rings_of(archive):
    """The file that has the rings of an archive that is not closed, as its recovery file names it; None: they have no
    name."""
    with open(archive / "traces.recovery", "rb") as file:
        found = re.search(rb"stave-[0-9a-f]{32}\0", file.read(UNIT))
    return pathlib.Path("/dev/shm", found[0][:-1].decode()) if found else None


def may_survive():
    """Whether /dev/shm has room for what survives both processes (session.c)."""
    mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
    room = os.statvfs("/dev/shm") if ["/dev/shm", "tmpfs"] in [words[1:3] for words in mounts] else None
    return bool(room) and room.f_bavail * room.f_bsize >= 512 << 20


def wait_until_running(archive, threads):
    """A chunk is full, and each thread has its file: on a busy machine the one may be before the other."""
    def is_running():
        files = list(archive.glob("traces/*.evt"))
        return len(files) >= threads and any(path.stat().st_size for path in files)
    wait_until(is_running, "a chunk, and a file of each thread")


def passes(archive):
    """Something that changes every 50 ms or so, as long as the writer works."""
    with open(archive / "traces.recovery", "rb") as file:
        return file.read(CLOCK_AT + 8)[CLOCK_AT:]


def has_read(archive):
    """Whether the writer has put an event into a block; until then there is nothing to recover."""
    data = (archive / "traces.recovery").read_bytes()
    heads = (struct.unpack_from("<IIQQ", data, at) for at in range(UNIT, len(data) - UNIT, UNIT + CHUNK))
    return any(use == EVENTS and count > 0 for use, _, _, count in heads)


def wait_until_drained(archive):
    """The writer has taken all that was recorded before the call: between two changes it began a pass."""
    for _ in range(2):
        before = passes(archive)
        wait_until(lambda: passes(archive) != before, "the writer's passes")


def started_until_stop(command, environment):
    """The command, which has stopped itself (SIGSTOP)."""
    process = subprocess.Popen([str(word) for word in command], env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        return process
    process.returncode = os.waitstatus_to_exitcode(status)
    error = process.stderr.read().decode(errors="replace")
    raise tracing.Failure(f"{command} has not stopped: {process.returncode}: {error}")


def stop_and_kill(command, environment, archive):
    """The command stops itself; when the writer has drained all of it, both are killed."""
    with started_until_stop(command, environment) as process:
        wait_until_drained(archive)
        kill_both(process, archive)


def is_stopped(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"


def close_and_copy(process, archive, copy):
    """The archive's directory as it would be left if program and writer were killed now, copied; then the program is
    killed alone, and its writer closes the archive: two archives of one run."""
    writer = the_writer(archive)
    os.kill(writer, signal.SIGSTOP)
    wait_until(lambda: is_stopped(writer), "the writer stops")
    shutil.copytree(archive, copy)
    process.kill()
    os.kill(writer, signal.SIGCONT)
    process.wait()
    wait_until(lambda: not (archive / "traces.recovery").exists(), "the writer closes the archive")
