r"""What a test expects of an archive, one line each ('#' starts a comment, shell quoting):

    count|min|max SUBJECT PREDICATE... N     SUBJECT: event (if left out), enter, leave,
    SUBJECT PREDICATE... [N]                   region, location, comm, property, lost, attr
    sum leave-enter|exclusive PREDICATE... min_ms|max_ms X

Without a relation and a number at least one must match; with a number alone exactly that many.
PREDICATE: KEY=TEXT  KEY!=TEXT  KEY~REGEX  KEY!~REGEX.  "attr" is followed by the attribute's name
and its value, or * for any.
"""
import collections
import re
import shlex

SUBJECTS = ("event", "enter", "leave", "region", "location", "comm", "property", "lost", "attr")
PREDICATE = re.compile(r"(\w+)(=|!=|~|!~)(.*)", re.S)


class Expectation:
    def __init__(self, line):
        self.line = line
        words = shlex.split(line)
        self.attribute = ()
        if words[0] == "sum":
            self.subject, self.relation, self.limit = words[1], words[-2], float(words[-1])
            words = words[2:-2]
        else:
            words = self.parse_count(words)
        self.predicates = [self.parse_predicate(word) for word in words]

    def parse_count(self, words):
        relation = words.pop(0) if words[0] in ("count", "min", "max") else None
        self.subject = words.pop(0) if words and words[0] in SUBJECTS else "event"
        if self.subject == "attr":
            self.attribute, words = tuple(words[:2]), words[2:]
        if words and words[-1].isdigit():
            self.relation, self.limit = relation or "count", int(words.pop())
        elif relation is None:
            self.relation, self.limit = "min", 1
        else:
            raise ValueError(f"{self.line}: a number is missing")
        return words

    def parse_predicate(self, word):
        match = PREDICATE.fullmatch(word)
        if not match:
            raise ValueError(f"{self.line}: '{word}' is not a predicate")
        return match.groups()

    def accepts(self, row):
        return all(holds(operator, str(row.get(key, "")), expected)
                   for key, operator, expected in self.predicates)

    def problem(self, tally):
        """None, or what is wrong."""
        found = sum(weight for row, weight in tally.rows(self) if self.accepts(row))
        relation = self.relation.split("_")[0]
        is_met = {"count": found == self.limit, "min": found >= self.limit, "max": found <= self.limit}[relation]
        return None if is_met else f"expected: {self.line}; found: {found:g}"


def holds(operator, actual, expected):
    if operator in ("=", "!="):
        return (actual == expected) == (operator == "=")
    return bool(re.search(expected, actual)) == (operator == "~")


class Tally:
    """What expectations count. Filled while the events are read."""

    def __init__(self, archive):
        self.archive = archive
        self.events = collections.Counter()       # (location, kind, region)
        self.inclusive = collections.Counter()    # (location, region): ticks
        self.exclusive = collections.Counter()
        self.attributes = collections.Counter()   # (name, value, location, kind, region)

    def event(self, location, kind, event):
        region = event.region._ref if kind in ("Enter", "Leave") else None
        self.events[location, kind, region] += 1
        for attribute, value in (event.attributes or {}).items():
            self.attributes[attribute.name, str(value), location, kind, region] += 1

    def number(self, kind=None):
        """Of the events of a kind; of all if left out."""
        return sum(number for (_, found, _), number in self.events.items() if kind in (None, found))

    def row(self, location, region, **more):
        place = self.archive.locations[location]
        named = self.archive.regions[region]._asdict() if region is not None else {}
        return dict(named, location=location, location_name=place.name,
                    location_type=place.type, **more)

    def rows(self, expectation):
        """Yields (row, weight); the weight is a number or milliseconds."""
        name = expectation.subject.replace("leave-enter", "inclusive")
        if name in ("inclusive", "exclusive"):
            return self.rows_of_times(getattr(self, name))
        if name in ("event", "enter", "leave"):
            return self.rows_of_events(name)
        return getattr(self, f"rows_of_{name}")(expectation)

    def rows_of_times(self, times):
        for (location, region), ticks in times.items():
            yield self.row(location, region), self.archive.milliseconds(ticks)

    def rows_of_events(self, name):
        for (location, kind, region), number in self.events.items():
            if name == "event" or kind.lower() == name:
                yield self.row(location, region, event=kind), number

    def rows_of_attr(self, expectation):
        for (name, value, location, kind, region), number in self.attributes.items():
            if name == expectation.attribute[0] and expectation.attribute[1] in ("*", value):
                yield self.row(location, region, event=kind), number

    def rows_of_region(self, _):
        return ((region._asdict(), 1) for region in self.archive.regions.values())

    def rows_of_location(self, _):
        return ((location._asdict(), 1) for location in self.archive.locations.values())

    def rows_of_comm(self, _):
        for comm in self.archive.comms.values():
            yield {"comm": comm.comm, "name": comm.name, "size": len(comm.members),
                   "parent": "" if comm.parent is None else comm.parent}, 1

    def rows_of_property(self, _):
        return (({"name": name, "value": value}, 1)
                for name, value in self.archive.properties.items())

    def rows_of_lost(self, _):
        for name, value in self.archive.losses():
            yield {"source": name}, int(value) if value.isdigit() else 1


def read_expectations(path):
    with open(path, encoding="utf-8") as lines:
        return [Expectation(line.strip()) for line in lines
                if line.strip() and not line.lstrip().startswith("#")]
