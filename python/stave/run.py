"""Runs: what is in an archive, and what the command stave says of it."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import typing
import urllib.request

from stave import plots
from stave.table import Table

_WHOLE, _FOUND = 0, 3     # exit status: 3 says that something is not in order, or not all could be read


class Error(RuntimeError):
    """What the command stave has said."""


def _stave(command: str | None, *arguments: str) -> str:
    """What it prints; the command is that of the argument, or the first one in PATH."""
    program = command or shutil.which("stave")
    if program is None:
        raise Error("the command stave is not in PATH: stave.open(archive, command=...) names it")
    result = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if result.returncode not in (_WHOLE, _FOUND):
        raise Error(result.stderr.strip() or f"{program} ended with status {result.returncode}")
    return result.stdout


def _object(command: str | None, *arguments: str) -> dict[str, typing.Any]:
    """The object that it prints."""
    return dict(json.loads(_stave(command, *arguments)))


class Run:
    """An archive. Every table and view of stave-tables(5) is an attribute: run.regions, run.tasks,
    run.barrier_wait_by_thread."""

    def __init__(self, path: str | os.PathLike[str], command: str | None = None) -> None:
        self.path, self._command = os.fspath(path), command
        self.database = _stave(command, "query", "--where", "--", self.path).rstrip("\n")
        uri = "file:" + urllib.request.pathname2url(os.path.abspath(self.database)) + "?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True)
        self._connection.execute("PRAGMA query_only = 1")

    def sql(self, query: str, *parameters: typing.Any) -> Table:
        """The answer to a SELECT; ? stands for a parameter."""
        return Table(self._connection, query, parameters)

    @property
    def tables(self) -> list[str]:
        """The names of tables and views."""
        return [name for name, in self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'made_of' ORDER BY rowid")
            if not name.endswith("_rows")]

    def __getattr__(self, name: str) -> Table:
        if name.startswith("_") or name not in self.tables:
            raise AttributeError(f"there is no table {name}")
        return Table(self._connection, f'SELECT * FROM "{name}"')

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    @property
    def incomplete(self) -> str | None:
        """Why not all of the archive could be read; None: all was."""
        reasons = [row[0] for row in self._connection.execute("SELECT incomplete FROM runs") if row[0] is not None]
        return "; ".join(reasons) or None

    def report(self) -> dict[str, typing.Any]:
        """What stave report --json has, see stave-report-json(5). Times, whose names end in _s, are in seconds; shares
        are of 1."""
        return _object(self._command, "report", "--json", "--", self.path)

    @property
    def findings(self) -> list[dict[str, typing.Any]]:
        """What would be most worth changing, the most first: stave report's findings. gain_s is in seconds of wall
        time, gain_share a share of it."""
        return list(self.report()["findings"])

    def check(self) -> dict[str, typing.Any]:
        """What stave check --json has: whether the run kept OpenMP's rules. time_ns is in nanoseconds since the
        beginning of the run."""
        return _object(self._command, "check", "--json", "--", self.path)

    def close(self) -> None:
        """Closes the database."""
        self._connection.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<stave.Run {pathlib.Path(self.path).name}>"

    def _repr_html_(self) -> str:
        return self.runs._repr_html_()      # pylint: disable=protected-access

    plot_timeline = plots.timeline
    plot_imbalance = plots.imbalance
    plot_granularity = plots.granularity
    plot_lock_holds = plots.lock_holds


def open(archive: str | os.PathLike[str], command: str | None = None) -> Run:   # pylint: disable=redefined-builtin
    """An archive of Stave or another tool, or a database that stave export -f sqlite has written. `command` is the
    program stave, where it is not in PATH."""
    return Run(archive, command)


def compare(before: Run | str, after: Run | str, command: str | None = None) -> dict[str, typing.Any]:
    """What changed between two archives: what stave report --compare --json has; times, whose names end in _s, are in
    seconds."""
    paths = [run.path if isinstance(run, Run) else run for run in (before, after)]
    return _object(command, "report", "--compare", "--json", paths[0], "--", paths[1])
