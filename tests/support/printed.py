"""Archives as otf2-print prints them."""
import collections
import re

import tracing

EVENT = re.compile(r"([A-Z][A-Z_]+) +([0-9]+) +([0-9]+) +(.*)$")


class Printed:
    """The lines of the anchor file ("Property NAME: VALUE" and others), the definitions, each a line, and by location
    the events: (time, text with all attributes). `clean` is what is done to each line."""

    def __init__(self, anchor, clean=str.strip):
        result = tracing.otf2_print(anchor, "-A")
        self.properties = result.stderr.decode(errors="replace").splitlines()
        text = result.stdout.decode(errors="replace")
        head, _, events = text.partition("=== Events")
        described, _, definitions = head.partition("=== Global Definitions")
        described = re.sub(r"Property name +(.*)\nProperty value +", r"Property \1: ", described)
        self.anchor = [clean(line) for line in described.splitlines() if line.strip()]
        self.definitions = [clean(line) for line in definitions.splitlines() if re.match("[A-Z][A-Z_]+ ", line)]
        self.events = collections.defaultdict(list)
        self.read_events(events, clean)

    def read_events(self, text, clean):
        place = None
        for line in text.splitlines():
            found = EVENT.match(line)
            if found:
                place = self.events[int(found.group(2))]
                place.append((int(found.group(3)), f"{found.group(1)} {clean(found.group(4))}"))
            elif place and line.startswith(" ") and line.strip():
                place[-1] = (place[-1][0], f"{place[-1][1]} {clean(line)}")

    def count(self):
        return sum(len(events) for events in self.events.values())
