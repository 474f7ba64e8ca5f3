"""What counting_tool counted, and comparing it with what an archive holds."""
import collections

Count = collections.namedtuple("Count", "name kind endpoint")
BEGIN, END, BEGINEND = 1, 2, 3


class Counts:
    """Events by (name, kind, endpoint); None where the event has no kind or endpoint."""

    def __init__(self, path):
        self.counts, self.registered = collections.Counter(), set()
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                self.read(line.split())

    def read(self, words):
        if words[0] == "registered":
            self.registered.add(words[1])
            return
        kind, endpoint = (None if word == "-" else int(word) for word in words[1:3])
        self.counts[Count(words[0], kind, endpoint)] += int(words[3])

    def of(self, *names, kinds=None, endpoints=None):
        return sum(number for count, number in self.counts.items()
                   if count.name in names and (kinds is None or count.kind in kinds)
                   and (endpoints is None or count.endpoint in endpoints))

    def names(self):
        """Callbacks; not the pseudo callback `dependence`."""
        return sorted({count.name for count in self.counts} - {"dependence"})

    def records(self, names):
        """{record: number} that these callbacks become: the two ends of implicit tasks are
        records of their own, and so is each of several dependences."""
        numbers = {name: self.of(name) for name in names}
        if "implicit_task" in numbers:
            del numbers["implicit_task"]
            begin = self.of("implicit_task", endpoints=(BEGIN,))
            numbers["implicit_task_begin"] = begin
            numbers["implicit_task_end"] = self.of("implicit_task") - begin
        if "dependences" in numbers:
            del numbers["dependences"]
            numbers["dependence"] = self.of("dependence")
        return numbers


def problems_of_records(expected, properties):
    """`expected` is {record: number}; the archive tells how many it was made from."""
    for name, number in sorted(expected.items()):
        told = int(properties.get(f"STAVE::RECORDS::{name.upper()}", 0))
        if told != number:
            yield f"{name}: {number} delivered, STAVE::RECORDS says {told}"
