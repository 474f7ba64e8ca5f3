"""The rows of a database of one run, as table_truth.py names what they refer to."""
import collections
import json


class Tables:
    """The same rows out of a database of one run."""

    def __init__(self, connection):
        self.connection = connection
        self.threads = dict(self.rows("SELECT id, location FROM threads"))
        self.processes = dict(self.rows("SELECT id, name FROM processes"))
        self.regions = {row[0]: (self.threads[row[1]], row[2], row[3]) for row in self.rows(
            "SELECT id, thread, begin_ns, region FROM regions")}
        self.tasks = {row[0]: self.name_task(*row[1:]) for row in self.rows(
            "SELECT id, kind, creator_thread, create_ns, last_thread, begin_ns FROM tasks")}
        self.members = collections.defaultdict(list)
        for team, thread, begin in self.rows("SELECT team, last_thread, begin_ns FROM tasks WHERE kind = 'implicit'"):
            self.members[team].append((self.threads[thread], begin))
        self.teams = {team: tuple(sorted(members)) for team, members in self.members.items()}
        self.locks = {number: (self.processes.get(process), name) for number, process, name in self.rows(
            "SELECT id, process, number FROM locks")}
        self.frames = {row[0]: row[1:] for row in self.rows(
            "SELECT id, region, at_file, at_line, parent FROM sample_frames")}

    def rows(self, sql):
        """A device's operation by the host's times has a name that shows that."""
        return [tuple(value.replace("target kernel submission", "target kernel") if isinstance(value, str) else value
                      for value in row) for row in self.connection.execute(sql)]

    def name_task(self, kind, creator, created, thread, begin):
        if kind == "initial":
            return kind, self.threads.get(thread)
        if kind == "implicit":
            return kind, self.threads.get(thread), begin
        return "explicit", self.threads.get(creator), created

    def frame(self, number):
        found = []
        while number is not None:
            *frame, number = self.frames[number]
            found.append(tuple(frame))
        return tuple(found)

    # of the columns that name rows of other tables
    NAMED = {"thread": "threads", "location": "threads", "region": "regions", "task": "tasks", "team": "teams",
             "lock": "locks", "process": "processes"}

    def value(self, kind, value):
        if kind == "args":
            return json.loads(value) if value else {}
        if kind == "frame":
            return self.frame(value)
        return getattr(self, self.NAMED[kind]).get(value) if kind in self.NAMED else value

    def table(self, name):
        """The fields of events that are no regions are not compared."""
        sql, kinds = QUERIES[name]
        kinds = dict(enumerate(kinds))
        return [row[:-1] + (None,) if name == "points" and row[3] is None else row for row in self.named(sql, kinds)]

    def named(self, sql, kinds):
        return [tuple(self.value(kinds.get(i), value) for i, value in enumerate(row)) for row in self.rows(sql)]


# By table: the columns that are compared, and what the first of them name
QUERIES = {
    "runs": ("SELECT program, wall_ns, events, lost_events FROM runs", ()),
    "properties": ("SELECT owner, CASE owner WHEN 'thread' THEN (SELECT location FROM threads WHERE id = owner_id) "
                   "WHEN 'process' THEN (SELECT name FROM processes WHERE id = owner_id) ELSE owner_id END, name, "
                   "value FROM properties", ()),
    "processes": ("SELECT name, kind, node FROM processes", ()),
    "threads": ("SELECT location, name, kind, events, process FROM threads", ("", "", "", "", "process")),
    "region_names": ("SELECT region, construct, line, end_line, canonical_name, description, file FROM region_names",
                     ()),
    "regions": ("SELECT thread, region, begin_ns, end_ns, self_ns, parent, depth, task, team, args FROM regions",
                ("thread", "", "", "", "", "region", "", "task", "team", "args")),
    "points": ("SELECT thread, time_ns, kind, region, text, parent, task, team, args FROM points",
               ("thread", "", "", "", "", "region", "task", "team", "args")),
    "teams": ("SELECT id, region, size, requested, primary_thread, parent, task, fork_ns, begin_ns, end_ns FROM teams",
              ("team", "", "", "", "thread", "team", "task")),
    "tasks": ("SELECT id, kind, region, team, parent, thread, last_thread, begin_ns, end_ns, run_ns, suspended_ns, "
              "slices, migrations FROM tasks", ("task", "", "", "team", "task", "thread", "thread")),
    "task_slices": ("SELECT task, thread, begin_ns, end_ns FROM task_slices", ("task", "thread")),
    "chunks": ("SELECT thread, begin_ns, region, loop, start, iterations, task, team, end_ns FROM chunks",
               ("thread", "", "", "region", "", "", "task", "team")),
    "locks": ("SELECT process, number, kind, address FROM locks", ("process",)),
    "lock_acquisitions": ("SELECT lock, acquisition, thread, task, region, wait_begin_ns, acquired_ns, released_ns, "
                          "releaser_thread FROM lock_acquisitions",
                          ("lock", "", "thread", "task", "", "", "", "", "thread")),
    "waits": ("SELECT thread, kind, region, instance, lock, task, team, begin_ns, end_ns, wait_ns FROM waits",
              ("thread", "", "", "region", "lock", "task", "team")),
    "dependences": ("SELECT source, sink, address FROM dependences", ("task", "task")),
    "messages": ("SELECT comm_ref, comm, sender_rank, receiver_rank, tag, bytes, send_thread, send_begin_ns, "
                 "send_end_ns, receive_thread, receive_begin_ns, receive_end_ns FROM messages",
                 ("", "", "", "", "", "", "thread", "", "", "thread")),
    "collectives": ("SELECT thread, process, region, comm_ref, comm, root, bytes_sent, bytes_received, begin_ns, "
                    "end_ns, operation FROM collectives", ("thread", "process")),
    "rma": ("SELECT thread, kind, window_ref, window, remote, bytes, bytes_received, begin_ns, end_ns, "
            "operation, args FROM rma",
            ("thread", "", "", "", "", "", "", "", "", "", "args")),
    "transfers": ("SELECT thread, kind, bytes, matching, begin_ns, end_ns, args FROM transfers",
                  ("thread", "", "", "", "", "", "args")),
    "kernels": ("SELECT thread, begin_ns, region, requested_teams, granted_teams, end_ns FROM kernels", ("thread",)),
    "io": ("SELECT thread, kind, handle, bytes_requested, bytes, begin_ns, end_ns, flags, args FROM io",
           ("thread", "", "", "", "", "", "", "", "args")),
    "counters": ("SELECT name, unit, description FROM counters", ()),
    "counter_values": ("SELECT thread, time_ns, c.name, value FROM counter_values JOIN counters c ON c.id = counter",
                       ("thread",)),
    "sample_frames": ("SELECT id FROM sample_frames", ("frame",)),
    "samples": ("SELECT thread, time_ns, frame, region, state, lock, processor, missed, wait_id FROM samples",
                ("thread", "", "frame", "", "", "lock")),
    "run_states": ("SELECT thread, state, processor, begin_ns, end_ns FROM run_states", ("thread",)),
}
