"""What a real CUPTI has recorded (NAME.activity.jsonl), as played_cupti.c plays it, and the truth of it."""
import json

COPY_TO, COPY_FROM = 1, 2
WORDS = {"driver": "call", "memcpy": "copy", "memset": "set"}
KINDS = {word: kind for kind, word in WORDS.items()}
WORK = ("start", "end", "device", "context", "stream", "correlation")
NUMBERS = {"kernel": WORK, "memcpy": (*WORK, "copy", "bytes", "from", "to"), "memset": (*WORK, "bytes"),
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
    words = [record[key] for key in NUMBERS[kind]]
    if kind == "kernel":
        words += [*record["grid"], *record["block"]]
    return " ".join(map(str, words + [record["name"]] if "name" in record else words))


def write(recorded, path):
    with open(path, "w") as file:
        for record in recorded:
            line = line_of(record)
            file.write(f"{WORDS.get(record['kind'], record['kind'])} {line}\n" if line else "other\n")


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
