"""Machines that are pretended on this one: each has a name, a time namespace with a clock of its own, and a processor
whose counter cannot be trusted, so that the clock is used."""
import contextlib
import pathlib
import subprocess

import tracing

SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
BEGIN = f"hostname $1 && mount --bind $2 {SOURCE} && echo $$ && exec cat >/dev/null"


class Node:
    """As long as it is open; `enter` has the words before a command that runs there."""

    def __init__(self, folder, number, ahead_s):
        source = pathlib.Path(folder) / "clocksource"
        source.write_text("hpet\n")
        command = ["unshare", "--fork", "--time", "--monotonic", str(ahead_s), "--uts", "--mount",
                   "sh", "-c", BEGIN, "sh", f"node{number}", str(source)]
        self.holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       text=True)
        process = self.holder.stdout.readline().strip()
        if not process:
            raise tracing.Skip(f"no namespaces of time: {self.holder.communicate()[1]}")
        self.enter = ["nsenter", "--target", process, "--time", "--uts", "--mount"]

    def close(self):
        self.holder.communicate()


class Here:
    """The machine itself."""
    enter = []


@contextlib.contextmanager
def pretend(folder, count, ahead_s):
    """So many machines, each one's clock ahead of that before it."""
    nodes = []
    try:
        for number in range(count):
            nodes.append(Node(folder, number, number * ahead_s))
        yield nodes
    finally:
        for node in nodes:
            node.close()
