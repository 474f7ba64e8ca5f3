"""What differs between two recordings, archives or outputs: readable lines, none where they are the same."""
import collections
import filecmp
import itertools
import re

import printed

# The version, OTF2's number made by chance, and when the writer looked last before it was killed.
NOT_OF_THE_TRACE = re.compile(r"(?<=Stave )\d+\.\d+\.\d+\S*|Trace identifier .*|(?<=STAVE::LOST_AFTER: ).*|"
                              r"(?<=complete up to ).*(?=: all events)")
SHOWN_BYTES = 400


def shortened(text):
    return text if len(text) <= SHOWN_BYTES else f"{text[:SHOWN_BYTES]}... ({len(text)} characters)"


def around(one, other):
    """Two long lines from a little before the place where they part."""
    same = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    begin = max(0, same - SHOWN_BYTES // 2) if max(len(one), len(other)) > SHOWN_BYTES else 0
    return [("..." if begin else "") + shortened(text[begin:]) for text in (one, other)]


def of_lists(what, old, new):
    """The first place where two lists of lines part, and in how many lines they differ."""
    if old == new:
        return
    pairs = itertools.zip_longest(old, new, fillvalue="(nothing)")
    index, (one, other) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
    gone = sum((collections.Counter(old) - collections.Counter(new)).values())
    come = sum((collections.Counter(new) - collections.Counter(old)).values())
    one, other = around(str(one), str(other))
    order = "" if gone or come else ", all in another order"
    yield (f"{what} {index + 1} of {len(old)} and {len(new)} ({gone} only in the old, {come} only in the new{order}):"
           f"\n    old: {one}\n    new: {other}")


def of_the_trace(line):
    return NOT_OF_THE_TRACE.sub("*", line.strip())


def are_same_files(old, new):
    """Byte for byte, but for the anchor, which has a number made by chance."""
    names = [sorted(str(path.relative_to(side)) for path in side.rglob("*") if path.is_file()) for side in (old, new)]
    names = [[name for name in side if name != "traces.otf2"] for side in names]
    return names[0] == names[1] and all(filecmp.cmp(old / name, new / name, shallow=False) for name in names[0])


def location_name(archive, location):
    line = next((line for line in archive.definitions if re.match(rf"LOCATION +{location} ", line)), "")
    found = re.search(r'Name: "(.*?)"', line)
    return f"location {location}{f' ({found.group(1)})' if found else ''}"


def hide_end(archive):
    """What recovery ended, it ended when the writer looked last before it was killed. Definitions have that time,
    too."""
    end = max((events[-1][0] for events in archive.events.values()), default=0)
    for location, events in archive.events.items():
        archive.events[location] = [("*" if time == end else time, text) for time, text in events]
    archive.definitions = [re.sub(r"(?<=Length: )\d+", "*", line) for line in archive.definitions]


def of_archives(old, new, is_end_chance=False):
    """Both are directories. All output of otf2-print is compared."""
    first, second = (printed.Printed(side / "traces.otf2", of_the_trace) for side in (old, new))
    if is_end_chance:
        hide_end(first)
        hide_end(second)
    yield from of_lists("otf2-print's line", first.properties, second.properties)
    yield from of_lists("anchor line", first.anchor, second.anchor)
    if are_same_files(old, new):
        return
    yield from of_lists("definition", first.definitions, second.definitions)
    for location in sorted(first.events.keys() | second.events.keys()):
        yield from of_lists(f"{location_name(first, location)}: event", first.events[location],
                            second.events[location])


def without_age(line):
    """How long a recorded memory has lasted when it is played: from its first event, of long ago, to this second."""
    return re.sub(r"\b\d+ s\b", "* s", of_the_trace(line))


def of_texts(what, old, new, of_line=of_the_trace):
    """Outputs, as bytes."""
    if old != new:
        lines = [list(map(of_line, text.decode(errors="replace").splitlines())) for text in (old, new)]
        yield from of_lists(f"{what}: line", *lines)


def of_files(what, old, new, of_line=of_the_trace):
    yield from of_texts(what, *(path.read_bytes() if path.exists() else b"(no file)" for path in (old, new)),
                        of_line=of_line)


# What is chance when the same script is recorded twice: times of the host and of devices (which have fewer digits than
# addresses), threads' ids, where libraries lie.
CHANCE = [(re.compile(pattern), masked) for pattern, masked in (
    (r" (ticks|time|begin|end|kernel_tid|device_time|translated)=-?\d+", r" \1=*"), (r"\bt-?\d+", "t*"),
    (r"(?<=[,=])[0-9a-f]{9,11}(?=,|$)", "*"), (r"^start \d+", "start *"), (r"^runtime 0x.*", "runtime *"),
    (r"^(record \S+ \S+ module) .*", r"\1"), (r"^(slot \d+ \d+) .*", r"\1"))]


def without_chance(line):
    for pattern, masked in CHANCE:
        line = pattern.sub(masked, line)
    return line


def of_recordings(old, new):
    """Of one script, recorded by two tools: the records without times and threads' ids."""
    yield from of_lists("recorded line", *([without_chance(line) for line in path.read_text().splitlines()]
                                           for path in (old, new)))
