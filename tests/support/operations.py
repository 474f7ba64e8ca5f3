"""A rank's one-sided operations and files by its archive, beside those by the program itself."""
import collections

COUNTED = ("Rma", "Io")
BEGINS = ("RmaPut", "RmaGet", "RmaAtomic", "IoOperationBegin")
# By what is started, what ends it, and whether it has to.
ENDS = {"Rma": ("RmaOpCompleteNonBlocking", "RmaOpCompleteRemote"), "Io": ("IoOperationComplete",)}


def truth(folder, rank):
    """Kinds of events, and bytes, as tests/mpi/everything.c has counted them."""
    lines = (folder / f"truth-{rank}").read_text().splitlines()
    return {kind: int(count) for kind, count in map(str.split, lines)}


class Operations:
    """As they are in an archive."""

    def __init__(self, archive):
        self.archive, self.windows, self.handles = archive, collections.defaultdict(list), collections.defaultdict(list)
        self.counts, self.started, self.ended = collections.Counter(), {}, collections.defaultdict(list)
        self.complaints = []
        for _, kind, event in archive.events():
            if kind.startswith(COUNTED):
                self.counts[kind] += 1
                self.note(kind, event)

    def note(self, kind, event):
        if kind in BEGINS:
            if event.matching_id in self.started:
                self.complaints.append(f"{kind}: {event.matching_id} begins twice")
            self.started[event.matching_id] = kind
            self.note_bytes(kind, event)
        elif hasattr(event, "matching_id"):
            if event.matching_id not in self.started:
                self.complaints.append(f"{kind}: {event.matching_id} has not started")
            self.ended[event.matching_id].append(kind)
        if kind == "IoOperationComplete":
            self.counts["completed"] += event.bytes_result
        if hasattr(event, "win"):
            self.note_use(self.windows[event.win._ref], kind, event)
        if hasattr(event, "handle"):
            self.note_use(self.handles[event.handle._ref], kind, event)

    @staticmethod
    def note_use(events, kind, event):
        operation = getattr(event, "collective_op", None)
        events.append(f"{kind} {operation}" if operation is not None else kind)

    def note_bytes(self, kind, event):
        if kind == "IoOperationBegin":
            self.counts["requested"] += event.bytes_request
        elif kind == "RmaAtomic":
            self.counts["bytes"] += event.bytes_sent
            self.counts["received"] += event.bytes_received
        else:
            self.counts["bytes"] += event.bytes

    def wrong_ends(self):
        """Lines: operations that do not end as they should."""
        yield from self.complaints
        for operation, kind in self.started.items():
            expected = ENDS["Io" if kind.startswith("Io") else "Rma"]
            ends = [end for end in self.ended[operation] if end != "IoOperationIssued"]
            if sorted(ends) != sorted(expected):
                yield f"{kind} {operation}: ended by {ends}"

    def wrong_lives(self):
        """Lines: windows and handles that are used before they are made or after they are freed. (What is collective
        on a window begins before it is made and ends after it is freed.)"""
        lives = [(self.windows, "RmaWinCreate", "RmaWinDestroy"), (self.handles, "IoCreateHandle", "IoDestroyHandle")]
        for table, made, freed in lives:
            for number, events in table.items():
                events = [event for event in events if not event.startswith("RmaCollectiveEnd")]
                if (events[0], events[-1]) != (made, freed) or events.count(made) != 1 or events.count(freed) != 1:
                    yield f"{number}: {events}"


def differences(counted, expected):
    """Lines: what the program has counted otherwise."""
    for kind in sorted(counted.keys() | expected.keys()):
        if counted.get(kind, 0) != expected.get(kind, 0):
            yield f"{kind}: {counted.get(kind, 0)}, the program counted {expected.get(kind, 0)}"


def uneven_windows(ranks):
    """Lines: windows that several ranks have, and in which they did not do the same collective operations."""
    found = collections.defaultdict(list)
    for operations in ranks:
        for name, key in operations.archive.properties.items():
            if name.startswith("STAVE::MPI::WINDOW::"):
                events = operations.windows[int(name.rpartition("::")[2])]
                found[key].append([event for event in events if event.startswith("RmaCollectiveEnd")])
    for key, lists in found.items():
        if any(other != lists[0] for other in lists):
            yield f"window {key}: {lists}"
        if len(lists) < 2:
            yield f"window {key} is of one rank alone"
