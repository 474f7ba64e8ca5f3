"""What a real CUPTI has recorded (NAME.activity.jsonl), as played_cupti.c plays it, and the truth of it."""
import json
import pathlib
import re

COPY_TO, COPY_FROM = 1, 2
WORDS = {"driver": "call", "memcpy": "copy", "memset": "set", "synchronization": "wait"}
KINDS = {word: kind for kind, word in WORDS.items()}
WORK = ("start", "end", "device", "context", "stream", "correlation")
NUMBERS = {"kernel": WORK, "memcpy": (*WORK, "copy", "bytes", "from", "to"), "memset": (*WORK, "bytes"),
           "synchronization": ("start", "end", "context", "stream", "correlation", "type", "event"),
           "event": ("context", "stream", "correlation", "event"),
           "driver": ("start", "end", "thread", "correlation", "cbid"), "device": ("id", "multiprocessors")}


def records(path):
    if str(path).endswith(".played"):
        return read(path)
    with open(path) as lines:
        return [json.loads(line) for line in lines]


def read(path):
    """What write has written."""
    found = []
    with open(path) as lines:
        for line in map(str.strip, lines):
            word, *rest = line.split(" ")
            kind = KINDS.get(word, word)
            record = {"kind": kind, **dict(zip(NUMBERS.get(kind, ()), map(int, rest)))}
            rest = rest[len(NUMBERS.get(kind, ())):]
            if kind == "kernel":
                record |= {"grid": [*map(int, rest[:3])], "block": [*map(int, rest[3:6])], "name": " ".join(rest[6:])}
            elif kind in ("driver", "device"):
                record["name"] = " ".join(rest)
            found.append(record)
    return found


def line_of(record):
    kind = record["kind"]
    if kind not in NUMBERS:
        return ""
    words = [record.get(key, 0) for key in NUMBERS[kind]]
    if kind == "kernel":
        words += [*record["grid"], *record["block"]]
    return " ".join(map(str, words + [record["name"]] if "name" in record else words))


def write(recorded, path):
    with open(path, "w") as file:
        for record in recorded:
            line = line_of(record)
            file.write(f"{WORDS.get(record['kind'], record['kind'])} {line}\n" if line else "other\n")


PLACES = ("alpha", "beta", "gamma_", "delta", "epsilon", "zeta")
REGION = "1"  # ompt_target_t
LINES = {
    "target": re.compile(r"target (\d+) thread (\d+) kind (\d+) (begin|end) device (-?\d+) id (\d+) ra (\S+)"),
    "data": re.compile(r"data (\d+) (begin|end) op (\d+) target (\d+) src (\S+)@(-?\d+) dst (\S+)@(-?\d+) bytes (\d+)"),
    "submit": re.compile(r"submit (\d+) (begin|end) target (\d+) teams (\d+)")}


class Host:
    """OMPT's callbacks of the same run (NAME.host.txt), with the calls of the driver, as a script for
    support/scripted_runtime.c. Lines of the source are functions of the script's program."""

    def __init__(self, path, recorded):
        self.recorded = recorded
        self.lines = []  # those of OMPT's callbacks
        self.regions = {}  # target id: place, of those that have kernels
        self.places = {}
        self.threads = {}  # of the kernel: the script's
        self.events = []  # (time, thread, line)
        self.calls = {one["correlation"]: one["external"] for one in recorded if one["kind"] == "external"}
        self.of_target = {}
        for line in pathlib.Path(path).read_text().splitlines():
            found = (LINES[line.split(" ")[0]].match(line) if line.split(" ")[0] in LINES else None)
            if found:
                self.lines.append(line)
                getattr(self, "add_" + line.split(" ")[0])(*found.groups())
        self.add_calls()

    def add(self, time, thread, line):
        self.events.append((int(time), thread, line))

    def add_target(self, time, thread, kind, endpoint, device, number, address):
        thread = self.threads.setdefault(thread, len(self.threads))
        rest = [one for one in PLACES if one not in self.places.values()]
        place = self.places.setdefault(address, rest[0]) if kind == REGION else PLACES[-1]
        self.of_target[number] = thread, place
        self.add(time, thread, f"target_emi {endpoint} kind={kind} device={device} task=I{thread} target=G{number} "
                               f"codeptr={place}+4")

    def add_data(self, time, endpoint, kind, target, source, source_device, destination, destination_device, size):
        thread, place = self.of_target.get(target, (0, PLACES[-1]))
        source, destination = (0 if one == "(nil)" else one for one in (source, destination))
        self.add(time, thread, f"target_data_op_emi {endpoint} kind={kind} target=G{target} host_op=H{thread} "
                               f"src={source} src_device={source_device} dest={destination} "
                               f"dest_device={destination_device} bytes={size} codeptr={place}+4")

    def add_submit(self, time, endpoint, target, teams):
        thread = self.of_target[target][0]
        self.add(time, thread, f"target_submit_emi {endpoint} target=G{target} host_op=H{thread} requested={teams}")

    def add_calls(self):
        for index, one in enumerate(self.recorded):
            if one["kind"] == "driver":
                thread = self.of_target.get(str(self.calls.get(one["correlation"])), (0,))[0]
                self.add(one["start"], thread, f"called {index} enter")
                self.add(one["end"], thread, f"called {index} leave")

    def kernels_by_place(self):
        """{place: [kernel]}"""
        found = {}
        for one in self.recorded:
            if one["kind"] == "kernel":
                place = self.of_target[str(self.calls[one["correlation"]])][1]
                found.setdefault(place, []).append(one)
        return found

    def write(self, path, late_ms):
        """All that devices do is late_ms later, and before the end."""
        end = max(time for time, _, _ in self.events) + int(1e6 * late_ms)
        lines = ["0: start", "0: thread_begin type=initial thread=T0"]
        lines += [f"{one}: thread_begin type=initial thread=T{one}" for one in self.threads.values() if one]
        lines += ["0: inject", "0: device_initialize device=0 type=sm_90"]
        for time, thread, line in sorted(self.events, key=lambda one: one[0]):
            lines += [f"{thread}: until {time}", f"{thread}: {line}"]
        lines += [f"0: until {end}"]
        lines += [f"{one}: thread_end thread=T{one}" for one in self.threads.values()] + ["0: finalize"]
        pathlib.Path(path).write_text("\n".join(lines) + "\n")


class Truth:
    """Of one recording; times in ns."""

    def __init__(self, recorded):
        self.kernels = [one for one in recorded if one["kind"] == "kernel"]
        self.to = [one for one in recorded if one["kind"] == "memcpy" and one["copy"] == COPY_TO]
        self.back = [one for one in recorded if one["kind"] == "memcpy" and one["copy"] == COPY_FROM]
        self.sets = [one for one in recorded if one["kind"] == "memset"]
        self.all = self.kernels + self.to + self.back + self.sets
        self.streams = {one["stream"] for one in self.all}
        self.first = min(one["start"] for one in self.all)
        self.last = max(one["end"] for one in self.all)

    @staticmethod
    def time(some):
        return sum(one["end"] - one["start"] for one in some)

    @staticmethod
    def union(some):
        """How long at least one of them goes on."""
        all_time, until = 0, 0
        for one in sorted(some, key=lambda one: one["start"]):
            all_time += max(0, one["end"] - max(one["start"], until))
            until = max(until, one["end"])
        return all_time
