"""Reads an archive with python3-otf2 into what our checks need, and nothing more."""
import collections

import _otf2
import otf2

import otf2_freed

otf2_freed.spare_this_process()
Region = collections.namedtuple(
    "Region", "region name canonical_name description role paradigm file line")
Location = collections.namedtuple("Location", "location name type group group_type events process")
Comm = collections.namedtuple("Comm", "comm name members parent group")


class Archive:
    """Definitions as tables by id; events() goes through all events in the order of time."""

    def __init__(self, path):
        self.reader = otf2.reader.Reader(str(path))
        self.definitions = self.reader.definitions
        handle = self.reader.handle
        self.properties = {name: _otf2.Reader_GetProperty(handle, name)
                           for name in _otf2.Reader_GetPropertyNames(handle)}
        self.clock = self.definitions.clock_properties
        self.regions = {r._ref: region_row(r) for r in self.definitions.regions if r}
        self.locations = {x._ref: location_row(x) for x in self.definitions.locations if x}
        self.comms = {c._ref: comm_row(c) for c in self.definitions.comms if c}

    def roots_without(self, domain):
        """Names of the roots of the system tree that have not the domain."""
        domains = {(item.system_tree_node._ref, enum_name(item.system_tree_node_domain))
                   for item in self.definitions.system_tree_node_domains}
        return [node.name for node in self.definitions.system_tree_nodes
                if node and node.parent is None and (node._ref, domain) not in domains]

    def group_names(self):
        return [group.name for group in self.definitions.location_groups if group]

    def metric_names(self):
        return [member.name for member in self.definitions.metric_members if member]

    def sampled_regions(self):
        return {context.region._ref for context in self.definitions.calling_contexts if context}

    def program(self):
        """The name of the program's region, or None."""
        path = self.properties.get("STAVE::PROGRAM")
        return path and path.rpartition("/")[2]

    def events(self):
        """Yields (location id, kind, event); an event has .time and OTF2's fields."""
        for location, event in self.reader.events:
            yield location._ref, type(event).__name__, event

    def milliseconds(self, ticks):
        return ticks * 1000 / self.clock.timer_resolution

    def losses(self):
        """(name, value) of the trace properties by which an archive owns up to losses."""
        words = ("lost", "dropped", "truncated")
        return [(name, value) for name, value in self.properties.items()
                if any(word in name.lower() for word in words) and value not in ("0", "false")]

    def close(self):
        self.reader.close()


def enum_name(value):
    name = str(value).split(".")[-1]
    return "ACCELERATOR_STREAM" if name == "GPU" else name      # two names of one value


def region_row(region):
    return Region(region._ref, region.name, region.canonical_name, region.description or "",
                  enum_name(region.region_role), enum_name(region.paradigm),
                  region.source_file or "", region.begin_line_number)


def location_row(location):
    group = location.group
    return Location(location._ref, location.name, enum_name(location.type), group.name,
                    enum_name(group.location_group_type), location.number_of_events,
                    (group.creating_location_group or group).name)


def comm_row(comm):
    return Comm(comm._ref, comm.name, tuple(member and member._ref for member in comm.group.members),
                None if comm.parent is None else comm.parent._ref, comm.group)
