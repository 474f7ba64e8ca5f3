"""The samples of an archive, with what the tests of sampling need of them."""
import collections

from archive import Archive

Sample = collections.namedtuple("Sample", "location time state path lock wait_id missed")
PREFIX = "STAVE::SAMPLING::"


class Samples:
    """All samples, in order; and who acquired which lock."""

    def __init__(self, path):
        archive = Archive(str(path))
        self.locations = {ref: location.name for ref, location in archive.locations.items()}
        self.spans, self.samples, self.acquires = {}, [], collections.defaultdict(set)
        self.resolution = archive.clock.timer_resolution
        self.properties = archive.properties
        for location, kind, event in archive.events():
            first, _ = self.spans.get(location, (event.time, None))
            self.spans[location] = (first, event.time)
            if kind == "CallingContextSample":
                self.samples.append(sample_of(location, event))
            elif kind == "ThreadAcquireLock":
                self.acquires[event.lock_id].add(location)
        archive.close()

    def number(self, name):
        return int(self.properties[PREFIX + name])

    def of(self, location):
        return [sample for sample in self.samples if sample.location == location]

    def seconds(self, location):
        first, last = self.spans[location]
        return (last - first) / self.resolution


def sample_of(location, event):
    values = {attribute.name: value for attribute, value in event.attributes.items()}
    return Sample(location, event.time, values["thread state"], path_of(event.calling_context),
                  values.get("wait lock"), values.get("wait id"), values.get("missed samples", 0))


def path_of(context):
    """Names of regions, the outermost first; with * the runtime's functions."""
    names = []
    while context is not None:
        region = context.region
        is_runtime = str(region.paradigm).endswith("OPENMP") and not region.name.startswith("!$omp")
        names.append(region.name + "*" * is_runtime)
        context = context.parent
    return names[::-1]
