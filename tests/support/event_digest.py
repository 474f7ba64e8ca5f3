#!/usr/bin/python3
"""event_digest.py ARCHIVE: one line of JSON, a list for each location: its process, its name, how many events it has,
their first and last time, and a digest of all of them with the definitions of their numbers. Locations of two archives
with equal digests have the same events: times, kinds, names, members of teams, attributes."""
import hashlib
import json
import sys

import otf2

import archive


def word(value):
    """The definition of a number, so that it is the same wherever it has another one."""
    if hasattr(value, "source_code_location"):      # a calling context
        place = value.source_code_location
        return [word(value.region), place and (place.file, place.line_number), value.parent and word(value.parent)]
    group = getattr(value, "group", value)
    members = getattr(group, "members", None)     # of MPI's only those of the archive's own rank are known
    if isinstance(group, otf2.definitions.Group) and group.paradigm == otf2.Paradigm.MPI:
        return f"{type(value).__name__} {value.name}"
    if members is not None:
        return [member.name for member in members]
    if isinstance(value, dict):
        return sorted((attribute.name, str(word(content))) for attribute, content in value.items())
    for name in ("canonical_name", "name"):
        if hasattr(value, name):
            return f"{type(value).__name__} {getattr(value, name)}"
    return str(value)


def row(event):
    return [type(event).__name__, event.time] + [
        [name.lstrip("_"), word(content)] for name, content in sorted(vars(event).items()) if name != "_time"]


def main(path):
    opened, found = archive.Archive(path), {}
    for location, _, event in opened.events():
        state = found.setdefault(location, [0, event.time, 0, hashlib.sha256()])
        state[0] += 1
        state[2] = event.time
        state[3].update(json.dumps(row(event)).encode())
    print(json.dumps([[item.group, item.name, state[0], state[1], state[2], state[3].hexdigest()]
                      for number, item in sorted(opened.locations.items())
                      for state in [found.get(number, [0, 0, 0, hashlib.sha256()])]]))
    opened.close()


if __name__ == "__main__":
    main(sys.argv[1])
