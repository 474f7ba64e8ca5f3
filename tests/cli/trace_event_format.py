"""A validator of the Trace Event Format, as its description ("Trace Event Format", Google, 2016) and the importers of
catapult and Perfetto have it: which members an event of each phase has, of which types, and what fits together. (No
package of Debian 12 or npm has either importer.)

    problems(json.loads(text))    # a list of lines; none: it is valid
"""
import collections
import math

NEEDED = {  # phase: members besides ph, pid, tid and (but for M) ts
    "B": ("name", "cat"), "E": (), "i": ("name", "cat", "s"), "C": ("name", "cat", "args"), "M": ("name", "args"),
    "s": ("name", "cat", "id"), "f": ("name", "cat", "id"), "b": ("name", "cat", "id"), "e": ("name", "cat", "id"),
    "P": ("name", "cat")}
ALLOWED = {"ph", "pid", "tid", "ts", "name", "cat", "args", "s", "id", "bp", "sf"}
METADATA = {"process_name": "name", "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def shape(event):
    """What is wrong with one event by itself."""
    phase = event.get("ph")
    if phase not in NEEDED:
        return f"phase {phase!r}"
    for member in NEEDED[phase]:
        if member not in event:
            return f"no {member}"
    if set(event) - ALLOWED:
        return f"unknown members {set(event) - ALLOWED}"
    has_time = is_number(event.get("ts", 0 if phase == "M" else None))
    if not (has_time and isinstance(event.get("pid"), int) and isinstance(event.get("tid"), int)):
        return "pid, tid or ts is no number"
    if any(not isinstance(event.get(member, "x"), str) or not event.get(member, "x") for member in ("name", "cat")):
        return "name or cat is no text"
    if not isinstance(event.get("args", {}), dict):
        return "args is no object"
    if phase == "i" and event["s"] not in "gpt":
        return "scope"
    if phase == "C" and not (event["args"] and all(map(is_number, event["args"].values()))):
        return "a counter's values are numbers"
    if phase == "M" and METADATA.get(event["name"]) not in event["args"]:
        return "metadata without its argument"
    return "bp" if event.get("bp", "e") != "e" else None


def frames_wrong(frames):
    """Frames need names, and their parents lead to a root."""
    for number, frame in frames.items():
        seen = set()
        if not isinstance(frame.get("name"), str):
            yield f"frame {number}: no name"
        while "parent" in frame and frame["parent"] not in seen:
            seen.add(frame["parent"])
            if frame["parent"] not in frames:
                yield f"frame {number}: parent {frame['parent']} is not there"
                break
            frame = frames[frame["parent"]]
        else:
            if "parent" in frame:
                yield f"frame {number}: its parents are a circle"


def pairs_wrong(events, begin, end, key):
    """Of each key there are as many begins as ends, and the begin comes first in time."""
    started = collections.defaultdict(list)
    ended = collections.defaultdict(list)
    for event in events:
        if event["ph"] in begin + end:
            (started if event["ph"] in begin else ended)[key(event)].append(event["ts"])
    for one, times in ended.items():
        if len(started[one]) < len(times):
            yield f"{end} without {begin}: {one}"
        elif sorted(times)[0] < sorted(started[one])[0]:
            yield f"{end} before {begin}: {one}"


def slices_wrong(events):
    """B and E nest in the order of the file, and their times do not go back."""
    depth, last = collections.Counter(), {}
    for event in events:
        if event["ph"] not in "BE":
            continue
        track = event["pid"], event["tid"]
        if event["ts"] < last.get(track, 0):
            yield f"time goes back on {track}"
        last[track] = event["ts"]
        depth[track] += 1 if event["ph"] == "B" else -1
        if depth[track] < 0:
            yield f"E without B on {track}"
    yield from (f"{count} slices are open on {track}" for track, count in depth.items() if count > 0)


def problems(document):
    if not isinstance(document.get("traceEvents"), list):
        return ["no traceEvents"]
    events = document["traceEvents"]
    frames = document.get("stackFrames", {})
    found = [f"{wrong}: {event}" for event in events for wrong in [shape(event)] if wrong]
    if found:
        return found
    found += frames_wrong(frames)
    found += slices_wrong(events)
    found += pairs_wrong(events, "s", "f", lambda event: (event["cat"], event["name"], event["id"]))
    found += pairs_wrong(events, "b", "e", lambda event: (event["cat"], event["name"], event["id"]))
    for event in events:
        if "sf" in event and event["sf"] not in frames:
            found.append(f"stack frame {event['sf']} is not there")
    return found
